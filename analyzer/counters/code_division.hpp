// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What of a page `source` belongs to which stage.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "launch_counters.hpp"
#include "ncu_profile.hpp"
#include "timeline.hpp"

namespace iket::analysis::counters {

/// A listing, divided: the values of all parts add up to those of its rows, column by column.
struct code_division {
  division_kind kind = division_kind::none;
  std::vector<stage_counters> stages;  ///< those with a site in the code, by name
  column_values shared;
  column_values recording;
  column_values outside;
  column_values unknown;
  std::uint64_t events = 0;           ///< of stages, that were found in the machine code
  std::uint64_t events_of_sites = 0;  ///< of them, at a site that the trace has
  std::uint64_t events_untold = 0;    ///< of them, with a tag that could not be found: taken for ends of tokens
  std::uint64_t indirect = 0;         ///< branches that could not be followed
  bool dropped = false;               ///< stages may be open at some place in more ways than were followed
  bool whole = true;                  ///< the listing has all of the machine code
};

/// Divides by the events in the machine code (code_owners.hpp), or where the listing has lines only, by the nearest
/// begin site at or above each line in its file. `sites` are those of the module, by their bits. Linear in the listing.
[[nodiscard]] code_division divide(const source_listing& listing, std::span<const code_site> sites);

}  // namespace iket::analysis::counters
