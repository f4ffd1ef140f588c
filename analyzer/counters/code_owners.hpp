// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// To which stage each instruction of a kernel belongs.
#pragma once

#include <cstddef>
#include <cstdint>
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
};

/// Follows control from the first instruction. A stage is innermost from the clock read of its begin to that of its
/// end, the latter included: what the warp waits for there, it waits for in the stage. `stage_of` of a site's bits is
/// what tells stages apart: two sites of one stage are one owner; it gives the bits that stand for the stage. Linear in
/// the code, times the ways in which stages may be open at a place, of which 32 are followed.
template <class StageOf>
[[nodiscard]] code_owners find_owners(std::span<const flow_step> flow, const sass_events& events, StageOf&& stage_of);

/// The ways in which stages are open at each instruction, as `innermost` tells them.
struct code_ways {
  struct at_place {
    std::vector<std::uint32_t> innermost;  ///< site bits, each once
    bool none_open = false;                ///< a way with no stage open leads there
    bool too_many = false;
  };
  std::vector<at_place> places;
  std::size_t indirect = 0;
};
[[nodiscard]] code_ways find_ways(std::span<const flow_step> flow, const sass_events& events);

template <class StageOf>
code_owners find_owners(std::span<const flow_step> flow, const sass_events& events, StageOf&& stage_of) {
  const code_ways ways = find_ways(flow, events);
  code_owners result{std::vector<code_owner>(flow.size()), ways.indirect};
  for (std::size_t i = 0; i < flow.size(); ++i) {
    const code_ways::at_place& place = ways.places[i];
    code_owner& owner = result.owners[i];
    owner.recording = events.own[i];
    if (!place.too_many && (place.none_open || !place.innermost.empty())) {
      owner.kind = place.none_open ? owner_kind::outside : owner_kind::stage;
      if (!place.innermost.empty()) owner.site_bits = stage_of(place.innermost.front());
      for (const std::uint32_t bits : place.innermost)
        if (place.none_open || stage_of(bits) != owner.site_bits) owner.kind = owner_kind::shared;
    }
  }
  return result;
}

}  // namespace iket::analysis::counters
