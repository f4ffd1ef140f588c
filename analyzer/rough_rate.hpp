// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Rates of SM clocks by medians: a few pairs that are wrong by any amount have no say.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {

/// The slope between two pairs and their distance, which is its weight.
struct weighted_slope {
  double ns_per_cycle = 0;
  double cycles = 0;
};

/// The value with half of the weight on either side; 0 for none. Reorders its argument.
[[nodiscard]] double weighted_median(std::vector<weighted_slope>& slopes);

/// Appends the slopes between up to `most` points, by cycles, that were made while the device was busy; without those
/// that no GPU's clock can have. Weights end at twice the distance between the quartiles, so that a wrong point far
/// away weighs no more than others.
void collect_slopes(std::span<const clock_point> points, std::size_t most, std::vector<weighted_slope>& slopes);

/// The longest time between two pairs that agree with a rate to a fifth [ns].
[[nodiscard]] double agreeing_span_ns(std::span<const weighted_slope> slopes, double ns_per_cycle);

}  // namespace iket::analysis
