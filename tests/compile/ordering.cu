// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Two loads of one place with an event between them: the compiler makes one of them, if it may move a load across.
#include <iket/iket.cuh>

__global__ void load_twice(const int* in, int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  const int before = *in;
  IKET_MARK(rec, "between");
  const int behind = *in;
  *out = before + behind;
}
