// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where one warp stands.
#pragma once

#include <compare>
#include <cstdint>

#include "standing.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// A name of a table: of `timeline::stages`, or of `timeline::points`.
struct named {
  index name = none;
  bool is_point = false;
  bool is_counter = false;  // of a point
  auto operator<=>(const named&) const = default;
};

/// What warps have in common that stand alike.
struct site_key {
  standing_place place = standing_place::ended;
  bool may_be_inside = false;  // of `between`: its ring may have lost the begin of a range that is open
  index role = none;
  named at;
  index source = none;
  named after;  // of `in_range`: what came last in it; none: nothing
  index after_source = none;
  named payload_of;  // none: its own
  payload_type type = payload_type::none;
  auto operator<=>(const site_key&) const = default;
};

struct standing_warp {
  const warp_timeline* warp = nullptr;
  site_key key;
  std::uint64_t payload_bits = 0;
  picoseconds since = 0;
};

/// By its last records. Linear in them.
[[nodiscard]] standing_warp standing_of(const warp_timeline& warp);

}  // namespace iket::analysis
