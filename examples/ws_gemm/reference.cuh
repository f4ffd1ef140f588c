// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Random inputs, the same product by the plainest kernel there is, and the comparison of every element.
#pragma once

#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "check.hpp"
#include "device_array.hpp"
#include "tile.cuh"

namespace ws_gemm {

/// Uniform in [-1, 1), from a hash of seed and index.
__global__ void fill_random_kernel(__half* data, std::size_t count, std::uint32_t seed) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ULL ^ seed * 0xd1342543de82ef95ULL;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    data[i] = __float2half(static_cast<float>(x & 0xffffff) * 0x1p-23F - 1.0F);
  }
}

inline void fill_random(const device_array<__half>& data, std::uint32_t seed) {
  fill_random_kernel<<<1024, 256>>>(data.get(), data.size(), seed);
  WS_GEMM_CHECK(cudaGetLastError());
}

constexpr int reference_tile = 16;

/// One thread an element, in fp32, in the order of k. All extents are multiples of 16.
__global__ void reference_kernel(const __half* a, const __half* b, float* c, problem size) {
  __shared__ float a_tile[reference_tile][reference_tile], b_tile[reference_tile][reference_tile + 1];
  const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const std::size_t row = blockIdx.y * reference_tile + threadIdx.y, first_column = blockIdx.x * reference_tile;
  float sum = 0;
  for (int k = 0; k < size.k; k += reference_tile) {
    a_tile[y][x] = __half2float(a[row * size.k + k + x]);
    b_tile[y][x] = __half2float(b[(first_column + y) * size.k + k + x]);
    __syncthreads();
    for (int i = 0; i < reference_tile; ++i) sum += a_tile[y][i] * b_tile[x][i];
    __syncthreads();
  }
  c[row * size.n + first_column + x] = sum;
}

inline void reference_multiply(problem size, const __half* a, const __half* b, float* c) {
  const dim3 grid(static_cast<unsigned>(size.n / reference_tile), static_cast<unsigned>(size.m / reference_tile));
  reference_kernel<<<grid, dim3(reference_tile, reference_tile)>>>(a, b, c, size);
  WS_GEMM_CHECK(cudaGetLastError());
}

/// fp16 has 11 significant bits, so rounding alone takes an element up to 2^-11 of its size away. Twice that is
/// allowed, and as much of an element's typical size, sqrt(k) / 3: where terms cancel, the error is that of the terms.
/// A step of k that is missing or misplaced is off by far more.
constexpr float element_tolerance = 0x1p-10F;
/// For the Frobenius norm. Rounding to fp16 alone comes to about 2e-4, summing in another order to a tenth of it.
constexpr double norm_tolerance = 0x1p-11;

/// How far a result is from the reference.
struct deviation {
  double error_squares = 0, reference_squares = 0;
  unsigned long long wrong = 0;            ///< elements further off than allowed; NaN is
  unsigned long long first_wrong = ~0ULL;  ///< the lowest index of one
  std::uint32_t worst_bits = 0;            ///< the largest error / allowed error, as the bits of a float

  [[nodiscard]] double relative_error() const { return std::sqrt(error_squares / reference_squares); }
  [[nodiscard]] double worst() const {
    float ratio = 0;
    std::memcpy(&ratio, &worst_bits, sizeof(ratio));
    return static_cast<double>(ratio);
  }
  [[nodiscard]] bool is_rounding() const { return wrong == 0 && relative_error() <= norm_tolerance; }
};

__global__ void compare_kernel(const __half* c, const float* reference, std::size_t count, float typical_size,
                               deviation* result) {
  double error_squares = 0, reference_squares = 0;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    const float expected = reference[i];
    const float error = fabsf(__half2float(c[i]) - expected);
    const float ratio = error / (element_tolerance * (fabsf(expected) + typical_size));
    error_squares += static_cast<double>(error) * error;
    reference_squares += static_cast<double>(expected) * expected;
    // The bits of floats that are not negative have the order of their values, NaN above all.
    atomicMax(&result->worst_bits, __float_as_uint(ratio) & 0x7fffffff);
    if (!(ratio <= 1)) {
      atomicAdd(&result->wrong, 1ULL);
      atomicMin(&result->first_wrong, static_cast<unsigned long long>(i));
    }
  }
  atomicAdd(&result->error_squares, error_squares);
  atomicAdd(&result->reference_squares, reference_squares);
}

/// Waits for the device.
inline deviation compare(problem size, const device_array<__half>& c, const device_array<float>& reference) {
  const device_array<deviation> on_device(1);
  deviation result;
  WS_GEMM_CHECK(cudaMemcpy(on_device.get(), &result, sizeof(result), cudaMemcpyHostToDevice));
  const auto typical_size = static_cast<float>(std::sqrt(size.k) / 3);
  compare_kernel<<<1024, 256>>>(c.get(), reference.get(), c.size(), typical_size, on_device.get());
  WS_GEMM_CHECK(cudaGetLastError());
  WS_GEMM_CHECK(cudaMemcpy(&result, on_device.get(), sizeof(result), cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace ws_gemm
