// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How well a clock pair tells the time: the timer's jitter, the way between the two reads, and SMs' constants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock_pairs.hpp"
#include "rate_windows.hpp"
#include "timer_tick.hpp"

namespace iket::analysis {

/// What is charged where the pairs tell nothing better. Measured on an H200: the timer is read 4 to 19 cycles behind
/// the clock, and steps at most 20 ns before or behind its place in an even spacing.
[[nodiscard]] timer_reading default_reading(const timer_step& step, double ns_per_cycle);

/// What to add to the times of an SM's pairs so that they lie on its domain's clock.
struct sm_constant {
  double offset_ns = 0;
  double doubt_ns = 5;     ///< measured on an H200: SMs of a GPC differ by 5 ns at most
  bool is_judged = false;  ///< pairs of it are among those that `reading_errors::reading` comes from
};

/// Looks at how the pairs scatter around the lines of their windows, where the clock ran straight.
class reading_errors {
 public:
  reading_errors(const timer_reading& without, double ns_per_cycle) : default_(without), rate_(ns_per_cycle) {}

  /// Takes a domain's points, by cycles, and their windows. Returns the constant of each of `sms`, which are sorted:
  /// the mean of its pairs, where those tell it to 4 ns, else 0. Linear, times log SMs.
  std::vector<sm_constant> add(std::span<const clock_point> points, std::span<const rate_window> windows,
                               std::span<const std::uint32_t> sms);

  /// What to charge for a pair, once its SM's constant is taken off. The largest errors of the pairs that lie on
  /// straight lines, if those are half of all, and 3000 at least, their places within a tick are evenly spread, and
  /// they are smaller than the default; else the default, which does not hold the doubt of the constants.
  [[nodiscard]] timer_reading reading() const;

  /// True where `reading` comes from the pairs, and holds the doubt of the SMs' constants.
  [[nodiscard]] bool is_measured() const;

 private:
  [[nodiscard]] timer_reading measured() const;
  [[nodiscard]] bool is_straight(std::span<const clock_point> points, const rate_window& window) const;

  timer_reading default_;
  double rate_;
  std::size_t points_ = 0;
  std::size_t straight_ = 0;  // of windows where the clock ran straight
  std::size_t used_ = 0;      // of those, in their middle halves
  double earliest_ns_ = 0;    // of the errors
  double latest_ns_ = 0;
  double squares_ = 0;
};

}  // namespace iket::analysis
