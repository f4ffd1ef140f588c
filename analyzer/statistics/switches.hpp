// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the warps of a unit do, as one list of changes.
#pragma once

#include <cstdint>
#include <span>

#include "statistics/flights.hpp"
#include "statistics/self_intervals.hpp"
#include "statistics/sorted_runs.hpp"

namespace iket::analysis {

/// At `time`, `warp` leaves one activity and enters another; `none` for no activity. A warp can be in one stage of its
/// stack at a time, and in any number of tokens, and have any number of items in flight.
struct activity_switch {
  picoseconds time = 0;
  index leaves = none;
  index enters = none;
  std::uint32_t warp = 0;  ///< in the unit; of a flight, that of the work
};

/// Lists the switches of units, one after another; its memory is used again.
class switch_list {
 public:
  /// Those of the stack ranges' self intervals, the tokens and the flights, each within its CTA's window; by time, and
  /// an activity's begin before its end. O(n log w) in the ranges and the runs in which they come, but for tokens and
  /// flights, which are sorted. Valid until the next call.
  [[nodiscard]] std::span<const activity_switch> of(const unit_warps& unit, std::span<const flight> flights,
                                                    const activity_table& activities);

 private:
  void add_stack(const unit_warps& unit, std::uint32_t number);
  void add_tokens(const unit_warps& unit, std::uint32_t number);
  void add_flights(const unit_warps& unit, std::span<const flight> flights, const activity_table& activities);
  void add_interval(const unit_warps& unit, std::uint32_t number, picoseconds begin, picoseconds end, index activity);

  self_interval_walk walk_;
  sorted_runs<activity_switch> switches_;
};

}  // namespace iket::analysis
