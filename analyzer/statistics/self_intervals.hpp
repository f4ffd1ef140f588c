// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When each stack range of a warp is the innermost one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// Walks the stacks of warps, one after another; its memory is used again.
class self_interval_walk {
 public:
  /// Calls `visit(number, begin, end)` for every self interval of the warp's stack ranges, whatever their state, within
  /// [from, until): in order of time, none empty, `number` that of the range. Linear in the ranges.
  template <class Visit>
  void operator()(const warp_timeline& warp, picoseconds from, picoseconds until, Visit&& visit) {
    open_.clear();
    picoseconds now = from;
    const auto advance = [&](picoseconds to) {
      to = std::min(to, until);
      if (to <= now) return;
      const picoseconds begin = std::exchange(now, to);
      if (!open_.empty()) visit(open_.back(), begin, to);
    };
    const auto close_until = [&](picoseconds time) {
      while (!open_.empty() && warp.ranges[open_.back()].end <= time) {
        advance(warp.ranges[open_.back()].end);
        open_.pop_back();
      }
    };
    const auto count = static_cast<index>(warp.ranges.size());
    for (index i = 0; i < count; ++i) {
      const range& one = warp.ranges[i];
      if (one.token || one.stage == none) continue;
      close_until(one.begin);
      advance(one.begin);
      open_.push_back(i);
    }
    close_until(until);
    advance(until);
  }

 private:
  std::vector<index> open_;
};

}  // namespace iket::analysis
