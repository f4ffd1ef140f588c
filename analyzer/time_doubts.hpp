// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which times of a warp may be wrong by whole turns of its 32-bit clock.
#pragma once

#include <cstdint>

namespace iket::analysis {

/// Of a warp that never closed: its times are certain at its clock pairs (the opening, each IKET_SYNC that tells the
/// clock for sure), and as far from those as less than 2^32 cycles lie between two records.
struct time_doubts {
  std::int64_t first_pair = 0;  ///< the first of those [ps]; of a ring that may lack its oldest records, a sync
  std::int64_t last_pair = 0;   ///< the last [ps]
  std::int64_t earlier = 0;     ///< times before the first pair may be earlier by so much [ps]
  bool no_pair = false;         ///< there is none: all times may be later by multiples of 2^32 cycles
  bool later_between = false;   ///< likewise times between two pairs
  bool later_behind = false;    ///< likewise times behind the last pair, as others recorded for longer than that

  [[nodiscard]] bool may_be_later(std::int64_t time) const noexcept {
    return no_pair || (later_between && time > first_pair && time < last_pair) || (later_behind && time > last_pair);
  }
  [[nodiscard]] std::int64_t may_be_earlier_by(std::int64_t time) const noexcept {
    return !no_pair && time < first_pair ? earlier : 0;
  }
};

}  // namespace iket::analysis
