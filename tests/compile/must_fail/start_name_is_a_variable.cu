// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: start_name_is_a_variable.cu.9.: error: expected a
#include <iket/iket.cuh>

__global__ void kernel(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const char* const name = "a name";
  const iket::token token = IKET_START(rec, name);
  IKET_END(rec, token);
}
