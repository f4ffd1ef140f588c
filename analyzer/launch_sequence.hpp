// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How launches follow each other on their device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// How the launches of a group follow those that began before them on the same device, of whatever kernel: each of them
/// overlaps those, or leaves a gap behind the last of their ends. Launches without traced warps do not count.
struct launch_sequence {
  std::uint64_t followers = 0;    ///< launches with one before them
  std::uint64_t overlapping = 0;  ///< of those, the ones that began before all before them had ended
  picosecond_sum overlap = 0;     ///< time that those ran beside one before them
  picosecond_sum gap = 0;         ///< from the last end before to the begin, of the others

  [[nodiscard]] std::optional<double> mean_overlap_ps() const;
  [[nodiscard]] std::optional<double> mean_gap_ps() const;
};

/// The launches of a timeline in the order of time, each device by itself.
class launch_order {
 public:
  /// Refers to `source`. O(n log n) in the launches.
  explicit launch_order(const timeline& source);

  /// `group` has some launches of `source`. Linear in them.
  [[nodiscard]] launch_sequence sequence_of(const launch_group& group) const;

 private:
  const timeline& source_;
  /// By launch: the last end of those that began before it; none where there are none.
  std::vector<std::optional<picoseconds>> last_ends_;
};

}  // namespace iket::analysis
