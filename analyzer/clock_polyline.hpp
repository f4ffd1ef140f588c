// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The clock of one SM whose rate changes, as a chain of lines through its pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clock_map.hpp"

namespace iket::analysis {

/// A line from here to the next knot: cycles and ns after the first pair.
struct clock_knot {
  double cycles = 0;
  double ns = 0;
  double ns_per_cycle = 0;
};

struct clock_polyline {
  std::vector<clock_knot> knots;   ///< by cycles; at least one
  double largest_residual_ns = 0;  ///< distance of a pair's middle from the chain, without outliers
  std::uint64_t outliers = 0;      ///< pairs that the chain passes by at more than four times the tolerance
};

/// Follows `pairs` (one SM's, at least one, by cycles) with as few lines as keep every pair's middle, half a tick
/// behind its reading, within `tolerance_ns`. A line goes on while some slope passes all its pairs; of those slopes it
/// takes the one nearest to `ns_per_cycle`, so that few pairs close together do not invent a rate. Linear in the pairs.
[[nodiscard]] clock_polyline follow_pairs(std::span<const sm_pair> pairs, double ns_per_cycle, double tick_ns,
                                          double tolerance_ns);

}  // namespace iket::analysis
