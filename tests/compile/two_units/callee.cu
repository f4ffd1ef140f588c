// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "recorder.cuh"

__device__ int callee(iket::recorder& rec) {
  IKET_MARK(rec, "in another unit");
  return 1;
}
