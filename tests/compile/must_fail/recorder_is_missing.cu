// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: recorder_is_missing.cu.8.: error
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK("no recorder");
  (void)in;
  (void)rec;
}
