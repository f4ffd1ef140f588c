// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel for Hopper (sm_90a): the copy engine fills the slots, two warpgroups multiply out of them.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <iket/iket.cuh>

#include "pipeline.cuh"
#include "tile.cuh"
#include "tma.cuh"
#include "wgmma.cuh"
#include "write_back.cuh"

namespace ws_gemm::sm90 {

constexpr int tile_m = 128, tile_n = 256, tile_k = 64;
constexpr int consumer_warpgroups = tile_m / wgmma::rows;
constexpr int threads = 128 * (1 + consumer_warpgroups);
constexpr int a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;
constexpr int swizzle_alignment_bytes = 1024;
constexpr unsigned warps_with_a_role = 0xff1;  // of the first warpgroup one lane works
inline constexpr kernel_shape shape{
    "sm_90a: TMA and wgmma", tile_m,           tile_n, tile_k, threads, a_bytes + b_bytes,
    swizzle_alignment_bytes, warps_with_a_role};

/// What both roles know about their CTA.
struct assignment {
  tile_position tile;
  int tiles_k;
  int depth;
  std::uint32_t slots;  ///< shared address of the first slot: A's tile, then B's
};

/// Runs on one lane, and so does its recorder: what is timed is the lane that waits and issues. "load tile" is the
/// issue; the copy itself is in flight until a consumer's "wait for data" of the same payload ends.
__device__ __forceinline__ void produce(const CUtensorMap& a, const CUtensorMap& b, const assignment& work,
                                        slot_barriers& barriers, const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "producer");
  IKET_RANGE_IF(rec, !trace_tiles, "load tiles");
  slot_cursor slot;
  for (int t = 0; t < work.tiles_k; ++t) {
    // The SM's clock changes its rate under this load: what all SMs note of both clocks keeps their times together.
    IKET_SYNC_IF(rec, trace_tiles && t % 4 == 0);
    {
      IKET_WAIT_IF(rec, trace_tiles, "wait for free slot", t);
      barrier_wait(&barriers.empty[slot.index], slot.parity ^ 1);
    }
    {
      IKET_RANGE_IF(rec, trace_tiles, "load tile", t);
      const std::uint32_t to = work.slots + slot.index * shape.slot_bytes;
      std::uint64_t* const full = &barriers.full[slot.index];
      tma::arrive_expecting(full, shape.slot_bytes);
      tma::load(to, a, work.tile.m * tile_m, t * tile_k, full);
      tma::load(to + a_bytes, b, work.tile.n * tile_n, t * tile_k, full);
    }
    slot.advance(work.depth);
  }
}

/// Runs on a warpgroup. "compute" spans the issue of a tile's multiplications and their end, so that its length is that
/// of the work, and the slot is released at once. The tensor cores need not idle meanwhile: two warpgroups share them,
/// and while one turns around the other's multiplications run. (Leaving a group in flight, as is usual with one
/// warpgroup, would blur "compute" over two tiles, and deadlock at depth 1.)
template <bool hangs>
__device__ __forceinline__ void consume(__half* c, int n, const assignment& work, slot_barriers& barriers,
                                        const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "consumer");
  const int warpgroup = static_cast<int>(threadIdx.x / 128) - 1;
  const int warp = static_cast<int>(threadIdx.x / 32 % 4);
  const bool releases = threadIdx.x % 32 == 0;
  const std::uint64_t first_a = wgmma::descriptor(work.slots + warpgroup * wgmma::rows * tile_k * 2);
  const std::uint64_t first_b = wgmma::descriptor(work.slots + a_bytes);

  float accumulator[wgmma::values_per_thread] = {};
  IKET_PUSH_IF(rec, !trace_tiles, "multiply tiles");
  slot_cursor slot;
  for (int t = 0; t < work.tiles_k; ++t) {
    {
      IKET_WAIT_IF(rec, trace_tiles, "wait for data", t);
      barrier_wait(&barriers.full[slot.index], slot.parity);
      __syncwarp();
    }
    IKET_PUSH_IF(rec, trace_tiles, "compute", t);
    const std::uint64_t to_slot = static_cast<std::uint64_t>(slot.index) * (shape.slot_bytes >> 4);
    wgmma::fence(accumulator);
#pragma unroll
    for (int step = 0; step < tile_k / wgmma::step_k; ++step) {
      const std::uint64_t to_step = to_slot + step * wgmma::descriptor_step;
      wgmma::multiply(accumulator, first_a + to_step, first_b + to_step);
    }
    wgmma::commit();
    wgmma::wait_all(accumulator);
    IKET_POP_IF(rec, trace_tiles);
    barrier_arrive_if(releases && is_released<hangs>(t, 4 * warpgroup + warp), &barriers.empty[slot.index]);
    slot.advance(work.depth);
  }
  IKET_POP_IF(rec, !trace_tiles);

  // The stores of "write back" are issued, not awaited: they end with the CTA.
  IKET_RANGE(rec, "write back");
  const std::size_t row = static_cast<std::size_t>(work.tile.m) * tile_m + warpgroup * wgmma::rows + warp * 16;
  write_back(accumulator, c + row * n + static_cast<std::size_t>(work.tile.n) * tile_n, n);
}

template <bool hangs>
__device__ __forceinline__ void multiply(const CUtensorMap& a, const CUtensorMap& b, __half* c, problem size, int depth,
                                         const iket::tracer& tracer) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  __shared__ slot_barriers barriers;
  constexpr std::uint32_t alignment = swizzle_alignment_bytes;
  const assignment work{tile_of(static_cast<int>(blockIdx.x), size.m / tile_m, size.n / tile_n), size.k / tile_k, depth,
                        (shared_address(dynamic_shared) + alignment - 1) / alignment * alignment};

  if (threadIdx.x == 0) {
    tma::prefetch(a);
    tma::prefetch(b);
    // A slot is filled by the one lane that announces its bytes, and released by each warp that read from it.
    barriers.init(1, 4 * consumer_warpgroups);
  }
  __syncthreads();

  // Of the first warpgroup one lane works; the other warps are there because registers move by warpgroups. They make no
  // recorder: there is nothing to see.
  if (threadIdx.x < 128) {
    wgmma::give_registers<40>();
    if (threadIdx.x < 32 && tma::elect_one()) produce(a, b, work, barriers, tracer);
  } else {
    wgmma::take_registers<208>();
    consume<hangs>(c, size.n, work, barriers, tracer);
  }
#endif
}

/// One tile of C per CTA. Needs `depth * shape.slot_bytes + shape.extra_bytes` of dynamic shared memory. Compiled for
/// anything but sm_90a it is empty, which the host sees by its having no static shared memory.
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c, problem size,
                int depth, iket::tracer tracer) {
  multiply<false>(a, b, c, size, depth, tracer);
}

}  // namespace ws_gemm::sm90
