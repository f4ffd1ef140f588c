// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "snapshot_time.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace iket::analysis {
namespace {

// As far as clocks go: a file may say anything (sm_clock.hpp).
constexpr picoseconds farthest = picoseconds{1} << 61;

picoseconds placed(std::uint64_t device_ns, const device& of) {
  const auto ns = static_cast<std::int64_t>(device_ns - of.timer_zero_ns);
  return std::clamp(ns, -farthest / 1000, farthest / 1000) * 1000 - of.timer_zero_rest_ps;
}

/// Lets the open ranges of a warp go on for longer.
void extend_ranges(picoseconds longer, std::vector<range>& ranges) {
  range* innermost = nullptr;
  for (range& one : ranges) {
    if (one.state != range_state::open) continue;
    one.end += longer;
    one.cycles = 0;
    if (one.token)
      one.self += longer;
    else
      innermost = &one;
  }
  // Of stack ranges, the others have it nested in them.
  if (innermost != nullptr) innermost->self += longer;
}

}  // namespace

snapshot snapshot_of(const file::snapshot_info& from, const host_clock_fit& fit, const device& of) {
  const host_clock_fit::device_instant at = fit.when(from.host_begin_ns);
  return {placed(at.ns, of), at.error_ns + static_cast<double>(from.host_end_ns - from.host_begin_ns)};
}

void extend_to(const snapshot& until, launch& of) {
  of.snapshot = until;
  for (warp_timeline& warp : of.warps) {
    if (warp.closed || warp.close >= until.time) continue;
    const picoseconds longer = until.time - warp.close;
    warp.close = until.time;
    of.end = std::max(of.end, warp.close);
    if (warp.lacks_newest) continue;
    warp.unobserved = until.time;
    extend_ranges(longer, warp.ranges);
  }
}

}  // namespace iket::analysis
