// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: function "iket::.*::encode.*deleted function
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "a pointer", in);
}
