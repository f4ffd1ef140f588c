// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Random inputs and the verdict on results, the same for both variants of every kernel.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "check.hpp"
#include "device_pool.hpp"

namespace bench {

/// Uniform in [-scale, scale), the same for the same seed.
void fill_random(__half* data, std::size_t count, std::uint32_t seed, float scale = 1);
/// Any 32 bits.
void fill_random(std::uint32_t* data, std::size_t count, std::uint32_t seed);

/// fp16 has 11 significant bits, so rounding alone takes an element up to 2^-11 of its size away. Twice that is
/// allowed, and as much of `typical_size`: where terms cancel, the error is that of the terms. NaN is wrong.
__device__ __forceinline__ bool is_wrong(float value, float expected, float typical_size) {
  return !(fabsf(value - expected) <= 0x1p-10F * (fabsf(expected) + typical_size));
}

/// True if `launch`, given a counter in device memory, starts a kernel that adds nothing to it. Waits for the device.
template <class Launch>
[[nodiscard]] bool counts_nothing(device_pool& pool, const Launch& launch) {
  auto* const counter = pool.array<unsigned>("count of wrong results", 1);
  unsigned wrong = 0;
  BENCH_CHECK(cudaMemset(counter, 0, sizeof(wrong)));
  launch(counter);
  BENCH_CHECK(cudaGetLastError());
  BENCH_CHECK(cudaMemcpy(&wrong, counter, sizeof(wrong), cudaMemcpyDeviceToHost));
  return wrong == 0;
}

/// True if the m x n matrix `c` is A * B^T, with A m x k and B n x k, all row-major; extents are multiples of 16.
[[nodiscard]] bool is_product(device_pool& pool, const __half* a, const __half* b, const __half* c, int m, int n,
                              int k);

/// Of the current device.
[[nodiscard]] inline int sm_count() {
  int device = 0, count = 0;
  BENCH_CHECK(cudaGetDevice(&device));
  BENCH_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

}  // namespace bench
