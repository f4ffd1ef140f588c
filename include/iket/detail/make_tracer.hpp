// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From a plan to the tracer that carries it out, and to what the file says of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/exact_stride.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/slot_place.hpp>
#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>
#include <iket/tracer.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

inline void set_extent(u32 (&to)[3], const extent& from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
}

/// What the file says of a launch that is traced by `plan`.
inline void describe(const launch_plan& plan, file::launch_info& info) {
  set_extent(info.grid, plan.grid);
  set_extent(info.block, plan.block);
  set_extent(info.cluster, plan.cluster);
  info.cta_stride = plan.selection.stride;
  info.warps_per_cta = plan.warps;
  info.warp_mask = plan.warp_mask;
  info.records_per_warp = plan.capacity;
  info.regions = plan.regions;
}

/// Takes the memory of a plan, which fits, and makes the tracer; for a replayable one, lasting memory. A list is copied
/// there, which needs the context current.
/// @throws iket::error if it cannot be; its memory stays taken then, as if it had been.
inline tracer make_tracer(const launch_plan& plan, device_memory& memory) {
  const selection_plan& selection = plan.selection;
  tracer made;
  const auto take = [&](u64 bytes, u64 alignment) {
    return plan.replayable() ? memory.take_lasting(bytes, alignment) : memory.take(bytes, alignment);
  };
  made.head = take(plan.head_bytes(), piece_bytes);
  if (!selection.listed.empty()) {
    const std::vector<listed_ctas> entries = selection.list_entries();
    made.list = take(selection.list_bytes(), piece_bytes);
    made.odd |= odd_listed;
    made.list_span = selection.span;
    memory.write(made.list, entries.data(), selection.list_bytes());
  }
  const u64 stride = ring_stride(plan.capacity);
  made.first_ring = take(plan.all_slots() * stride, std::max<u64>(stride, piece_bytes));
  made.first_header = take(plan.all_slots() * sizeof(warp_header), piece_bytes);
  while ((sizeof(warp_header) << made.header_shift) < stride) ++made.header_shift;
  made.header_origin = made.first_header - (made.first_ring >> made.header_shift);
  set_extent(made.grid, plan.grid);
  set_extent(made.block, plan.block);
  made.first_cta = selection.first_cta;
  made.stride = make_stride(selection.stride);
  made.region_ctas = selection.ctas();
  made.regions = plan.replayable() ? plan.regions : 1;
  made.ctas = made.region_ctas * made.regions;
  if (plan.replayable()) made.odd |= odd_replayable;
  made.warp_mask = plan.warp_mask;
  made.warps_per_cta = plan.traced_warps();
  made.ring_mask = 8 * plan.capacity - 1;
  made.ring_stride = static_cast<u32>(stride);
  return made;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
