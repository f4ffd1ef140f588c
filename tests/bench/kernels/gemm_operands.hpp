// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The matrices that the matrix multiplications of the bench share.
#pragma once

#include <cstddef>

#include <cuda_fp16.h>

#include "check.hpp"
#include "device_pool.hpp"
#include "numbers.cuh"

namespace bench {

/// C[m x n] = A[m x k] * B[k x n], with random A and B, in arrays of a pool.
class gemm_operands {
 public:
  gemm_operands(device_pool& pool, int m, int n, int k)
      : a(pool.array<__half>("a", elements(m, k))),
        b(pool.array<__half>("b", elements(n, k))),
        c(pool.array<__half>("c", elements(m, n))),
        pool_(pool),
        m_(m),
        n_(n),
        k_(k) {
    fill_random(a, elements(m, k), 1);
    fill_random(b, elements(n, k), 2);
  }

  void poison_result() const { BENCH_CHECK(cudaMemset(c, 0xff, elements(m_, n_) * sizeof(__half))); }
  [[nodiscard]] bool result_is_right() const { return is_product(pool_, a, b, c, m_, n_, k_); }

  __half *const a, *const b, *const c;

 private:
  [[nodiscard]] static std::size_t elements(int rows, int columns) { return static_cast<std::size_t>(rows) * columns; }

  device_pool& pool_;
  int m_, n_, k_;
};

}  // namespace bench
