// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Finds clock pairs that are wrong by how they disagree with their neighbours.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {

/// When two neighbours agree: if the time between them is what their cycles take at a rate from `least` to `most`, to
/// within `slack_ns`.
struct vote_rule {
  double least_ns_per_cycle = 0;
  double most_ns_per_cycle = 0;
  double slack_ns = 0;
  std::size_t neighbours = 4;  ///< on either side
};

/// For each point, by cycles and all of one busy time, whether at least half of its neighbours agree with it. Where
/// there is only one to ask, it has no say. Those that lose are asked for again among those that won, if there are
/// two at least. O(points * (neighbours + log points)).
[[nodiscard]] std::vector<bool> outvoted(std::span<const clock_point> points, const vote_rule& rule);

/// For each point, whether it lies far off the lines between its neighbours before and behind, the nearest ones and the
/// second ones: by the rule's slack and what a clock that changes from one of its rates to the other may be, and by
/// eight times what is usual among 32 points around it. Of the first two and the last two points, those that neither of
/// two that agree agrees with. Linear.
[[nodiscard]] std::vector<bool> standing_out(std::span<const clock_point> points, const vote_rule& rule);

/// Between which rates points near each other vote: `factor` off the median rate `ns_per_cycle` or, where points lie so
/// far apart that the ways to the fourth next ones take a millisecond, those of most ways, with room for four times
/// what they differ by.
[[nodiscard]] vote_rule make_rule(std::span<const clock_point> points, double ns_per_cycle, double slack_ns,
                                  double factor);

}  // namespace iket::analysis
