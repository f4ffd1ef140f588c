// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the warps of each role did with their time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// The time that the warps of a role spent in one wait stage, innermost.
struct role_wait {
  std::string stage;
  picosecond_sum time = 0;
};

/// One role in one launch group; times are sums over its warps. They add up exactly:
/// `lifetime() == work + wait + untracked + lost`.
///
/// A moment is wait if the innermost stack range is a wait, else work if any stack range or work token is open, else
/// untracked; ranges that never ended count until their warp's end. Time outside of the observed window is lost.
struct role_statistics {
  std::string name;  ///< "-" for warps without a role
  std::uint64_t warps = 0;
  picosecond_sum work = 0;
  picosecond_sum wait = 0;
  picosecond_sum untracked = 0;
  picosecond_sum lost = 0;
  std::vector<role_wait> waits;  ///< parts of `wait`, the longest first

  /// From opening to close.
  [[nodiscard]] picosecond_sum lifetime() const { return work + wait + untracked + lost; }
  [[nodiscard]] picosecond_sum observed() const { return work + wait + untracked; }
};

/// The roles of a group, by the time that their warps wait together, the longest first.
[[nodiscard]] std::vector<role_statistics> role_statistics_of(const timeline& source, const launch_group& group);

/// The times of a single warp, without its role's name and its `waits`. Linear in its ranges.
[[nodiscard]] role_statistics role_times_of(const timeline& source, const warp_timeline& warp);

}  // namespace iket::analysis
