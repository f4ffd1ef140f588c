// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What many clock pairs tell together that each one alone does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock_pairs.hpp"
#include "rate_windows.hpp"
#include "reading_errors.hpp"
#include "time_envelope.hpp"

namespace iket::analysis {

/// A pair as the means see it.
struct judged_pair {
  double cycles = 0;
  double ns = 0;        ///< the global timer, with its SM's constant
  double doubt_ns = 0;  ///< of that constant
  std::uint32_t busy = 0;
};

/// Bounds of the time at the means of blocks of pairs.
///
/// A pair is read half a tick early, on average, if the pairs' places within the tick are evenly spread. How far from
/// evenly, the pairs themselves tell: their distances are known from their cycles, so that only the rate, within its
/// range, and one shift, common to all, are unknown; the worst of them are what is charged. Thus pairs that all follow
/// a step of the timer, as those of a warp that polls it do, tell no more than one of them. What the timer's jitter
/// leaves of the mean is five standard deviations of it, most of it each reading's own, some of it common to all
/// readings of one step. What the rate may change within the block shifts the mean by no more than half the range of
/// the rates times the pairs' mean distance from it.
///
/// Each block is as long as gives the tightest bounds; they overlap by half. For timers that step every 100 ns or more
/// often: of others the jitter is not known. `pairs` by cycles; for each but the last, `rates` behind it.
/// Linear where the places within a tick are spread evenly; about a microsecond a pair.
[[nodiscard]] std::vector<time_bounds> pair_means(std::span<const judged_pair> pairs, std::span<const rate_range> rates,
                                                  const timer_reading& reading);

/// Puts them, by cycles, among what each pair tells, with the rates behind each. Linear.
void insert_means(std::span<const time_bounds> means, std::vector<time_bounds>& bounds, std::vector<rate_range>& rates);

}  // namespace iket::analysis
