// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel for sm_80 and newer: four warps copy with cp.async, eight multiply with mma.sync.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <iket/iket.cuh>

#include "mma_sm80.cuh"
#include "pipeline.cuh"
#include "tile.cuh"
#include "write_back.cuh"

namespace ws_gemm::sm80 {

constexpr int tile_m = 128, tile_n = 128, tile_k = 32;
constexpr int producer_threads = 128;
constexpr int warp_m = 64, warp_n = 32;  // a consumer warp's part of the tile
constexpr int consumer_warps = tile_m / warp_m * (tile_n / warp_n);
constexpr int threads = producer_threads + 32 * consumer_warps;
constexpr int row_bytes = tile_k * 2;
constexpr int a_bytes = tile_m * row_bytes, b_bytes = tile_n * row_bytes;
inline constexpr kernel_shape shape{
    "sm_80: cp.async and mma.sync", tile_m, tile_n, tile_k, threads, a_bytes + b_bytes, 0, ~0U};

/// Where 16-byte piece `piece` (0 to 3) of a tile's row lies in the tile. [bytes] Eight rows from a multiple of eight
/// on, at one and the same piece, touch every bank once: ldmatrix has no conflicts.
__device__ __forceinline__ int swizzled(int row, int piece) { return row * row_bytes + ((piece ^ (row / 2 % 4)) * 16); }

/// What both roles know about their CTA.
struct assignment {
  tile_position tile;
  problem size;
  int depth;
  std::uint32_t slots;  ///< shared address of the first slot: A's tile, then B's

  __device__ __forceinline__ int tiles_k() const { return size.k / tile_k; }
};

/// Starts the copy of `rows` rows of 64 bytes. Each of the producer threads takes the same piece of every 32nd row.
template <int rows>
__device__ __forceinline__ void copy_tile(std::uint32_t to, const __half* from, int stride) {
  constexpr int rows_at_once = producer_threads / 4;
  const int thread = static_cast<int>(threadIdx.x);
  const int row = thread / 4, piece = thread % 4;
  static_assert(rows_at_once % 8 == 0, "so that the swizzle of a thread's rows is the same");
  const __half* const mine = from + static_cast<std::size_t>(row) * stride + piece * 8;
  const std::uint32_t to_mine = to + swizzled(row, piece);
#pragma unroll
  for (int i = 0; i < rows / rows_at_once; ++i) {
    mma::copy_16_bytes(to_mine + i * rows_at_once * row_bytes,
                       mine + static_cast<std::size_t>(i) * rows_at_once * stride);
  }
}

/// "load tile" is the issue of a warp's copies; they are in flight until a consumer's "wait for data" of the same
/// payload ends.
__device__ __forceinline__ void produce(const __half* a, const __half* b, const assignment& work,
                                        slot_barriers& barriers, const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "producer");
  IKET_RANGE_IF(rec, !trace_tiles, "load tiles");
  const int k = work.size.k;
  const __half* const first_a = a + static_cast<std::size_t>(work.tile.m) * tile_m * k;
  const __half* const first_b = b + static_cast<std::size_t>(work.tile.n) * tile_n * k;
  slot_cursor slot;
  for (int t = 0; t < work.tiles_k(); ++t) {
    // The SM's clock changes its rate under this load: what all SMs note of both clocks keeps their times together.
    IKET_SYNC_IF(rec, trace_tiles && t % 4 == 0);
    {
      IKET_WAIT_IF(rec, trace_tiles, "wait for free slot", t);
      barrier_wait(&barriers.empty[slot.index], slot.parity ^ 1);
      __syncwarp();
    }
    {
      IKET_RANGE_IF(rec, trace_tiles, "load tile", t);
      const std::uint32_t to = work.slots + slot.index * shape.slot_bytes;
      copy_tile<tile_m>(to, first_a + t * tile_k, k);
      copy_tile<tile_n>(to + a_bytes, first_b + t * tile_k, k);
      mma::arrive_when_copied(&barriers.full[slot.index]);
    }
    slot.advance(work.depth);
  }
  mma::wait_all_copies();  // a thread should not end with copies in flight
}

/// One tile of k: 64 x 32 of C per warp. `slot` is the slot's shared address, `row` and `column` the warp's part.
__device__ __forceinline__ void multiply_tile(float (&accumulator)[warp_m / 16][warp_n / 2], std::uint32_t slot,
                                              int row, int column) {
  // ldmatrix takes rows from lanes: for A two groups of eight rows, then the same at the next piece of k; for B, whose
  // rows are columns of the product, both pieces of eight rows, then of the next eight.
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int a_row = row + lane % 16, a_piece = lane / 16;
  const int b_row = column + lane / 16 * 8 + lane % 8, b_piece = lane / 8 % 2;
#pragma unroll
  for (int piece = 0; piece < tile_k / 8; piece += 2) {
    std::uint32_t a[warp_m / 16][4], b[warp_n / 16][4];
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) {
      mma::load_matrices(a[i], slot + swizzled(a_row + 16 * i, piece + a_piece));
    }
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j) {
      mma::load_matrices(b[j], slot + a_bytes + swizzled(b_row + 16 * j, piece + b_piece));
    }
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i) {
#pragma unroll
      for (int j = 0; j < warp_n / 8; ++j) mma::multiply(&accumulator[i][4 * j], a[i], &b[j / 2][j % 2 * 2]);
    }
  }
}

/// "compute" ends with the issue of a tile's last multiplication: some tens of cycles before its end.
template <bool hangs>
__device__ __forceinline__ void consume(__half* c, const assignment& work, slot_barriers& barriers,
                                        const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "consumer");
  const int warp = static_cast<int>(threadIdx.x - producer_threads) / 32;
  const int row = warp % (tile_m / warp_m) * warp_m, column = warp / (tile_m / warp_m) * warp_n;
  const bool releases = threadIdx.x % 32 == 0;

  float accumulator[warp_m / 16][warp_n / 2] = {};
  IKET_PUSH_IF(rec, !trace_tiles, "multiply tiles");
  slot_cursor slot;
  for (int t = 0; t < work.tiles_k(); ++t) {
    {
      IKET_WAIT_IF(rec, trace_tiles, "wait for data", t);
      barrier_wait(&barriers.full[slot.index], slot.parity);
      __syncwarp();
    }
    IKET_PUSH_IF(rec, trace_tiles, "compute", t);
    multiply_tile(accumulator, work.slots + slot.index * shape.slot_bytes, row, column);
    IKET_POP_IF(rec, trace_tiles);
    __syncwarp();
    barrier_arrive_if(releases && is_released<hangs>(t, warp), &barriers.empty[slot.index]);
    slot.advance(work.depth);
  }
  IKET_POP_IF(rec, !trace_tiles);

  // The stores of "write back" are issued, not awaited: they end with the CTA.
  IKET_RANGE(rec, "write back");
  __half* const to = c + (static_cast<std::size_t>(work.tile.m) * tile_m + row) * work.size.n +
                     static_cast<std::size_t>(work.tile.n) * tile_n + column;
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i) {
    write_back(accumulator[i], to + static_cast<std::size_t>(16 * i) * work.size.n, work.size.n);
  }
}

template <bool hangs>
__device__ __forceinline__ void multiply(const __half* a, const __half* b, __half* c, problem size, int depth,
                                         const iket::tracer& tracer) {
#if __CUDA_ARCH__ >= 800
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  __shared__ slot_barriers barriers;
  const assignment work{tile_of(static_cast<int>(blockIdx.x), size.m / tile_m, size.n / tile_n), size, depth,
                        shared_address(dynamic_shared)};

  // A slot is filled by every thread that copies into it, and released by each warp that read from it.
  if (threadIdx.x == 0) barriers.init(producer_threads, consumer_warps);
  __syncthreads();

  if (threadIdx.x < producer_threads) {
    produce(a, b, work, barriers, tracer);
  } else {
    consume<hangs>(c, work, barriers, tracer);
  }
#endif
}

/// One tile of C per CTA. Needs `depth * shape.slot_bytes + shape.extra_bytes` of dynamic shared memory. Compiled for
/// anything older than sm_80 it is empty.
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel(const __half* a, const __half* b, __half* c, problem size, int depth, iket::tracer tracer) {
  multiply<false>(a, b, c, size, depth, tracer);
}

}  // namespace ws_gemm::sm80
