// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Attention, forward: O = softmax(Q K^T / 8) V for many heads of dimension 64, in fp16 with fp32 accumulation.
///
/// The shape of FlashAttention-2: a CTA has 128 rows of Q, each of its four warps 32, and walks over K and V in tiles
/// of 64 keys; the next tile is copied while one is worked on, scores and results stay in registers.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <iket/iket.cuh>

#include "mma.cuh"
#include "variant.hpp"

namespace bench::BENCH_VARIANT::attention {

constexpr int head_dim = 64;
constexpr int tile_rows = 128, tile_keys = 64;
constexpr int warps = 4, threads = 32 * warps;
constexpr int warp_rows = tile_rows / warps;
constexpr int strips = warp_rows / 16;  // of 16 rows, as the tensor cores take them
constexpr int row_bytes = head_dim * 2;
constexpr int kv_bytes = tile_keys * row_bytes;
constexpr int slot_bytes = 2 * kv_bytes;  // a tile of K, then one of V
inline constexpr int shared_bytes = tile_rows * row_bytes + 2 * slot_bytes;

/// What a lane holds of a strip of 16 rows and 8 * blocks columns: of each block of eight columns, columns
/// 2 * (lane % 4) and the next one, of row lane / 4 ([0] and [1]) and of row lane / 4 + 8 ([2] and [3]).
template <int blocks>
using fragment = float[blocks][4];

/// Where 16-byte piece `piece` (0 to 7) of a tile's row lies in the tile. [bytes] Eight rows from a multiple of eight
/// on, at one and the same piece, touch every bank once: ldmatrix has no conflicts.
__device__ __forceinline__ int swizzled(int row, int piece) { return row * row_bytes + ((piece ^ (row % 8)) * 16); }

/// Starts the copy of `rows` rows that follow one another in memory. The whole CTA calls it.
template <int rows>
__device__ __forceinline__ void copy_rows(std::uint32_t to, const __half* from) {
  constexpr int rows_at_once = threads / 8;
  const int row = static_cast<int>(threadIdx.x) / 8, piece = static_cast<int>(threadIdx.x) % 8;
  static_assert(rows_at_once % 8 == 0, "so that the swizzle of a thread's rows is the same");
  const __half* const mine = from + row * head_dim + piece * 8;
  const std::uint32_t to_mine = to + swizzled(row, piece);
#pragma unroll
  for (int i = 0; i < rows / rows_at_once; ++i) {
    mma::copy_16_bytes(to_mine + i * rows_at_once * row_bytes, mine + i * rows_at_once * head_dim);
  }
}

/// Starts the copy of tile `t` of K and V into its slot.
__device__ __forceinline__ void copy_tile(std::uint32_t slots, const __half* k, const __half* v, int t) {
  const std::uint32_t to = slots + t % 2 * slot_bytes;
  const std::size_t first = static_cast<std::size_t>(t) * tile_keys * head_dim;
  copy_rows<tile_keys>(to, k + first);
  copy_rows<tile_keys>(to + kv_bytes, v + first);
}

/// scores = Q K^T, for the warp's rows, which begin at `q`, and the tile's keys.
__device__ __forceinline__ void multiply_qk(fragment<tile_keys / 8> (&scores)[strips], std::uint32_t q,
                                            std::uint32_t k) {
  // ldmatrix takes rows from lanes: for Q two groups of eight rows, then the same at the next piece; for K, whose rows
  // are columns of the product, both pieces of eight rows, then of the next eight.
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int q_row = lane % 16, q_piece = lane / 16;
  const int k_row = lane / 16 * 8 + lane % 8, k_piece = lane / 8 % 2;
#pragma unroll
  for (int i = 0; i < strips; ++i) {
#pragma unroll
    for (int j = 0; j < tile_keys / 8; ++j) {
#pragma unroll
      for (float& score : scores[i][j]) score = 0;
    }
  }
#pragma unroll
  for (int piece = 0; piece < head_dim / 8; piece += 2) {
    std::uint32_t a[strips][4];
#pragma unroll
    for (int i = 0; i < strips; ++i) mma::load_matrices(a[i], q + swizzled(16 * i + q_row, piece + q_piece));
#pragma unroll
    for (int j = 0; j < tile_keys / 8; j += 2) {
      std::uint32_t b[4];
      mma::load_matrices(b, k + swizzled(8 * j + k_row, piece + k_piece));
#pragma unroll
      for (int i = 0; i < strips; ++i) {
        mma::multiply(scores[i][j], a[i], b[0], b[1]);
        mma::multiply(scores[i][j + 1], a[i], b[2], b[3]);
      }
    }
  }
}

/// The largest score of a row so far, and this lane's part of the sum of its weights; a quad of lanes shares a row.
struct row_state {
  float highest = -INFINITY;
  float sum = 0;
};

__device__ __forceinline__ float quad_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xffffffff, value, 2));
}

__device__ __forceinline__ float quad_sum(float value) {
  value += __shfl_xor_sync(0xffffffff, value, 1);
  return value + __shfl_xor_sync(0xffffffff, value, 2);
}

/// Turns scores into weights, 2^(scale * (score - highest)), and what was summed so far to the new highest score.
__device__ __forceinline__ void soften(fragment<tile_keys / 8>& scores, fragment<head_dim / 8>& result,
                                       row_state (&rows)[2], float scale) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    row_state& row = rows[half];
    float highest = row.highest;
#pragma unroll
    for (auto& block : scores) highest = fmaxf(highest, fmaxf(block[2 * half], block[2 * half + 1]));
    highest = quad_max(highest);
    const float shrink = mma::exp2_approximate((row.highest - highest) * scale);
    const float offset = -highest * scale;
    row.highest = highest;
    row.sum *= shrink;
#pragma unroll
    for (auto& block : scores) {
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        block[i] = mma::exp2_approximate(fmaf(block[i], scale, offset));
        row.sum += block[i];
      }
    }
#pragma unroll
    for (auto& block : result) {
      block[2 * half] *= shrink;
      block[2 * half + 1] *= shrink;
    }
  }
}

__device__ __forceinline__ std::uint32_t to_halves(float low, float high) {
  const __half2 rounded = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&rounded);
}

/// result += weights * V. As accumulators lie, two blocks of eight keys are an operand of 16.
__device__ __forceinline__ void multiply_pv(fragment<head_dim / 8> (&result)[strips],
                                            const fragment<tile_keys / 8> (&weights)[strips], std::uint32_t v) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int v_row = lane % 16, v_piece = lane / 16;
#pragma unroll
  for (int j = 0; j < tile_keys / 8; j += 2) {
    std::uint32_t a[strips][4];
#pragma unroll
    for (int i = 0; i < strips; ++i) {
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const float* const pair = &weights[i][j + part / 2][part % 2 * 2];
        a[i][part] = to_halves(pair[0], pair[1]);
      }
    }
#pragma unroll
    for (int piece = 0; piece < head_dim / 8; piece += 2) {
      std::uint32_t b[4];
      mma::load_matrices_transposed(b, v + swizzled(8 * j + v_row, piece + v_piece));
#pragma unroll
      for (int i = 0; i < strips; ++i) {
        mma::multiply(result[i][piece], a[i], b[0], b[1]);
        mma::multiply(result[i][piece + 1], a[i], b[2], b[3]);
      }
    }
  }
}

/// Divides by the sums, and stores the warp's rows by way of `staging`, its own 32 rows of shared memory: 16 bytes a
/// lane, whole sectors. The whole warp calls it.
__device__ __forceinline__ void write_back(const fragment<head_dim / 8> (&result)[strips],
                                           const row_state (&rows)[strips][2], unsigned char* staging, __half* out) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int i = 0; i < strips; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float factor = 1 / quad_sum(rows[i][half].sum);
#pragma unroll
      for (int j = 0; j < head_dim / 8; ++j) {
        const float* const pair = &result[i][j][2 * half];
        unsigned char* const to = staging + swizzled(16 * i + 8 * half + lane / 4, j) + lane % 4 * 4;
        *reinterpret_cast<std::uint32_t*>(to) = to_halves(pair[0] * factor, pair[1] * factor);
      }
    }
  }
  __syncwarp();
#pragma unroll
  for (int first = 0; first < warp_rows; first += 4) {
    const int row = first + lane / 8, piece = lane % 8;
    const uint4 eight = *reinterpret_cast<const uint4*>(staging + swizzled(row, piece));
    __stcs(reinterpret_cast<uint4*>(out + row * head_dim + piece * 8), eight);
  }
}

/// Q, K, V and O: heads x sequence x 64. `scale` is log2(e) / 8. Grid: sequence / 128 x heads.
__global__ void __launch_bounds__(threads, 2)
    attention_kernel(const __half* q, const __half* k, const __half* v, __half* out, int sequence, float scale,
                     iket::tracer tracer) {
  extern __shared__ __align__(128) unsigned char attention_shared[];
  iket::recorder rec(tracer);
  const int warp = static_cast<int>(threadIdx.x / 32);
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * sequence * head_dim;
  const std::size_t first_row = static_cast<std::size_t>(blockIdx.x) * tile_rows;
  const std::uint32_t q_tile = mma::shared_address(attention_shared);
  const std::uint32_t slots = q_tile + tile_rows * row_bytes;
  const std::uint32_t q_mine = q_tile + warp * warp_rows * row_bytes;
  k += head;
  v += head;

  copy_rows<tile_rows>(q_tile, q + head + first_row * head_dim);
  copy_tile(slots, k, v, 0);
  fragment<head_dim / 8> result[strips] = {};
  row_state rows[strips][2];
  const int tiles = sequence / tile_keys;
  for (int t = 0; t < tiles; ++t) {
    {
      IKET_WAIT(rec, "wait for tile", t);
      mma::wait_all_copies();
      __syncthreads();
    }
    // All warps have left tile t - 1, so its slot can be filled again.
    if (t + 1 < tiles) {
      IKET_RANGE(rec, "load tile");
      copy_tile(slots, k, v, t + 1);
    }
    const std::uint32_t slot = slots + t % 2 * slot_bytes;
    fragment<tile_keys / 8> scores[strips];
    IKET_PUSH(rec, "Q * K");
    multiply_qk(scores, q_mine, slot);
    IKET_POP(rec);
    {
      IKET_RANGE(rec, "softmax");
#pragma unroll
      for (int i = 0; i < strips; ++i) soften(scores[i], result[i], rows[i], scale);
    }
    IKET_PUSH(rec, "P * V");
    multiply_pv(result, scores, slot + kv_bytes);
    IKET_POP(rec);
  }

  IKET_RANGE(rec, "write back");
  const int mine = warp * warp_rows;
  write_back(result, rows, attention_shared + mine * row_bytes, out + head + (first_row + mine) * head_dim);
}

}  // namespace bench::BENCH_VARIANT::attention
