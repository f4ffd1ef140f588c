// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The rate of a counter from place to place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {

/// Rates of a counter [ns per cycle].
struct rate_range {
  double least = 0;
  double most = 0;

  /// The smallest range that holds both.
  [[nodiscard]] rate_range with(const rate_range& other) const noexcept;
  /// What both hold; the smallest range that holds both, where that is nothing.
  [[nodiscard]] rate_range common(const rate_range& other) const noexcept;
  /// Wider by this part of the rate.
  [[nodiscard]] rate_range widened(double part) const noexcept { return {least * (1 - part), most * (1 + part)}; }
};

/// A stretch of one busy time whose pairs tell the counter's mean rate.
struct rate_window {
  std::size_t first = 0;  ///< points [first, last], the last is also the next one's first
  std::size_t last = 0;
  double ns_per_cycle = 0;  ///< least squares; 0: the points tell none
  double error = 0;         ///< of it, relative: four standard deviations
  double middle_cycles = 0;
  double middle_ns = 0;
  double scatter = 0;  ///< sum of squares of the points' cycles around the middle
  rate_range inside;   ///< the mean rate with its error, and those of parts whose own clearly differs from it

  [[nodiscard]] std::size_t points() const noexcept { return last - first + 1; }
  /// The global timer that the line shows.
  [[nodiscard]] double line_ns(double cycles) const noexcept {
    return middle_ns + (cycles - middle_cycles) * ns_per_cycle;
  }
  /// True where the rate is known to 2 %.
  [[nodiscard]] bool tells() const noexcept { return ns_per_cycle > 0 && error <= 0.02; }
  /// With its error.
  [[nodiscard]] rate_range mean() const noexcept { return rate_range{ns_per_cycle, ns_per_cycle}.widened(error); }
};

/// Cuts the points, by cycles, into windows. A window is as short as it can be while it tells the rate to
/// `wanted_error`: to 2.5e-4, 50 us at 2.5 pairs per us and a tick of 32 ns; to 1.5e-3, 15 us. Those that take more
/// than 100 us for that end where they tell it to 1.5e-3: bursts of load change the rate every some hundred
/// microseconds. Linear.
[[nodiscard]] std::vector<rate_window> cut_into_windows(std::span<const clock_point> points,
                                                        const timer_reading& reading, double wanted_error);

/// Between which rates the counter may run in each window: what it and its neighbours of the same busy time tell, their
/// errors, and three quarters of the difference between them, for a rate that peaks inside. Where a neighbour is
/// missing, all of it and 1.5e-3: a rate that changed shortly before the end shows in no window. `anywhere`: what the
/// device did anywhere; that holds too where windows do not tell a rate, where those of more than 20 us say that it
/// changes by more than 1 %, and, if it does so anywhere, in windows of more than 100 us and in first and last ones of
/// more than 20 us; in shorter ones a change that matters shows as pairs that do not fit. `unseen`: what the device may
/// have done as a load set in or ended; that holds for the same reasons in first and last windows.
[[nodiscard]] std::vector<rate_range> local_rates(std::span<const rate_window> windows,
                                                  std::span<const clock_point> points, const rate_range& anywhere,
                                                  const rate_range& unseen);

/// From which part of the rate on a device's clocks are said to change much.
inline constexpr double much_change = 0.01;

/// Windows longer than this hide how far a load that sets in or ends drives the rate [ns].
inline constexpr double blind_after_ns = 100'000;

}  // namespace iket::analysis
