// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "numbers.cuh"

#include <cmath>

#include "../../../examples/ws_gemm/reference.cuh"

namespace bench {
namespace {

constexpr unsigned fill_ctas = 1024, fill_threads = 256;

__device__ __forceinline__ std::uint32_t random_bits(std::size_t index, std::uint32_t seed) {
  std::uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ULL ^ (seed + 1) * 0xd1342543de82ef95ULL;
  x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
  return static_cast<std::uint32_t>(x >> 32);
}

__device__ __forceinline__ void set_random(__half& element, std::uint32_t bits, float scale) {
  element = __float2half((static_cast<float>(bits >> 8) * 0x1p-23F - 1) * scale);
}
__device__ __forceinline__ void set_random(std::uint32_t& element, std::uint32_t bits, float) { element = bits; }

template <class T>
__global__ void fill_kernel(T* data, std::size_t count, std::uint32_t seed, float scale) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    set_random(data[i], random_bits(i, seed), scale);
  }
}

__global__ void compare_kernel(const __half* values, const float* expected, std::size_t count, float typical_size,
                               unsigned* wrong) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    if (is_wrong(__half2float(values[i]), expected[i], typical_size)) atomicAdd(wrong, 1U);
  }
}

}  // namespace

void fill_random(__half* data, std::size_t count, std::uint32_t seed, float scale) {
  fill_kernel<<<fill_ctas, fill_threads>>>(data, count, seed, scale);
  BENCH_CHECK(cudaGetLastError());
}

void fill_random(std::uint32_t* data, std::size_t count, std::uint32_t seed) {
  fill_kernel<<<fill_ctas, fill_threads>>>(data, count, seed, 0.0F);
  BENCH_CHECK(cudaGetLastError());
}

bool is_product(device_pool& pool, const __half* a, const __half* b, const __half* c, int m, int n, int k) {
  const std::size_t count = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
  auto* const reference = pool.array<float>("reference product", count);
  ws_gemm::reference_multiply({m, n, k}, a, b, reference);
  return counts_nothing(pool, [&](unsigned* wrong) {
    // That of a sum of k products of numbers in [-1, 1).
    const auto typical_size = static_cast<float>(std::sqrt(k) / 3);
    compare_kernel<<<fill_ctas, fill_threads>>>(c, reference, count, typical_size, wrong);
  });
}

}  // namespace bench
