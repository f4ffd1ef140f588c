// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Residual add and RMSNorm in one pass, as transformers run it between layers, in fp16: bound by memory.
///
///     sum = x + residual;  out = sum / sqrt(mean(sum^2) + epsilon) * weight
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <iket/iket.cuh>

#include "variant.hpp"

namespace bench::BENCH_VARIANT::rms_norm {

inline constexpr int columns = 4096;
inline constexpr int threads = 256, warps = threads / 32;
inline constexpr int ctas_per_sm = 4;
inline constexpr int vectors = columns / 8 / threads;  // of 16 bytes, per thread
static_assert(vectors * 8 * threads == columns, "a row is whole vectors of all threads");

/// 16 bytes as they are loaded and stored.
struct alignas(16) eight_halves {
  __half2 pair[4];
};

/// Read and written once: it should not push out of L2 what others need. A plain copy of this type may come out as
/// four accesses.
__device__ __forceinline__ eight_halves load_streaming(const eight_halves* from) {
  const uint4 bits = __ldcs(reinterpret_cast<const uint4*>(from));
  return *reinterpret_cast<const eight_halves*>(&bits);
}

__device__ __forceinline__ void store_streaming(eight_halves* to, const eight_halves& value) {
  __stcs(reinterpret_cast<uint4*>(to), *reinterpret_cast<const uint4*>(&value));
}

__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int distance = 16; distance != 0; distance /= 2) value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

/// Persistent: CTAs walk over the rows, `gridDim.x` apart; a thread has the same columns of each. All arrays are on 16
/// bytes, rows follow one another.
__global__ void __launch_bounds__(threads, ctas_per_sm)
    rms_norm_kernel(const eight_halves* __restrict__ x, const eight_halves* __restrict__ residual,
                    const eight_halves* __restrict__ weight, eight_halves* __restrict__ sum,
                    eight_halves* __restrict__ out, int rows, float epsilon, iket::tracer tracer) {
  // Two, taken in turns: a warp that is a row ahead leaves the sums alone that others still read.
  __shared__ float warp_squares[2][warps];
  iket::recorder rec(tracer);
  const int warp = static_cast<int>(threadIdx.x / 32);

  eight_halves scale[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i) scale[i] = weight[threadIdx.x + i * threads];

  int turn = 0;
  for (int row = static_cast<int>(blockIdx.x); row < rows; row += static_cast<int>(gridDim.x)) {
    const std::size_t first = static_cast<std::size_t>(row) * (columns / 8) + threadIdx.x;
    eight_halves values[vectors];
    float squares = 0;
    {
      IKET_RANGE(rec, "load and add", row);
      eight_halves added[vectors];
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        values[i] = load_streaming(x + first + i * threads);
        added[i] = load_streaming(residual + first + i * threads);
      }
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          values[i].pair[k] = __hadd2(values[i].pair[k], added[i].pair[k]);
          const float2 both = __half22float2(values[i].pair[k]);
          squares += both.x * both.x + both.y * both.y;
        }
        store_streaming(sum + first + i * threads, values[i]);
      }
    }
    {
      IKET_RANGE(rec, "reduce");
      squares = warp_sum(squares);
      if (threadIdx.x % 32 == 0) warp_squares[turn][warp] = squares;
      {
        IKET_WAIT(rec, "wait for other warps");
        __syncthreads();
      }
      squares = 0;
#pragma unroll
      for (float part : warp_squares[turn]) squares += part;
      turn ^= 1;
    }
    {
      IKET_RANGE(rec, "scale and write");
      const float factor = rsqrtf(squares / columns + epsilon);
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const float2 both = __half22float2(values[i].pair[k]), by = __half22float2(scale[i].pair[k]);
          values[i].pair[k] = __floats2half2_rn(both.x * factor * by.x, both.y * factor * by.y);
        }
        store_streaming(out + first + i * threads, values[i]);
      }
    }
  }
}

}  // namespace bench::BENCH_VARIANT::rms_norm
