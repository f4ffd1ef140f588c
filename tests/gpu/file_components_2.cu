// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiled with IKET_FILE_COMPONENTS=2.
#include <iket/iket.cuh>

__global__ void components_2(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "components 2");
}

void launch_components_2(iket::tracer tracer) { components_2<<<1, 32>>>(tracer); }
