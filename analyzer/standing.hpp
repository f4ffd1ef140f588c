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

/// Some warps of a line.
struct standing_part {
  std::uint64_t warps = 0;
  warp_id first;
};

/// The mark, the counter or the range that came to its end last before where warps stand.
struct standing_event {
  std::string name;
  std::optional<stage_kind> kind;  ///< of the range; none: a mark, or a counter
  bool is_counter = false;
  source_location source;  ///< no file: unknown
};

/// Warps of one launch and role that stand at one place of the source, in a range behind one event or none, with one
/// payload; or, where warps there have more than three payloads, with any.
struct standing_line {
  standing_place place = standing_place::ended;
  std::optional<stage_kind> kind;   ///< of the range; of `between`: of the one that ended; none: a mark, or a counter
  bool may_be_inside = false;       ///< of `between`: a range that began before its oldest kept record may be open
  bool at_most = false;             ///< they stand there for so long or less, by multiples of 2^32 cycles, some of them
  bool assumes_no_pause = false;    ///< the same, if a warp paused for 2^32 cycles between two of its records
  bool apart = false;               ///< few, where nearly all of their role are at one other place
  std::uint32_t fewest_in_cta = 0;  ///< of those warps, in one of those CTAs
  std::uint32_t most_in_cta = 0;
  std::uint64_t warps = 0;
  std::uint64_t ctas = 0;               ///< in which those are
  std::string role;                     ///< "-" without one
  std::string name;                     ///< of the range; of `between`: what came last before, empty: unknown
  bool is_counter = false;              ///< of `between`: that is one
  source_location source;               ///< of that; no file: unknown
  std::optional<standing_event> after;  ///< of `in_range`: what came since the range began; none: nothing did
  std::vector<warp_id> first;           ///< some of them, by (CTA, warp)
  payload least;                        ///< the last payload that was recorded; of type none: there was none
  payload most;                         ///< the same unless warps differ
  standing_part least_part;             ///< of those warps, the ones with the smallest payload
  standing_part most_part;              ///< and with the largest
  std::string payload_of;               ///< whose that is; empty: the range's own
  picoseconds shortest = 0;             ///< for how long they have stood there
  picoseconds longest = 0;
  std::optional<double> error_ns;  ///< how far off that may be; none where nobody knows
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
  picoseconds wrap = 0;              ///< that 2^32 cycles take
  std::vector<standing_line> lines;  ///< what tells most comes first
  std::uint64_t lines_left_out = 0;  ///< for which there was no room
  std::uint64_t warps_left_out = 0;  ///< on those

  /// Whether the file says that it had not ended.
  [[nodiscard]] bool had_not_ended() const noexcept { return running || failed; }
  /// Whether a warp of it is known to have made a recorder.
  [[nodiscard]] bool had_begun() const noexcept { return warps != 0 || warps_lost != 0; }
};

/// How much is to be told at most.
struct standing_room {
  std::size_t launches = 0;
  std::size_t lines = 0;  ///< of all those launches
};

/// Where the warps of a launch group stand: in launches that were running, had failed, or have warps that never closed
/// their recorder.
struct group_standing {
  std::vector<launch_standing> launches;  ///< those that had begun before the others
  std::uint64_t left_out = 0;             ///< launches for which there was no room, of those that had begun
  std::uint64_t not_begun = 0;            ///< all that were running or had failed, and had not begun
};

/// Linear in the records, n log n in the warps.
[[nodiscard]] group_standing standing_of(const timeline& source, const launch_group& group, standing_room room);

/// The same for all groups of a report, in their order and within its limits: launches that had not ended are the first
/// for which there is room.
[[nodiscard]] std::vector<group_standing> standings_of(const timeline& source, const std::vector<launch_group>& groups);

}  // namespace iket::analysis
