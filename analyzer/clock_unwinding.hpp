// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the low halves of a clock to the whole clock.
#pragma once

#include <cstdint>
#include <span>

#include "ring_decoder.hpp"

namespace iket::analysis {

/// What a ring lost, beside what it kept.
struct ring_losses {
  bool oldest = false;  ///< records between the opening and the first event
  bool newest = false;  ///< records between the last event and the close
};

/// `events` come with the low 32 bits in `cycles` and leave with 64 that never step back; returns what does not fit.
/// Linear.
///
/// The pairs at open and close are whole clocks, and so is the clock of a sync where its global time leaves only one
/// (then its `is_pair` is set): between open and close, and by `rates`. Events lie between the pairs around them. Where
/// the steps between two neighbouring pairs add up to less than those are apart, a gap of more than 2^32 cycles is
/// somewhere between. It is the only long one, where all others together come to less than 2^24 cycles, 8 ms: for that
/// to be wrong, one of those would have to be a whole wrap longer and the long one not. Else the events there are
/// ambiguous: they stay as early as they can be, and are counted.
clock_doubts unwind_clocks(const warp_header& header, ring_losses lost, const cycle_rates& rates,
                           std::span<event> events);

}  // namespace iket::analysis
