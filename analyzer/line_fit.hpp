// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The clock of one SM as a line through its pairs: the statistics under `clock_map`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock_map.hpp"

namespace iket::analysis {

/// The slope between two pairs and their distance, which is its weight.
struct weighted_slope {
  double ns_per_cycle = 0;
  double cycles = 0;
};

/// The value with half of the weight on either side; 0 for none. Linear on average; reorders its argument.
[[nodiscard]] double weighted_median(std::vector<weighted_slope>& slopes);

/// Sums over pairs around their own mean; their quotient is the slope of least squares.
struct scatter {
  double cycles_squared = 0;
  double cycles_by_ns = 0;

  scatter& operator+=(const scatter& other) noexcept {
    cycles_squared += other.cycles_squared;
    cycles_by_ns += other.cycles_by_ns;
    return *this;
  }
};

/// A line time = offset + slope * cycles, counted from the first pair so that nothing is lost in a double.
class line_fit {
 public:
  struct result {
    double ns_per_cycle = 0;
    double offset_ns = 0;  ///< from the first pair's global time to the line there
    double largest_residual_ns = 0;
    std::uint64_t outliers = 0;
  };

  /// `pairs` of one SM, at least one, by cycles; they stay the caller's.
  explicit line_fit(std::span<const sm_pair> pairs);

  [[nodiscard]] const sm_pair& first() const noexcept { return pairs_.front(); }

  [[nodiscard]] std::span<const sm_pair> pairs() const noexcept { return pairs_; }

  /// Appends the slopes between up to `most` of the pairs, without those that no GPU's clock can have.
  void collect_slopes(std::size_t most, std::vector<weighted_slope>& slopes) const;

  /// Takes the median of its own slopes if the pairs span `own_ns` and it is within `deviation` of `common`; else
  /// `common`.
  void choose_rough_slope(double common, double own_ns, double deviation);

  /// Takes `common` unless it has its own.
  void use_common_slope(double common) noexcept;

  /// Finds the pairs far off the line of the present slope, by the median of all distances. Drops none of one or two
  /// pairs: nobody knows which of them is wrong.
  void drop_outliers(double tick_ns);

  /// Replaces its own slope, if it has one, by that of least squares. Returns the scatter of its pairs.
  scatter refine_own_slope(double deviation);

  /// The line in the middle between the highest and the lowest pair, of the pairs that are no outliers.
  [[nodiscard]] result line() const;

 private:
  [[nodiscard]] double cycles_of(std::size_t i) const noexcept;
  [[nodiscard]] double ns_of(std::size_t i) const noexcept;
  [[nodiscard]] double residual_of(std::size_t i) const noexcept { return ns_of(i) - slope_ * cycles_of(i); }

  std::span<const sm_pair> pairs_;
  double slope_ = 0;  // [ns per cycle]
  bool own_ = false;
  double middle_ = 0;      // residuals further than `tolerance_` from here are outliers'
  double tolerance_ = -1;  // negative: there are no outliers
};

}  // namespace iket::analysis
