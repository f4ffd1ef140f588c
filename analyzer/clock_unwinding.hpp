// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the low halves of a clock to the whole clock.
#pragma once

#include <cstdint>
#include <span>

#include "ring_decoder.hpp"

namespace iket::analysis {

/// `events` come with the low 32 bits in `cycles` and leave with 64 that never step back. `from_close`: backward from
/// the close pair, else forward from the open pair. Returns what does not fit. Linear.
clock_doubts unwind_clocks(const warp_header& header, bool from_close, std::span<event> events);

}  // namespace iket::analysis
