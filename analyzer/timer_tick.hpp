// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How often the global timer steps, as clock pairs show it.
#pragma once

#include <span>

#include "clock_pairs.hpp"

namespace iket::analysis {

struct timer_step {
  double ns = 0;         ///< 0 where all pairs show the same value
  double uneven_ns = 0;  ///< steps may be longer by this
};

/// The step of %globaltimer. `pairs` by (SM, cycles); `ns_per_cycle` need only be right to a quarter.
///
/// It is the largest step of a grid on which three of four values lie, where there are 15 values or more; else that of
/// all. Two facts correct that: with few different values the differences may share a factor by chance, so that a step
/// known from GPUs (1024, 1000, 32 ns) is taken if it fits; and a timer may step unevenly in multiples of something
/// finer, which shows where an SM reads one value for longer than that.
[[nodiscard]] timer_step estimate_timer_step(std::span<const sm_pair> pairs, double ns_per_cycle);

}  // namespace iket::analysis
