// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: static assertion failed with "IKET: a payload is an int or unsigned
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "a pointer", in);
}
