// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a warp was busy with at any time, for those who walk through it.
#pragma once

#include <vector>

#include "statistics/self_intervals.hpp"

namespace iket::analysis {

/// A part of a warp's life.
struct warp_segment {
  picoseconds begin = 0;
  picoseconds end = 0;  ///< later than `begin`
  index range = none;   ///< the innermost stack range; without one, of the open work tokens the last to begin
  bool lost = false;    ///< outside of the observed window
};

/// Divides the lives of warps, one after another; its memory is used again.
class warp_path {
 public:
  /// From opening to close, in order, without a gap. O(n log n) in the ranges. Valid until the next call.
  const std::vector<warp_segment>& of(const warp_timeline& warp, const std::vector<stage>& stages);

 private:
  void add_gap(const warp_timeline& warp, picoseconds begin, picoseconds end);
  void add(picoseconds begin, picoseconds end, index range, bool lost);

  self_interval_walk walk_;
  std::vector<warp_segment> segments_;
  std::vector<index> tokens_;  // of kind work, by begin
  std::vector<index>::size_type next_token_ = 0;
  std::vector<index> open_tokens_;  // a heap, the last to begin first; with some that have ended
};

}  // namespace iket::analysis
