// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "recorder.cuh"

__global__ void kernel(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  *out = callee(rec);
}
