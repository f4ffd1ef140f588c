// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From bounds at every pair to a clock of few knots.
#pragma once

#include <cstdint>

#include "sm_clock.hpp"
#include "time_envelope.hpp"

namespace iket::analysis {

/// Where an envelope begins or ends without a pair, the rate to go on at [ns per cycle]; 0 where it does so with one.
struct chain_ends {
  double before = 0;
  double behind = 0;
};

/// The middle of the bounds, and an uncertainty that holds from pair to pair: half of their distance, or more where a
/// clock may wander between two pairs. Knots are left out where a line passes the middle within 1.5 % of the
/// uncertainty and the stated uncertainty becomes no more than a tenth larger than needed. `cycles` and `zero` [ps] are
/// where the envelope's zeros lie; it has one point at least. Linear.
[[nodiscard]] clock_chain make_chain(const time_envelope& envelope, std::uint64_t cycles, picoseconds zero,
                                     double ns_per_cycle, const chain_ends& ends);

}  // namespace iket::analysis
