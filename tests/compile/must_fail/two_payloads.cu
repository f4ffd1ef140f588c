// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// expect: error: static assertion failed with "IKET: an event takes one payload
#include <iket/iket.cuh>

__global__ void kernel(int number, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "two payloads", number, number);
}
