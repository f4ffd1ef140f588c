// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Inclusive prefix sum of 32-bit integers, modulo 2^32, in a single pass with decoupled look-back: CTAs take tiles in
/// order, publish each tile's own sum as soon as they have it, and get what lies before the tile from what the CTAs
/// before have published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iket/iket.cuh>

#include "variant.hpp"

namespace bench::BENCH_VARIANT::scan {

inline constexpr int threads = 256, warps = threads / 32;
inline constexpr int ctas_per_sm = 4;
inline constexpr int vectors = 4;  // of four items, per thread
inline constexpr int warp_vectors = 32 * vectors;
inline constexpr int tile_items = 4 * warp_vectors * warps;

/// What is published of a tile, in one word so that it is seen whole: the low half is a sum, the high half says of
/// what. Launches are numbered from 1, so that words of earlier launches, and zeros, say nothing.
struct tile_status {
  std::uint64_t word;

  __device__ __forceinline__ static tile_status of(unsigned launch, bool complete, unsigned sum) {
    return {std::uint64_t{launch * 2 + (complete ? 1 : 0)} << 32 | sum};
  }
  /// The sum is of all tiles up to this one, not of this one alone.
  __device__ __forceinline__ bool is_complete(unsigned launch) const { return word >> 32 == launch * 2 + 1; }
  __device__ __forceinline__ bool is_missing(unsigned launch) const { return word >> 33 != launch; }
  __device__ __forceinline__ unsigned sum() const { return static_cast<unsigned>(word); }
};

__device__ __forceinline__ void publish(tile_status* to, tile_status status) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(status.word) : "memory");
}

__device__ __forceinline__ tile_status read_published(const tile_status* from) {
  tile_status status;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
               : "=l"(status.word)
               : "l"(__cvta_generic_to_global(from))
               : "memory");
  return status;
}

/// The sum of all tiles before `tile`. A warp calls it: it looks at 32 tiles at once, the nearest ones first, until one
/// of them is complete. Words that never come end in a trap after some seconds, not in a GPU that hangs.
__device__ __forceinline__ unsigned look_back(const tile_status* statuses, int tile, unsigned launch) {
  constexpr unsigned all_lanes = 0xffffffff;
  constexpr int most_tries = 1 << 24;
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned sum = 0;
  for (int nearest = tile - 1;; nearest -= 32) {
    const int at = nearest - lane;
    tile_status status = tile_status::of(launch, true, 0);  // of what lies before the first tile
    unsigned complete = 0, missing = 0, needed = 0;
    int tries = 0;
    do {
      if (at >= 0) status = read_published(statuses + at);
      complete = __ballot_sync(all_lanes, status.is_complete(launch));
      missing = __ballot_sync(all_lanes, status.is_missing(launch));
      needed = complete ^ (complete - 1);  // up to the nearest complete tile; all if there is none
      if (++tries == most_tries) __trap();
    } while ((missing & needed) != 0);
    sum += __reduce_add_sync(all_lanes, (needed >> lane & 1) != 0 ? status.sum() : 0);
    if (complete != 0) return sum;
  }
}

/// The sum over lower lanes and this one.
__device__ __forceinline__ unsigned inclusive_warp_sum(unsigned value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned below = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += below;
  }
  return value;
}

/// Persistent: CTAs draw tiles until there are none. `next_tile` stands at `first_ticket` before the launch and goes up
/// by tiles + gridDim.x, as each CTA draws once in vain. `launch` differs from that of all earlier launches.
__global__ void __launch_bounds__(threads, ctas_per_sm)
    scan_kernel(const uint4* __restrict__ in, uint4* __restrict__ out, int tiles, tile_status* statuses,
                unsigned* next_tile, unsigned first_ticket, unsigned launch, iket::tracer tracer) {
  __shared__ unsigned drawn_tile, sum_before_tile, warp_sums[warps];
  iket::recorder rec(tracer);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp == 0) {
    IKET_ROLE(rec, "scan and look back");
  } else {
    IKET_ROLE(rec, "scan");
  }

  while (true) {
    {
      IKET_WAIT(rec, "draw tile");
      if (threadIdx.x == 0) drawn_tile = atomicAdd(next_tile, 1U) - first_ticket;
      __syncthreads();
    }
    const int tile = static_cast<int>(drawn_tile);
    if (tile >= tiles) break;

    // Each vector of a warp follows the one before it in memory, over all lanes.
    const std::size_t first = (static_cast<std::size_t>(tile) * warps + warp) * warp_vectors + lane;
    uint4 items[vectors];
    {
      IKET_RANGE(rec, "load", tile);
#pragma unroll
      for (int i = 0; i < vectors; ++i) items[i] = __ldcs(in + first + 32 * i);
#pragma unroll
      for (uint4& item : items) {
        item.y += item.x;
        item.z += item.y;
        item.w += item.z;
      }
    }

    unsigned before[vectors];  // sums of what lies before each vector, first in the warp's part, then in the tile
    unsigned tile_sum = 0;
    {
      IKET_RANGE(rec, "block scan");
      unsigned warp_sum = 0;
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        const unsigned inclusive = inclusive_warp_sum(items[i].w);
        before[i] = warp_sum + inclusive - items[i].w;
        warp_sum += __shfl_sync(0xffffffff, inclusive, 31);
      }
      if (lane == 0) warp_sums[warp] = warp_sum;
      __syncthreads();
      unsigned before_warp = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        if (w == warp) before_warp = tile_sum;
        tile_sum += warp_sums[w];
      }
#pragma unroll
      for (unsigned& sum : before) sum += before_warp;
    }

    if (warp == 0) {
      IKET_WAIT(rec, "look back", tile);
      if (lane == 0) publish(statuses + tile, tile_status::of(launch, tile == 0, tile_sum));
      const unsigned sum = look_back(statuses, tile, launch);
      if (lane == 0) {
        publish(statuses + tile, tile_status::of(launch, true, sum + tile_sum));
        sum_before_tile = sum;
      }
    }
    {
      IKET_WAIT(rec, "wait for look back");
      __syncthreads();
    }
    {
      IKET_RANGE(rec, "write");
#pragma unroll
      for (int i = 0; i < vectors; ++i) {
        const unsigned sum = sum_before_tile + before[i];
        __stcs(out + first + 32 * i,
               make_uint4(sum + items[i].x, sum + items[i].y, sum + items[i].z, sum + items[i].w));
      }
    }
  }
}

}  // namespace bench::BENCH_VARIANT::scan
