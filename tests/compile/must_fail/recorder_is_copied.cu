// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: function "iket::.*::recorder::recorder.*deleted function
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  iket::recorder copy = rec;
  (void)copy;
  (void)in;
}
