// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: no instance of overloaded function "iket::.*::encode"
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_COUNTER(rec, "a struct", make_float2(in[0], in[1]));
}
