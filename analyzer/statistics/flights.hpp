// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Work that goes on after the range that issued it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "statistics/items.hpp"

namespace iket::analysis {

/// From the end of a work range until a warp's wait for the same item ended.
struct flight {
  picoseconds begin = 0;      ///< end of the work range
  picoseconds end = 0;        ///< end of the wait; later than `begin`
  index stage = none;         ///< of the work
  std::uint32_t warp = 0;     ///< of the work, in the unit
  index range = none;         ///< the work
  std::uint32_t seen_by = 0;  ///< the waiting warp, in the unit
  index seen_in = none;       ///< the wait
  std::uint32_t item = 0;     ///< the same for flights of one stage and item of one CTA
};

/// A wait, and flights of its own item that it waited for: those of one stage.
struct item_wait {
  std::uint32_t warp = 0;  ///< in the unit
  index range = none;      ///< the wait
  std::size_t first = 0;   ///< place of the first among the unit's flights
  std::size_t last = 0;    ///< behind the last
};

/// Finds what is in flight in CTAs, one after another; its memory is used again.
class flight_finder {
 public:
  /// Appends the flights of a CTA whose items `item_finder` has found. By item, then stage, then warp.
  /// O(n log n) in the items' ranges.
  ///
  /// A whole work range is in flight until the first end, later than its own, of a whole wait range of the same item on
  /// another warp of the CTA; without one it never is. A wait does not count where the waiting warp itself begins this
  /// work on the item after it: it waits for what comes before the work.
  ///
  /// To `waits`, in no particular order, it appends the whole waits that last longer than `shortest_wait` [ps] for an
  /// item that is in flight, also where another warp saw the flights end; none of an item of which more than
  /// `limits::flying_stages_of_item` stages are in flight.
  void find(const unit_warps& unit, std::span<const item_range> items, const activity_table& activities,
            picoseconds shortest_wait, std::vector<flight>& to, std::vector<item_wait>& waits);

 private:
  struct wait_end {
    picoseconds end = 0;
    const item_range* wait = nullptr;
  };

  void find_of_item(const unit_warps& unit, std::span<const item_range> item, const activity_table& activities,
                    picoseconds shortest_wait, std::vector<flight>& to, std::vector<item_wait>& waits);
  void find_of_stage(const unit_warps& unit, std::span<const item_range> work, std::vector<flight>& to);

  std::vector<wait_end> waits_;     // of the item, by end
  std::vector<wait_end> eligible_;  // of those, for one stage
  std::uint32_t items_ = 0;
};

/// The largest number of items of one stage in flight at once, of a CTA's flights; only the part within
/// [from, until) counts. O(n log n).
class depth_counter {
 public:
  /// Calls `visit(stage, depth)` for every stage with a flight in the window.
  template <class Visit>
  void operator()(std::span<const flight> of, picoseconds from, picoseconds until, Visit&& visit) {
    collect(of, from, until);
    for (std::size_t first = 0, i = 1; i <= spans_.size(); ++i) {
      if (i != spans_.size() && spans_[i].stage == spans_[first].stage) continue;
      visit(spans_[first].stage, deepest(first, i));
      first = i;
    }
  }

 private:
  struct item_span {
    index stage = none;
    std::uint32_t item = 0;
    picoseconds begin = 0;
    picoseconds end = 0;
  };

  void collect(std::span<const flight> of, picoseconds from, picoseconds until);
  [[nodiscard]] std::uint64_t deepest(std::size_t first, std::size_t last);

  std::vector<item_span> spans_;  // disjoint for each item; by stage
  std::vector<picoseconds> begins_, ends_;
};

}  // namespace iket::analysis
