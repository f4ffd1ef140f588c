// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiled with IKET_FILE_COMPONENTS=1.
#include <iket/iket.cuh>

__global__ void components_1(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "components 1");
}

void launch_components_1(iket::tracer tracer) { components_1<<<1, 32>>>(tracer); }
