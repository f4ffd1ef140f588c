// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Between which bounds true time lies, over the cycles of one counter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rate_windows.hpp"

namespace iket::analysis {

/// A place on the counter and the bounds of the time there.
struct time_bounds {
  double cycles = 0;
  double earliest_ns = 0;
  double latest_ns = 0;
  bool of_many = false;  ///< set by many pairs together

  /// At a place without a pair: any time.
  [[nodiscard]] static time_bounds free(double cycles) noexcept { return {cycles, -any_time, any_time}; }
  [[nodiscard]] bool is_free() const noexcept { return latest_ns >= any_time; }

 private:
  static constexpr double any_time = 1e30;
};

/// Carries the bounds that each pair sets along the counter to all others, where they hold too, wider by what the rates
/// between leave open: in two sweeps, each place gets the times that some clock within the rates may have shown there
/// while it kept to all pairs.
///
/// A pair that misses by less than 4 ns was read that much worse than others, or the one that it misses was. Where a
/// pair does not fit by more, the rates were too narrow: they become those seen anywhere, and the sweep begins anew, so
/// that the bounds give way where a clock did what the rates did not foresee. If it still does not fit, while the next
/// ones do, it is wrong and left out; where several in a row do not, the rates are widened further.
class time_envelope {
 public:
  /// `pairs` by cycles; for each but the last, `rates` behind it. Linear, times the number of sweeps (3 as a rule).
  time_envelope(std::vector<time_bounds> pairs, std::vector<rate_range> rates, const rate_range& anywhere);

  /// At the pairs, also those that were left out.
  [[nodiscard]] const std::vector<time_bounds>& bounds() const noexcept { return bounds_; }
  [[nodiscard]] const std::vector<rate_range>& rates() const noexcept { return rates_; }
  /// Pairs; what many set together is none.
  [[nodiscard]] std::uint64_t left_out() const noexcept;

 private:
  struct front;

  bool sweep_forward(bool is_last);
  void take(front& at, std::size_t i, bool is_last);
  void settle(front& at, std::size_t i, bool is_last);
  bool blame_readings(const front& at, std::size_t i);
  bool take_any_rate(std::size_t first, std::size_t last);
  void widen(std::size_t first, std::size_t last);
  void sweep_backward();

  std::vector<time_bounds> pairs_;
  std::vector<rate_range> rates_;
  rate_range anywhere_;
  std::vector<bool> wrong_;
  std::vector<time_bounds> bounds_;
};

}  // namespace iket::analysis
