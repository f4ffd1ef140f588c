// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which ranges of a CTA are about the same item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "statistics/sorted_runs.hpp"
#include "statistics/unit.hpp"

namespace iket::analysis {

/// A range that carries a payload, and so an item: that of the same payload, the same time round.
struct item_range {
  std::uint64_t value = 0;  ///< of the payload
  std::uint8_t type = 0;    ///< what `value` is: integers of all types are compared by value, others within their type
  index stage = none;
  std::uint32_t warp = 0;   ///< in the unit
  index range = none;       ///< of the warp
  std::uint32_t round = 0;  ///< which of the warp's ranges of this stage and payload it is

  [[nodiscard]] bool is_of_same_item(const item_range& other) const {
    return value == other.value && type == other.type && round == other.round;
  }
};

/// Finds the items of CTAs, one after another; its memory is used again.
class item_finder {
 public:
  /// The ranges with a payload of the CTA that is at `cta` in `unit`, by item; those of an item by stage, then by warp.
  /// O(n log n) in the CTA's ranges. Valid until the next call.
  ///
  /// Rounds tell the ranges of a warp apart that have stage and payload in common, as where an outer loop runs an inner
  /// one several times: the first round of a warp belongs to the first round of the others. They are counted from the
  /// end where some warp of the CTA lost its oldest records, as then only the last rounds are in all of them.
  [[nodiscard]] std::span<const item_range> find(const unit_warps& unit, std::uint32_t cta);

 private:
  void number_rounds(bool from_end);

  sorted_runs<item_range> items_;
};

/// Calls `visit(item)` with the ranges of each item, as `item_finder` gives them.
template <class Visit>
void for_each_item(std::span<const item_range> all, Visit&& visit) {
  for (std::size_t first = 0, i = 1; i <= all.size(); ++i) {
    if (i != all.size() && all[i].is_of_same_item(all[first])) continue;
    visit(all.subspan(first, i - first));
    first = i;
  }
}

}  // namespace iket::analysis
