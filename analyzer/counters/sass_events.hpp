// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The events in a kernel's machine code.
///
/// An event is a read of the SM clock and a store of that value beside the event's tag (iket/recorder.cuh). On sm_90:
///
///     CS2R.32 R14, SR_CLOCKLO
///     @P0 MOV R15, 0x22                                     the site's place in the constant bank, or'ed with the kind
///     @P0 STG.E.64.STRONG.SYS desc[UR12][R12.64], R14
///
/// with other instructions, and other events, between them as the compiler has scheduled them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sass_instruction.hpp"

namespace iket::analysis::counters {

struct sass_event {
  std::size_t clock = 0;             ///< the instruction that reads the clock: the event's moment
  std::size_t store = 0;             ///< the instruction that stores it
  std::optional<std::uint32_t> tag;  ///< none: it is in no constant that this finds
};

struct sass_events {
  std::vector<sass_event> events;  ///< by `clock`
  std::vector<bool> own;           ///< for each instruction, whether it is an event's own
};

/// Finds the events in the instructions of a kernel, which are in the order of their addresses. A clock read without a
/// store of the value beside it is the kernel's own business, and no event. Its own are: the clock read and the NOP
/// that holds it, the stores of the event and of its payload, and what makes their tags and addresses. Near linear:
/// looks some hundred instructions ahead of each clock read.
[[nodiscard]] sass_events find_events(std::span<const sass_instruction> code);

}  // namespace iket::analysis::counters
