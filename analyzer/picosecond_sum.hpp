// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Sums of durations over many warps, and the one place where picoseconds become nanoseconds.
#pragma once

#include "timeline.hpp"

namespace iket::analysis {

/// A sum of durations [ps]. 64 bits hold 106 days of warp time, which a damaged file may claim to pass.
__extension__ typedef __int128 picosecond_sum;

/// For output only: inside, times stay integers.
[[nodiscard]] constexpr double nanoseconds(picosecond_sum time) { return static_cast<double>(time) / 1000.0; }

}  // namespace iket::analysis
