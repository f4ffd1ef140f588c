// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: name_is_a_variable.cu.9.: error: expected a
#include <iket/iket.cuh>

__global__ void kernel(const float* in, iket::tracer tracer) {
  iket::recorder rec(tracer);
  const char* const name = "a name";
  IKET_RANGE(rec, name);
  (void)in;
}
