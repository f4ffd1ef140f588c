// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A warp finds its slot.
#pragma once

#include <iket/detail/device_store.cuh>
#include <iket/detail/slot_place.hpp>
#include <iket/detail/types.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

#if defined(__CUDA_ARCH__)

/// What a warp is to a tracer.
struct warp_place {
  bool selected;  ///< the warp has a slot
  u32 slot;       ///< its number
  u32 warp;       ///< warp in CTA
};

/// Notes that a recorder was made in a launch for which the tracer was not. All of a launch write the same, so that
/// they need no order among them.
__device__ __forceinline__ void refuse(const tracer& of) {
  // Read here, and not taken from what was compared: that would keep all of it in registers on the way to the branch.
  u32 grid[3], block[3];
  asm volatile("mov.u32 %0, %%nctaid.x;\n\tmov.u32 %1, %%nctaid.y;\n\tmov.u32 %2, %%nctaid.z;"
               : "=r"(grid[0]), "=r"(grid[1]), "=r"(grid[2]));
  asm volatile("mov.u32 %0, %%ntid.x;\n\tmov.u32 %1, %%ntid.y;\n\tmov.u32 %2, %%ntid.z;"
               : "=r"(block[0]), "=r"(block[1]), "=r"(block[2]));
  add_and_forget(of.head + head_refused, 1);
  store_words(of.head, grid[0], grid[1], grid[2], 0);
  store_words(of.head + head_block, block[0], block[1], block[2], 0);
}

/// Slots of a CTA's warps lie side by side, in the order of the warps.
__device__ __forceinline__ u32 slot_of(const tracer& of, u32 rank, u32 warp) {
  return rank * of.warps_per_cta + count_bits(of.warp_mask & ((1u << warp) - 1));
}

__device__ __forceinline__ bool has_slot(const tracer& of, u32 warp) { return (of.warp_mask >> warp & 1) != 0; }

/// The rank that a CTA has in the next region that its warp has not used, or `not_selected` where all are used. One
/// atomic addition, which no other warp makes on that word. Called by the leader.
__device__ __forceinline__ u32 take_region(const tracer& of, u32 rank, u32 warp) {
  const u32 region = add(launch_count_of(of.head, slot_of(of, rank, warp)), 1);
  if (region >= of.regions) return not_selected;
  rank += region * of.region_ctas;
  const u64 header = of.first_header + sizeof(warp_header) * u64{slot_of(of, rank, warp)};
  const u64 grid = read_grid_id();
  store_word_if(1, header + header_grid_id, static_cast<u32>(grid));
  store_word_if(1, header + header_grid_id + 4, static_cast<u32>(grid >> 32));
  return rank;
}

/// The rank of a CTA where there is a list or several regions, or where the launch is not the one that the tracer was
/// made for.
__device__ __forceinline__ u32 find_odd_cta(const tracer& of, u32 cta, u32 warp, bool differs, bool leader) {
  if (of.first_ring == 0) return not_selected;
  if (differs) {
    if (leader) refuse(of);
    return not_selected;
  }
  u32 rank = rank_strided(of, cta);
  if ((of.odd & odd_listed) != 0)
    rank = rank_listed(of, cta, [&](u32 entry) {
      listed_ctas read;
      asm("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(read.bits), "=r"(read.before) : "l"(of.list + u64{8} * entry));
      return read;
    });
  if ((of.odd & odd_replayable) == 0) return rank;
  return leader && rank < of.region_ctas && has_slot(of, warp) ? take_region(of, rank, warp) : not_selected;
}

/// Finds the warp's slot, which on a replayable tracer takes it. Called by all lanes that make a recorder, `leader`
/// being one of them. Straight code but for one branch, which is the same for the whole launch, around all that is not
/// the common case; an inert tracer is none.
__device__ __forceinline__ warp_place find_warp(const tracer& of, bool leader) {
  const u32 warp = warp_in_cta();
  const u32 linear = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  // One chain of bit operations: comparisons with && between them would be branches.
  const u32 difference = (gridDim.x ^ of.grid[0]) | (gridDim.y ^ of.grid[1]) | (gridDim.z ^ of.grid[2]) |
                         (blockDim.x ^ of.block[0]) | (blockDim.y ^ of.block[1]) | (blockDim.z ^ of.block[2]);
  u32 cta = rank_strided(of, linear);
  if ((difference | of.odd) != 0) cta = find_odd_cta(of, linear, warp, difference != 0, leader);
  return {has_slot(of, warp) && cta < of.ctas, slot_of(of, cta, warp), warp};
}

#endif  // __CUDA_ARCH__

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
