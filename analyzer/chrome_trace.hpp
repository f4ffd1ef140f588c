// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The timeline as Chrome-trace JSON, for Perfetto.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "counters/launch_counters.hpp"
#include "json_stream.hpp"
#include "statistics/scope.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// What was written.
struct chrome_trace_counts {
  std::uint64_t slices = 0;    ///< stack ranges
  std::uint64_t asyncs = 0;    ///< token ranges
  std::uint64_t instants = 0;  ///< marks, and counter values that are no number
  std::uint64_t counters = 0;  ///< counter values
  std::uint64_t lost = 0;      ///< slices "(lost)": a warp's time of which no record was kept
  std::uint64_t arrows = 0;    ///< from work to waits
  std::uint64_t no_arrow = 0;  ///< arrows left out, because no viewer would bind them to their slices
  std::uint64_t too_deep = 0;  ///< ranges and marks left out, nested deeper than viewers show
};

/// Called now and then with the warps written so far; may throw to stop.
using written_so_far = std::function<void(std::uint64_t warps)>;

/// What the processes of a trace are.
enum class track_grouping : std::uint8_t {
  cta,  ///< a process per CTA, a thread per warp
  sm,   ///< a process per SM; CTAs that are there at a time are in lanes, each with a thread per warp and one of its
        ///< CTAs
};

/// What is drawn, and how.
struct chrome_options {
  track_grouping group_by = track_grouping::cta;
  analysis::scope scope = analysis::scope::cta;  ///< waits are related within each CTA, or with others within clusters
  std::string slice_json{};  ///< JSON of what the timeline is a part of, for `otherData`; empty: it is whole
  /// Hardware counters, by launch of the timeline; nullptr for a launch without, empty for none at all.
  std::vector<const counters::launch_counters*> counters{};
};

/// Streams the whole timeline, without warps that are left out.
///
/// - Stack ranges are `X` slices of cat "work" or "wait", tokens async pairs with ids unique in the file, marks
///   instants, counters one counter track per warp and name.
/// - On SMs, slices of cat "cta" show which CTA a lane has at a time, and `args` have `cta`, `launch` and
///   `role`.
/// - `args`: `payload` with `payload_type`, `cycles` (exact), `source`, `kind`, and `state` where a range is not whole.
/// - Where there are hardware counters, a process "launches" has an async pair of cat "launch" for each launch with
///   them of which any warp is drawn, all of them in `args`; and `args` of each range have `counters`, a line on its
///   stage's part of them.
/// - Flow arrows of cat "released by" go from what ended a wait to it, those of cat "in flight" from the range that
///   issued work to the wait that saw it end (chrome_arrows.hpp); their name is the activity's, their ids are unique.
/// - What cannot be drawn is counted, in the result and in `otherData`; `records_lost` there is of all warps of the
///   launches, drawn or not.
chrome_trace_counts write_chrome_trace(const timeline& source, byte_sink sink, const written_so_far& progress = {},
                                       const chrome_options& options = {});

}  // namespace iket::analysis
