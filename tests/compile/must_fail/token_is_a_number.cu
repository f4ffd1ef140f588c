// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: .*"int".*"iket::.*token"
#include <iket/iket.cuh>

__global__ void kernel(int number, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_END(rec, number);
}
