// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How fast the counters of a device may have run, where pairs tell it and where they do not.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "clock_pairs.hpp"
#include "rate_windows.hpp"

namespace iket::analysis {

/// The windows of a counter's points: long ones that tell a steady rate well, and short ones for where it changes.
struct counter_windows {
  counter_windows() = default;
  counter_windows(std::span<const clock_point> points, const timer_reading& reading);

  std::vector<rate_window> steady;  ///< to 2.5e-4
  std::vector<rate_window> brief;   ///< to 1.5e-3
};

/// The mean rate [ns per cycle] of a counter's windows that tell one; 0 if none does.
[[nodiscard]] double mean_rate(std::span<const clock_point> points, const counter_windows& windows);

/// What all counters of a device say of its rates.
class rate_bounds {
 public:
  /// `ns_per_cycle`: the rough rate of all; `is_assumed`: the pairs tell none, and this is the rated one.
  rate_bounds(double ns_per_cycle, bool is_assumed) : rough_(ns_per_cycle), is_assumed_(is_assumed) {}

  /// Takes what one counter showed.
  void add(std::span<const clock_point> points, const counter_windows& windows);

  /// What the device did anywhere, and a fifth of its extent more: means do not show the extremes that a clock had for
  /// a short time.
  [[nodiscard]] rate_range anywhere() const;

  /// What it may have done as a load set in or ended, where nobody looked: where it was seen to change much, a quarter
  /// of that extent more. Where windows are longer than 100 us on average, as with a tick of 1 us, the mean of one
  /// hides how far a load that sets in drives the clock: all of that extent and 4 % of the rate more, from means
  /// that differ by more than their errors on.
  [[nodiscard]] rate_range unseen() const;

  /// What a counter that runs within `near` while it is busy may do while the device is idle.
  [[nodiscard]] rate_range idle(const rate_range& near) const;

  /// What pairs do not show where they lie as far apart as a burst of load is long, added to `of`.
  [[nodiscard]] static rate_range with_margin(const rate_range& of);

  /// Mean rate of what was added [cycles per ns].
  [[nodiscard]] double ghz() const;

  /// In each steady window of a counter.
  [[nodiscard]] std::vector<rate_range> steady(std::span<const clock_point> points,
                                               const counter_windows& windows) const;

  /// Behind each of a counter's points but the last. `steady`: what `steady` returned. Linear.
  [[nodiscard]] std::vector<rate_range> behind(std::span<const clock_point> points, const counter_windows& windows,
                                               std::span<const rate_range> steady) const;

 private:
  [[nodiscard]] std::vector<rate_range> local(std::span<const clock_point> points,
                                              std::span<const rate_window> windows) const;
  [[nodiscard]] std::vector<rate_range> behind(std::span<const clock_point> points,
                                               std::span<const rate_window> windows,
                                               std::span<const rate_range> local) const;
  [[nodiscard]] rate_range between(const clock_point& from, const clock_point& to, double window_cycles,
                                   const rate_range& local) const;

  [[nodiscard]] bool do_means_differ() const { return largest_least_ > smallest_most_; }

  double rough_;
  bool is_assumed_;
  std::optional<rate_range> seen_;
  double cycles_ = 0;  // of all windows that tell a rate
  double ns_ = 0;
  double largest_least_ = 0;  // of their means, with their errors
  double smallest_most_ = std::numeric_limits<double>::infinity();
  double brief_ns_ = 0;  // of all brief ones
  std::size_t briefs_ = 0;
};

}  // namespace iket::analysis
