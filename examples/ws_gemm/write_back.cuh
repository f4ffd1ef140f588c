// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From accumulators to fp16 in memory.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

namespace ws_gemm {

/// Transposes 4 x 4 words over the four lanes of a quad: afterwards word i of lane q is what word q of lane i was.
/// The whole warp calls it.
__device__ __forceinline__ void transpose_quad(std::uint32_t (&word)[4]) {
#pragma unroll
  for (int step = 1; step <= 2; step *= 2) {
    const bool upper = (threadIdx.x & step) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & step) != 0) continue;
      const std::uint32_t sent = upper ? word[i] : word[i + step];
      const std::uint32_t received = __shfl_xor_sync(0xffffffff, sent, step);
      (upper ? word[i] : word[i + step]) = received;
    }
  }
}

/// Stores a warp's strip of 16 rows and 2 * values columns, held as the tensor cores leave it: of every block of eight
/// columns a lane has columns 2 * (lane % 4) and the next one, of rows lane / 4 (the even pairs) and lane / 4 + 8 (the
/// odd pairs). Stored so, a quad would fill half a sector; four blocks at a time, each lane of it stores 16 bytes.
/// The whole warp calls it. `strip` is where the strip's first element goes, `stride` the length of a row of C.
template <int values>
__device__ __forceinline__ void write_back(const float (&accumulator)[values], __half* strip, int stride) {
  static_assert(values % 16 == 0, "four blocks of eight columns at a time");
  const int lane = static_cast<int>(threadIdx.x % 32);
  __half* const mine = strip + static_cast<std::size_t>(lane / 4) * stride + lane % 4 * 8;
#pragma unroll
  for (int first = 0; first < values; first += 16) {
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      std::uint32_t word[4];
#pragma unroll
      for (int block = 0; block < 4; ++block) {
        const float* const pair = &accumulator[first + 4 * block + 2 * lower];
        const __half2 rounded = __floats2half2_rn(pair[0], pair[1]);
        word[block] = *reinterpret_cast<const std::uint32_t*>(&rounded);
      }
      transpose_quad(word);
      __half* const to = mine + static_cast<std::size_t>(8 * lower) * stride + 2 * first;
      // Streaming: what L2 holds should be the operands. Also, a plain store of this type may come out as four.
      __stcs(reinterpret_cast<uint4*>(to), make_uint4(word[0], word[1], word[2], word[3]));
    }
  }
}

}  // namespace ws_gemm
