// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When stages, and work in flight, run at the same time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "picosecond_sum.hpp"
#include "statistics/switches.hpp"

namespace iket::analysis {

/// Two activities that ran at the same time somewhere in a scope. Times are sums over the scope's units.
struct overlap_statistics {
  std::string a;  ///< a stage, or "<stage> (in flight)"
  std::string b;
  analysis::scope scope = scope::cta;
  picosecond_sum overlap = 0;  ///< in which both were going on, by whichever warps; more than 0
  picosecond_sum a_time = 0;   ///< in which a was going on, by any warp
  picosecond_sum b_time = 0;
};

/// Sums up how long activities overlap, over units.
class overlap_sums {
 public:
  explicit overlap_sums(const activity_table& activities);

  /// A unit's switches, by time. O(n a) with a activities going on at once.
  void add(std::span<const activity_switch> switches);

  /// The sums of units that another one has added.
  void add(const overlap_sums& other);

  /// Those that overlap, the longest overlap first.
  [[nodiscard]] std::vector<overlap_statistics> take(scope of) const;

 private:
  struct running {
    index activity = none;
    picoseconds since = 0;
  };

  void enter(index activity, picoseconds time);
  void leave(index activity, picoseconds time);
  [[nodiscard]] picosecond_sum& pair(index a, index b);

  activity_table activities_;
  std::vector<std::uint32_t> count_;                // of warps and items, by activity
  std::vector<running> running_;                    // those that are not 0
  std::vector<picosecond_sum> times_;               // by activity
  std::vector<std::vector<picosecond_sum>> pairs_;  // by the larger activity, then the smaller one; as far as needed
};

}  // namespace iket::analysis
