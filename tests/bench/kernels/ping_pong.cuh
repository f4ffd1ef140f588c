// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A multiplication for Hopper (sm_90a) in the ping-pong schedule: persistent CTAs in which two warpgroups take turns
/// at the tensor cores. While one multiplies, the other writes its tile back, so that no tile's end is seen.
///
/// What tracing it asks of a recorder that ws_gemm does not: a group of multiplications stays in flight across events,
/// events stand next to named barriers, and a warp's trace spans many tiles.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <iket/iket.cuh>

#include "../../../examples/ws_gemm/pipeline.cuh"
#include "../../../examples/ws_gemm/tile.cuh"
#include "../../../examples/ws_gemm/tma.cuh"
#include "../../../examples/ws_gemm/wgmma.cuh"
#include "../../../examples/ws_gemm/write_back.cuh"
#include "variant.hpp"
#include "wgmma_n128.cuh"

namespace bench::BENCH_VARIANT::ping_pong {

namespace wgmma = ws_gemm::wgmma;
namespace tma = ws_gemm::tma;
using wgmma_n128::halves, wgmma_n128::values_per_half, wgmma_n128::values_per_thread;

constexpr int tile_m = 128, tile_n = 128, tile_k = 64;
constexpr int consumers = 2;  // warpgroups
constexpr int threads = 128 * (1 + consumers);
// At least two: a slot is released while the multiplications of the next one run.
constexpr int depth = ws_gemm::max_depth;
constexpr int a_bytes = tile_m * tile_k * 2, b_bytes = tile_n * tile_k * 2;
constexpr int slot_bytes = a_bytes + b_bytes;
constexpr int swizzle_alignment_bytes = 1024;
inline constexpr int shared_bytes = depth * slot_bytes + swizzle_alignment_bytes;
static_assert(tile_m == halves * wgmma::rows && values_per_thread == tile_m * tile_n / 128, "a warpgroup's tile");

/// What all roles know about their CTA. Its tiles of C are every gridDim.x-th; the two consumers take them alternately.
struct assignment {
  ws_gemm::problem size;
  int tiles;            ///< of this CTA
  std::uint32_t slots;  ///< shared address of the first slot: A's tile, then B's

  __device__ __forceinline__ int tiles_k() const { return size.k / tile_k; }
  /// The number of a step along k, through all of the CTA's tiles.
  __device__ __forceinline__ int item(int tile, int t) const { return tile * tiles_k() + t; }
  __device__ __forceinline__ ws_gemm::tile_position position(int tile) const {
    return ws_gemm::tile_of(static_cast<int>(blockIdx.x + tile * gridDim.x), size.m / tile_m, size.n / tile_n);
  }
};

/// Runs on one lane, and so does its recorder. Slots follow one another through all tiles, as if they were one.
__device__ __forceinline__ void produce(const CUtensorMap& a, const CUtensorMap& b, const assignment& work,
                                        ws_gemm::slot_barriers& barriers, const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "producer");
  ws_gemm::slot_cursor slot;
  for (int tile = 0; tile < work.tiles; ++tile) {
    const ws_gemm::tile_position at = work.position(tile);
    for (int t = 0; t < work.tiles_k(); ++t) {
      {
        IKET_WAIT(rec, "wait for free slot", work.item(tile, t));
        ws_gemm::barrier_wait(&barriers.empty[slot.index], slot.parity ^ 1);
      }
      {
        IKET_RANGE(rec, "load tile", work.item(tile, t));
        const std::uint32_t to = work.slots + slot.index * slot_bytes;
        std::uint64_t* const full = &barriers.full[slot.index];
        tma::arrive_expecting(full, slot_bytes);
        tma::load(to, a, at.m * tile_m, t * tile_k, full);
        tma::load(to + a_bytes, b, at.n * tile_n, t * tile_k, full);
      }
      slot.advance(depth);
    }
  }
}

/// Each consumer has a named barrier that says it is its turn. Barrier 0 is __syncthreads.
__device__ __forceinline__ void wait_for_turn(int consumer) {
  asm volatile("bar.sync %0, %1;" ::"r"(1 + consumer), "n"(128 * consumers) : "memory");
}

/// Does not wait: the barrier is complete once the other consumer has come to it as well.
__device__ __forceinline__ void pass_turn(int consumer) {
  asm volatile("bar.arrive %0, %1;" ::"r"(1 + (consumer ^ 1)), "n"(128 * consumers) : "memory");
}

/// The cursor after so many slots more.
__device__ __forceinline__ ws_gemm::slot_cursor skip(ws_gemm::slot_cursor slot, int slots) {
  const int index = slot.index + slots;
  return {index % depth, slot.parity ^ (static_cast<std::uint32_t>(index / depth) & 1)};
}

/// A descriptor of what lies `distance` units of 16 bytes further on. The sum stays in the low half, which spares the
/// carry that the compiler would compute between any two multiplications.
__device__ __forceinline__ std::uint64_t moved(std::uint64_t descriptor, std::uint32_t distance) {
  constexpr std::uint64_t upper_half = ~std::uint64_t{0} << 32;
  return (descriptor & upper_half) | (static_cast<std::uint32_t>(descriptor) + distance);
}

/// The tile's multiplications, the last ones of which are in flight when it returns. "compute" spans the issue of a
/// slot's multiplications and the end of those of the slot before, which it releases: `lane_releases` is for one lane
/// of each warp. Returns the slot to release when the last ones have ended.
__device__ __forceinline__ int multiply_tile(float (&accumulator)[values_per_thread], int tile,
                                             ws_gemm::slot_cursor slot, const assignment& work,
                                             ws_gemm::slot_barriers& barriers, bool lane_releases,
                                             iket::recorder& rec) {
  const std::uint64_t first_a = wgmma::descriptor(work.slots);
  const std::uint64_t first_b = wgmma::descriptor(work.slots + a_bytes);
  constexpr std::uint32_t to_lower_half = wgmma::rows * tile_k * 2 >> 4;
  int in_flight = 0;
  for (int t = 0; t < work.tiles_k(); ++t) {
    {
      IKET_WAIT(rec, "wait for data", work.item(tile, t));
      ws_gemm::barrier_wait(&barriers.full[slot.index], slot.parity);
      __syncwarp();
    }
    IKET_PUSH(rec, "compute", work.item(tile, t));
    const std::uint32_t to_slot = static_cast<std::uint32_t>(slot.index) * (slot_bytes >> 4);
    wgmma::fence(accumulator);
#pragma unroll
    for (int step = 0; step < tile_k / wgmma::step_k; ++step) {
      const std::uint32_t to_step = to_slot + step * static_cast<std::uint32_t>(wgmma::descriptor_step);
      const std::uint64_t b = moved(first_b, to_step);
      wgmma_n128::multiply<0>(accumulator, moved(first_a, to_step), b);
      wgmma_n128::multiply<1>(accumulator, moved(first_a, to_step + to_lower_half), b);
    }
    wgmma::commit();
    wgmma_n128::wait_for_all_but_last(accumulator);
    IKET_POP(rec);
    ws_gemm::barrier_arrive_if(lane_releases && t > 0, &barriers.empty[in_flight]);
    in_flight = slot.index;
    slot.advance(depth);
  }
  return in_flight;
}

/// Runs on a warpgroup. Only the turns make the waits for data sound, too: a wait for a parity cannot tell the phase
/// after next from the one before, and a consumer that waited out of turn would be many phases ahead.
__device__ __forceinline__ void consume(__half* c, const assignment& work, ws_gemm::slot_barriers& barriers,
                                        const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "consumer");
  // Shuffled, so that the compiler knows it to be the same on all lanes: then slots and descriptors are computed on the
  // uniform datapath, where wgmma takes them from.
  const int consumer = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x / 128), 0) - 1;
  const int warp = static_cast<int>(threadIdx.x / 32 % 4);
  const bool lane_releases = threadIdx.x % 32 == 0;

  ws_gemm::slot_cursor slot = skip({}, consumer * work.tiles_k());
  for (int tile = consumer; tile < work.tiles; tile += consumers) {
    float accumulator[values_per_thread] = {};
    {
      IKET_WAIT(rec, "wait for turn", tile);
      if (tile > 0) wait_for_turn(consumer);
    }
    const int last = multiply_tile(accumulator, tile, slot, work, barriers, lane_releases, rec);
    // The other's multiplications queue up behind those in flight. After the last tile nobody waits.
    if (tile + 1 < work.tiles) pass_turn(consumer);
    IKET_PUSH(rec, "last multiplications", tile);
    wgmma::wait_all(accumulator);
    IKET_POP(rec);
    ws_gemm::barrier_arrive_if(lane_releases, &barriers.empty[last]);
    slot = skip(slot, consumers * work.tiles_k());

    // The stores of "write back" are issued, not awaited.
    IKET_RANGE(rec, "write back", tile);
    const ws_gemm::tile_position at = work.position(tile);
#pragma unroll
    for (int half = 0; half < halves; ++half) {
      const std::size_t row = static_cast<std::size_t>(at.m) * tile_m + half * wgmma::rows + warp * 16;
      float values[values_per_half];
#pragma unroll
      for (int i = 0; i < values_per_half; ++i) values[i] = accumulator[half * values_per_half + i];
      ws_gemm::write_back(values, c + row * work.size.n + static_cast<std::size_t>(at.n) * tile_n, work.size.n);
    }
  }
}

/// Any grid is right; one CTA per SM is meant. Sizes are multiples of the tile. Needs `shared_bytes` of dynamic shared
/// memory. Compiled for anything but sm_90a it is empty.
__global__ void __launch_bounds__(threads, 1)
    gemm_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c,
                ws_gemm::problem size, iket::tracer tracer) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(128) unsigned char dynamic_shared[];
  __shared__ ws_gemm::slot_barriers barriers;
  constexpr std::uint32_t alignment = swizzle_alignment_bytes;
  const int all_tiles = size.m / tile_m * (size.n / tile_n);
  const int tiles =
      (all_tiles - static_cast<int>(blockIdx.x) + static_cast<int>(gridDim.x) - 1) / static_cast<int>(gridDim.x);
  const assignment work{size, tiles, (ws_gemm::shared_address(dynamic_shared) + alignment - 1) / alignment * alignment};

  if (threadIdx.x == 0) {
    tma::prefetch(a);
    tma::prefetch(b);
    // A slot is filled by the one lane that announces its bytes, and released by each warp of one consumer.
    barriers.init(1, 4);
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    wgmma::give_registers<40>();
    if (threadIdx.x < 32 && tma::elect_one()) produce(a, b, work, barriers, tracer);
  } else {
    wgmma::take_registers<232>();
    consume(c, work, barriers, tracer);
  }
#endif
}

}  // namespace bench::BENCH_VARIANT::ping_pong
