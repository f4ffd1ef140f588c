// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where the warps of a launch stand that had not ended: the first thing to know of a kernel that hangs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch_group.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// What is known of a warp's place.
enum class standing_place : std::uint8_t {
  in_range,   ///< in an open range: the innermost of its stack, else the token range that began last
  between,    ///< in none
  no_record,  ///< it made a recorder and has recorded nothing
  unknown,    ///< its ring was full and keeps the first records
  ended,      ///< it closed its recorder
};

struct warp_id {
  std::array<std::uint32_t, 3> cta{};
  std::uint32_t warp = 0;
};

/// Warps of one launch and role that stand at one place of the source with one payload; or, where warps there have more
/// than three payloads, with any.
struct standing_line {
  standing_place place = standing_place::ended;
  std::string role;                ///< "-" without one
  std::string name;                ///< of the range; of `between`: what came last before, empty: unknown
  std::optional<stage_kind> kind;  ///< of the range; of `between`: of the one that ended; none: a mark, or a counter
  source_location source;          ///< of that; no file: unknown
  std::uint64_t warps = 0;
  std::uint64_t ctas = 0;           ///< in which those are
  std::uint32_t fewest_in_cta = 0;  ///< of those warps, in one of those CTAs
  std::uint32_t most_in_cta = 0;
  std::vector<warp_id> first;  ///< some of them, by (CTA, warp)
  payload least;               ///< the last payload that was recorded; of type none: there was none
  payload most;                ///< the same unless warps differ
  std::string payload_of;      ///< whose that is; empty: the range's own
  picoseconds shortest = 0;    ///< for how long they have stood there
  picoseconds longest = 0;
  bool at_most = false;            ///< or less, by multiples of 2^32 cycles, for some of them
  std::optional<double> error_ns;  ///< how far off that may be; none where nobody knows
  bool apart = false;              ///< few, where nearly all of their role are at one other place
};

/// Where the warps of one launch stand.
struct launch_standing {
  std::uint64_t launch = 0;  ///< its number in the timeline, from 1
  bool running = false;
  bool failed = false;
  std::optional<snapshot> seen;     ///< when, of one that was running; none: times go to the last record
  picoseconds age = 0;              ///< from its begin to then
  std::uint64_t warps = 0;          ///< that made a recorder
  std::uint64_t warps_lost = 0;     ///< that made a recorder, by the launch's facts, and are not in the file
  std::uint64_t warps_missing = 0;  ///< traced warps that made none, in CTAs of which others did
  std::uint64_t ctas = 0;           ///< of which a warp made a recorder
  std::uint64_t ctas_missing = 0;   ///< traced ones of which none did
  std::uint64_t ctas_untraced = 0;
  std::vector<standing_line> lines;  ///< what tells most comes first
  std::uint64_t lines_left_out = 0;  ///< behind `limits::standing_lines`
  std::uint64_t warps_left_out = 0;  ///< on those

  /// Whether the file says that it had not ended.
  [[nodiscard]] bool had_not_ended() const noexcept { return running || failed; }
};

/// Where the warps stand of those launches of the group that were running, had failed, or have warps that never closed
/// their recorder; at most `most_lines` together. Linear in the records, n log n in the warps. Launches that had not
/// ended and have no warps come with no lines, the first `most_lines` of them.
[[nodiscard]] std::vector<launch_standing> standing_of(const timeline& source, const launch_group& group,
                                                       std::size_t most_lines);

}  // namespace iket::analysis
