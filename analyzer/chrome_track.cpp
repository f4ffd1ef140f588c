// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_track.hpp"

#include <algorithm>

#include "chrome_payload.hpp"

namespace iket::analysis {
namespace {

struct item {
  slice at;
  bool mark = false;
};

/// In the order in which Perfetto takes them: at one time the longest first, then as they are written, marks last.
std::vector<item> items_of(const warp_timeline& warp, const trace_scale& scale) {
  std::vector<item> items;
  items.reserve(warp.ranges.size() + warp.points.size());
  for (std::size_t i = 0; i < warp.ranges.size(); ++i) {
    const range& one = warp.ranges[i];
    if (one.token || one.left_out) continue;
    const std::int64_t begin_ns = scale.nanoseconds(one.begin);
    items.push_back({{begin_ns, std::max(begin_ns, scale.nanoseconds(one.end)), i}, false});
  }
  for (std::size_t i = 0; i < warp.points.size(); ++i) {
    if (warp.points[i].left_out || !is_drawn_as_mark(warp.points[i])) continue;
    const std::int64_t time_ns = scale.nanoseconds(warp.points[i].time);
    items.push_back({{time_ns, time_ns, i}, true});
  }
  std::stable_sort(items.begin(), items.end(), [](const item& a, const item& b) {
    return a.at.begin_ns != b.at.begin_ns ? a.at.begin_ns < b.at.begin_ns : a.at.end_ns > b.at.end_ns;
  });
  return items;
}

bool is_moment(const slice& one) { return one.begin_ns == one.end_ns; }

/// Whether Perfetto has ended `open` when `next` comes. Two moments at one time nest.
bool has_ended(const slice& open, const slice& next) {
  if (open.end_ns == next.begin_ns) return !(is_moment(open) && is_moment(next));
  return open.end_ns < next.begin_ns;
}

}  // namespace

trace_scale scale_of(const timeline& source) {
  trace_scale scale;
  picoseconds last = 0;
  for (const launch& one : source.launches) {
    if (one.left_out) continue;
    for (const warp_timeline& warp : one.warps) {
      scale.zero = std::min(scale.zero, warp.open);
      if (!warp.ranges.empty()) scale.zero = std::min(scale.zero, warp.ranges.front().begin);
      if (!warp.points.empty()) scale.zero = std::min(scale.zero, warp.points.front().time);
      last = std::max(last, warp.close);
    }
  }
  constexpr std::int64_t longest_exact_ns = 4'000'000'000'000'000;  // 2^42 us, about: then a double's step is 1 ns
  if (scale.nanoseconds(last) >= longest_exact_ns) scale.step_ns = 1000;
  return scale;
}

bool is_drawn_as_mark(const point& one) { return !one.counter || !is_finite_number(one.payload()); }

warp_track track_of(const warp_timeline& warp, const trace_scale& scale) {
  warp_track result;
  std::vector<slice> open;
  for (auto [at, mark] : items_of(warp, scale)) {
    while (!open.empty() && has_ended(open.back(), at)) open.pop_back();
    if (open.size() >= most_nested) {
      ++result.too_deep;
      continue;
    }
    if (!open.empty()) at.end_ns = std::min(at.end_ns, open.back().end_ns);
    open.push_back(at);
    (mark ? result.marks : result.ranges).push_back(at);
  }
  return result;
}

}  // namespace iket::analysis
