// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/warp_path.hpp"

#include <algorithm>

namespace iket::analysis {

const std::vector<warp_segment>& warp_path::of(const warp_timeline& warp, const std::vector<stage>& stages) {
  segments_.clear();
  tokens_.clear();
  open_tokens_.clear();
  next_token_ = 0;
  const auto count = static_cast<index>(warp.ranges.size());
  for (index i = 0; i < count; ++i) {
    const range& one = warp.ranges[i];
    if (one.token && one.stage != none && stages[one.stage].kind == stage_kind::work) tokens_.push_back(i);
  }
  add(warp.open, warp.observed, none, true);
  picoseconds now = warp.observed;
  walk_(warp, warp.observed, warp.unobserved, [&](index range, picoseconds begin, picoseconds end) {
    add_gap(warp, now, begin);
    add(begin, end, range, false);
    now = end;
  });
  add_gap(warp, now, warp.unobserved);
  add(std::max(warp.unobserved, warp.observed), warp.close, none, true);
  return segments_;
}

void warp_path::add_gap(const warp_timeline& warp, picoseconds begin, picoseconds end) {
  while (begin < end) {
    for (; next_token_ < tokens_.size() && warp.ranges[tokens_[next_token_]].begin <= begin; ++next_token_) {
      open_tokens_.push_back(tokens_[next_token_]);
      std::push_heap(open_tokens_.begin(), open_tokens_.end());
    }
    while (!open_tokens_.empty() && warp.ranges[open_tokens_.front()].end <= begin) {
      std::pop_heap(open_tokens_.begin(), open_tokens_.end());
      open_tokens_.pop_back();
    }
    picoseconds until = end;
    if (next_token_ < tokens_.size()) until = std::min(until, warp.ranges[tokens_[next_token_]].begin);
    const index token = open_tokens_.empty() ? none : open_tokens_.front();
    if (token != none) until = std::min(until, warp.ranges[token].end);
    add(begin, until, token, false);
    begin = until;
  }
}

void warp_path::add(picoseconds begin, picoseconds end, index range, bool lost) {
  if (begin >= end) return;
  // A range of no length divides the one around it in the walk only.
  if (!segments_.empty() && segments_.back().range == range && segments_.back().lost == lost)
    segments_.back().end = end;
  else
    segments_.push_back({begin, end, range, lost});
}

}  // namespace iket::analysis
