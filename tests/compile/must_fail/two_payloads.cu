// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: no instance of overloaded function "iket::.*::event"|error: .*one payload
#include <iket/iket.cuh>

__global__ void kernel(int number, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "two payloads", number, number);
}
