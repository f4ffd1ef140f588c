// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: no instance of function template "iket::.*::(count|ignore_count)"
#include <iket/iket.cuh>

__global__ void kernel(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_COUNTER(rec, "no value");
}
