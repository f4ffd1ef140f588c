// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the launches of one tracer left in device memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/replays.hpp>
#include <iket/detail/slot_reader.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/trace_file.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// What the recorders of the launches told besides their rings. Of faults and refused recorders nobody knows in which
/// launch of a replayable tracer they were: they are noted with the first.
inline void take_head(const launch_head& head, std::vector<launch_content>& launches) {
  for (launch_content& launch : launches)
    if (head.checked != 0) launch.info.flags |= file::launch_checked;
  if (launches.empty()) return;
  launch_content& first = launches.front();
  first.info.recorders_refused = head.refused;
  std::copy_n(head.grid, 3, first.info.refused_grid);
  std::copy_n(head.block, 3, first.info.refused_block);
  for (const fault_entry& entry : head.faults) {
    if (entry.key == 0) continue;
    file::fault_info fault{};
    fault.site = entry.key & ~u64{15};
    fault.kind = static_cast<file::fault_kind>(entry.key & 15);
    fault.count = entry.count;
    std::copy_n(entry.cta, 3, fault.cta);
    fault.warp = entry.warp;
    first.faults.push_back(fault);
  }
  first.fault_head.dropped = head.dropped;
}

/// What the warps of a replayable tracer counted.
struct replay_count {
  u32 launches = 0;        ///< the most of any warp
  u64 warps_unplaced = 0;  ///< openings for which no region was left, of all warps
};

inline replay_count count_replays(device_memory& memory, const pending_launch& pending) {
  replay_count counted;
  memory.read_rows(launch_count_of(pending.tracer.head, 0), sizeof(u32), sizeof(u32), pending.slot_count(),
                   [&](std::size_t, const void* data) {
                     u32 count = 0;
                     std::memcpy(&count, data, sizeof(count));
                     counted.launches = std::max(counted.launches, count);
                     counted.warps_unplaced += count - std::min(count, pending.tracer.regions);
                   });
  return counted;
}

/// Whether what kernels counted can be relied on.
enum class counts {
  known,
  doubtful,  ///< a kernel failed, and its atomic additions may not have come to the host's memory
};

/// The launches of a replayable tracer, in the order in which they began, without their rings. One without warps where
/// none was and `tells`.
inline std::vector<launch_content> find_replays(device_memory& memory, pending_launch& pending, slot_reader& reader,
                                                bool tells, counts trust) {
  const replay_count counted = count_replays(memory, pending);
  pending.used_regions =
      trust == counts::doubtful ? pending.tracer.regions : std::min(counted.launches, pending.tracer.regions);
  replay_catalog catalog(pending.slot_count());
  reader.read_headers(pending.slot_count() * pending.used_regions,
                      [&](std::size_t slot, const device_header& header) { return catalog.launch_of(slot, header); });
  reader.renumber(catalog.places());
  std::vector<launch_content> launches(catalog.launches() == 0 && tells ? 1 : catalog.launches(), pending.content);
  const auto found = static_cast<u32>(launches.size());
  for (u32 i = 0; i < found; ++i) {
    launches[i].info.replay = i + 1;
    if (catalog.is_doubtful()) launches[i].info.flags |= file::launch_replays_mixed;
  }
  if (!launches.empty()) {
    launches.back().info.replays_missed = counted.launches - std::min(counted.launches, found);
    launches.back().info.warps_unplaced = counted.warps_unplaced;
  }
  return launches;
}

/// What the launches of `pending.tracer` left in `memory`, or have left there so far. One for a tracer that is not
/// replayable. Changes nothing but `pending.used_regions`.
[[nodiscard]] inline std::vector<launch_content> drain_launches(device_memory& memory, pending_launch& pending,
                                                                counts trust = counts::known) {
  std::vector<launch_content> launches;
  if (pending.tracer.first_ring == 0) {
    launches.push_back(pending.content);
    return launches;
  }
  launch_head head{};
  memory.read_rows(pending.tracer.head, sizeof(head), sizeof(head), 1,
                   [&](std::size_t, const void* data) { std::memcpy(&head, data, sizeof(head)); });
  slot_reader reader(memory, pending);
  if (pending.replayable()) {
    // A tracer that was never launched shows once; what its recorders had to tell, always.
    const bool tells = pending.drains == 0 || head.refused != 0 || head.checked != 0;
    launches = find_replays(memory, pending, reader, tells, trust);
  } else {
    launches.push_back(pending.content);
    reader.read_headers(pending.slot_count(), [](std::size_t, const device_header&) { return std::size_t{0}; });
  }
  reader.read_rings(launches);
  take_head(head, launches);
  return launches;
}

/// Adds launches and their sites, as table number `table`, to what was drained before. All or nothing, as host memory
/// may run out.
inline void add_drained(trace_content& drained, u32 table, std::vector<launch_content> launches,
                        std::vector<site_content> sites) {
  static_assert(std::is_nothrow_move_constructible_v<launch_content>, "else an insertion could stop half-way");
  for (launch_content& launch : launches) launch.info.sites = table;
  const std::size_t needed = drained.launches.size() + launches.size();
  if (needed > drained.launches.capacity()) drained.launches.reserve(std::max(needed, 2 * drained.launches.capacity()));
  drained.site_tables.push_back({table, std::move(sites)});
  drained.launches.insert(drained.launches.end(), std::make_move_iterator(launches.begin()),
                          std::make_move_iterator(launches.end()));
}

/// Makes a replayable tracer as new, behind `drain_launches`.
inline void reset_replays(device_memory& memory, pending_launch& pending) {
  const iket::tracer& tracer = pending.tracer;
  if (tracer.first_ring == 0) return;
  const std::size_t used_slots = pending.slot_count() * pending.used_regions;
  memory.zero(tracer.first_ring, used_slots * tracer.ring_stride);
  memory.zero(tracer.first_header, used_slots * sizeof(device_header));
  // Last: with its count at zero, a launch takes the first region.
  memory.zero(tracer.head, sizeof(launch_head) + sizeof(u32) * pending.slot_count());
  pending.is_taken = false;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
