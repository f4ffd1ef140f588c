// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The stack ranges of a warp in whole nanoseconds, as Perfetto can nest them on one track.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// From the timeline's picoseconds to a trace's whole nanoseconds.
///
/// Begin and end are rounded, and durations are differences of these: a rounded duration would let neighbours overlap
/// by 1 ns, which moves a slice to another track. Rounding keeps order, so what nests still nests.
struct trace_scale {
  picoseconds zero = 0;       ///< becomes 0; nothing is earlier
  std::uint64_t step_ns = 1;  ///< times are multiples of this

  /// Rounded to the nearest; never negative.
  [[nodiscard]] constexpr std::int64_t nanoseconds(picoseconds time) const {
    if (time <= zero) return 0;
    // The difference may be too large for a signed number.
    const std::uint64_t since = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(zero);
    const std::uint64_t step = 1000 * step_ns;
    return static_cast<std::int64_t>((since / step + (2 * (since % step) >= step ? 1 : 0)) * step_ns);
  }
};

/// The scale for all of a timeline: zero is its own or its earliest moment, as viewers drop what is negative. Viewers
/// read microseconds as doubles, which hold nanoseconds for 46 days: a longer trace is drawn in whole microseconds.
[[nodiscard]] trace_scale scale_of(const timeline& source);

/// Something on a warp's own track [ns].
struct slice {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  ///< that of a mark is its begin
  std::size_t place = 0;    ///< in `warp_timeline::ranges`, or for a mark in `warp_timeline::points`
};

/// What can be drawn on a warp's track: that is all but what Perfetto drops, nested deeper than `most_nested`.
struct warp_track {
  std::vector<slice> ranges;   ///< by begin, the longest first
  std::vector<slice> marks;    ///< by time
  std::uint64_t too_deep = 0;  ///< ranges and marks left out
};

inline constexpr std::size_t most_nested = 512;

/// True for marks, and for counter values that no counter track can show.
[[nodiscard]] bool is_drawn_as_mark(const point& one);

/// The stack ranges and marks of `warp`. A range that would stick out of another is clamped to it.
[[nodiscard]] warp_track track_of(const warp_timeline& warp, const trace_scale& scale);

}  // namespace iket::analysis
