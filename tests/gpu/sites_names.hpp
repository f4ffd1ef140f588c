// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Sites in functions that two translation units share.
#pragma once

#include <iket/iket.cuh>

template <int N>
__device__ void templated(iket::recorder& rec) {
  IKET_RANGE(rec, "templated");
  if constexpr (N % 2 == 0) {
    IKET_MARK(rec, "even instance", N);
  } else {
    IKET_MARK(rec, "odd instance", N);
  }
}

inline __host__ __device__ int on_both_sides(iket::recorder& rec, int x) {
  IKET_RANGE(rec, "on both sides", x);
  return x + 1;
}
