// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What tracing a launch takes: checks what the user said, and says which CTAs and warps have how much memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <vector_types.h>

#include <iket/detail/selection_plan.hpp>
#include <iket/detail/slot_place.hpp>
#include <iket/detail/types.hpp>
#include <iket/error.hpp>
#include <iket/session_options.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Pieces of trace memory lie on so many bytes: no two of them share a line.
constexpr u64 piece_bytes = 128;

/// Launches that a tracer is for which was made under stream capture, where the options do not say.
constexpr u32 captured_regions = 8;

/// What a piece of trace memory of `bytes` bytes takes.
constexpr u64 round_up_piece(u64 bytes) { return (bytes + piece_bytes - 1) / piece_bytes * piece_bytes; }

/// One launch, as it is to be traced.
struct launch_plan {
  extent grid;
  extent block;
  extent cluster;
  u32 capacity;   ///< of a ring [records], a power of two
  u32 warps;      ///< of a CTA
  u32 warp_mask;  ///< those of them that are traced
  cta_selection selected;
  selection_plan selection;
  u32 regions = 0;       ///< launches that a replayable tracer is for; 0: it is for one, and not replayable
  bool sampled = false;  ///< fewer than were selected, for want of memory

  [[nodiscard]] u32 traced_warps() const { return count_bits(warp_mask); }
  [[nodiscard]] bool replayable() const { return regions != 0; }
  /// Slots of one launch.
  [[nodiscard]] u64 slot_count() const { return u64{selection.ctas()} * traced_warps(); }
  /// Slots of all launches that the tracer is for.
  [[nodiscard]] u64 all_slots() const { return slot_count() * (replayable() ? regions : 1); }
  /// The launch's head, and the words behind it that count a replayable tracer's launches.
  [[nodiscard]] u64 head_bytes() const { return sizeof(launch_head) + (replayable() ? 4 * slot_count() : 0); }
  /// Device memory for all of it.
  [[nodiscard]] u64 bytes() const {
    u64 variable = 0, whole = 0;
    const bool is_too_much = __builtin_mul_overflow(u64{selection.ctas()}, cta_bytes(), &variable) ||
                             __builtin_add_overflow(variable, fixed_bytes(), &whole);
    return is_too_much ? ~u64{0} : whole;
  }

  /// Leaves out CTAs (or clusters), evenly, until the rest fits into `available` bytes. False if not even one does.
  [[nodiscard]] bool shrink_to(u64 available) {
    for (u64 thinning = 1; bytes() > available;) {
      sampled = true;
      // A list takes less when it is thinner, so it counts only where there is room beside it.
      const u64 fitting = available > fixed_bytes() ? (available - fixed_bytes()) / cta_bytes() : 0;
      const u64 more = fitting == 0 ? 2 : (selection.ctas() + fitting - 1) / fitting;
      if (thinning == grid.count()) return false;
      thinning = std::min<u64>(std::max(thinning + 1, thinning * more), grid.count());
      selection = plan_selection(selected, grid, cluster, static_cast<u32>(thinning));
    }
    return true;
  }

 private:
  [[nodiscard]] u64 cta_bytes() const {
    return traced_warps() * (replayable() ? 4 + regions * slot_bytes(capacity) : slot_bytes(capacity));
  }
  [[nodiscard]] u64 fixed_bytes() const {
    // Rings are aligned to their size, which wastes less than one of them. The words behind the head and the end of the
    // session's memory waste less than a piece each.
    return round_up_piece(sizeof(launch_head)) + round_up_piece(selection.list_bytes()) + ring_stride(capacity) +
           (replayable() ? 2 * piece_bytes : 0);
  }
};

/// The capacity of a ring for `records_per_warp` records. @throws iket::error if that is 0 or too large.
[[nodiscard]] inline u32 checked_capacity(std::uint32_t records_per_warp) {
  constexpr std::uint32_t most = std::uint32_t{1} << 27;  // CUDA copies rows less than 2^31 bytes apart
  if (records_per_warp == 0 || records_per_warp > most)
    throw error("iket: records_per_warp is " + std::to_string(records_per_warp) + ", but must be from 1 to " +
                std::to_string(most));
  u32 capacity = 1;
  while (capacity < records_per_warp) capacity *= 2;
  return capacity;
}

/// @throws iket::error where `regions` is 0 or more than any memory has.
[[nodiscard]] inline u32 checked_regions(std::uint32_t regions) {
  constexpr std::uint32_t most = std::uint32_t{1} << 24;
  if (regions == 0 || regions > most)
    throw error("iket: trace_options::regions is " + std::to_string(regions) + ", but must be from 1 to " +
                std::to_string(most));
  return regions;
}

/// @throws iket::error where a dimension is 0, or the product is more than `most`.
[[nodiscard]] inline extent checked_extent(const dim3& size, u64 most, const char* what) {
  const auto fail = [&](const char* reason) {
    throw error(std::string("iket: the ") + what + " given to trace() is " + std::to_string(size.x) + "x" +
                std::to_string(size.y) + "x" + std::to_string(size.z) + ", which " + reason);
  };
  if (size.x == 0 || size.y == 0 || size.z == 0) fail("is empty");
  if (size.x > most || size.y > most / size.x || size.z > most / size.x / size.y) fail("is more than can be traced");
  return {size.x, size.y, size.z};
}

/// @throws iket::error as `session::trace` does, but for memory.
[[nodiscard]] inline launch_plan plan_launch(const dim3& grid, const dim3& block, const trace_options& options,
                                             std::uint32_t records_per_warp) {
  launch_plan plan{checked_extent(grid, (u64{1} << 31) - 1, "grid"),
                   checked_extent(block, 1024, "block"),
                   checked_extent(options.cluster, 255, "cluster"),
                   checked_capacity(options.records_per_warp.value_or(records_per_warp)),
                   0,
                   0,
                   options.ctas,
                   {}};
  plan.warps = static_cast<u32>((plan.block.count() + 31) / 32);
  plan.warp_mask = options.warps & (plan.warps == 32 ? ~0u : (1u << plan.warps) - 1);
  if (plan.warp_mask == 0)
    throw error("iket: trace_options::warps selects none of the " + std::to_string(plan.warps) + " warps of a CTA");
  plan.selection = plan_selection(options.ctas, plan.grid, plan.cluster);
  if (options.regions.has_value()) plan.regions = checked_regions(*options.regions);
  return plan;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
