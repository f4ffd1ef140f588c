// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// To which stage each instruction of a kernel belongs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sass_events.hpp"
#include "sass_flow.hpp"

namespace iket::analysis::counters {

enum class owner_kind : std::uint8_t {
  outside,  ///< control gets there with no stage open
  stage,    ///< with one stage innermost, on whatever way
  shared,   ///< with several innermost, or one and none, on different ways
  unknown,  ///< no way there was found, or too many to follow
};

struct code_owner {
  owner_kind kind = owner_kind::unknown;
  bool recording = false;       ///< it is an event's own, where that stands
  std::uint32_t site_bits = 0;  ///< of the stage's begin, for `stage`
};

struct code_owners {
  std::vector<code_owner> owners;  ///< one for each instruction
  std::size_t indirect = 0;        ///< branches to where a register says, which were not followed
  bool dropped = false;            ///< stages may be open at some place in more ways than were followed
};

/// Follows control from the first instruction. A stage is innermost from the clock read of its begin to that of its
/// end, the latter included: what the warp waits for there, it waits for in the stage. `stage_of` of a site's bits is
/// what tells stages apart: two sites of one stage are one owner; it gives the bits that stand for the stage. Linear in
/// the code, times the ways in which stages may be open at a place, of which 32 are followed.
[[nodiscard]] code_owners find_owners(std::span<const flow_step> flow, const sass_events& events,
                                      const std::function<std::uint32_t(std::uint32_t)>& stage_of);

}  // namespace iket::analysis::counters
