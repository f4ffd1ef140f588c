// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which openings of a replayable tracer's warps were one launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include <iket/detail/types.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Tells the launches of one replayable tracer apart.
///
/// A warp's n-th opening under one grid id is that id's n-th launch: launches that a stream orders one by one have ids
/// of their own, all launches of one node of an executable graph have the same and come one after another, and two
/// executables of one graph, which may run at once, have two. That holds for warps that make one recorder in each.
class replay_catalog {
 public:
  /// `slot_count` is that of one launch.
  explicit replay_catalog(std::size_t slot_count) : slots_(slot_count) {}

  /// The launch, numbered as they are met, to which an opened slot belongs. Called once for each, region by region.
  std::size_t launch_of(std::size_t slot, const device_header& header) {
    std::vector<u32>& openings = openings_[header.grid_id];
    openings.resize(slots_);
    const u32 nth = openings[slot % slots_]++;
    const auto [at, is_new] = launches_.try_emplace({header.grid_id, nth}, spans_.size());
    if (is_new) spans_.push_back({header.open.globaltimer_ns, 0});
    span& of = spans_[at->second];
    of.first_open = std::min(of.first_open, header.open.globaltimer_ns);
    of.last_close = std::max(of.last_close, header.close.globaltimer_ns);
    return at->second;
  }

  [[nodiscard]] std::size_t launches() const { return spans_.size(); }

  /// True where launches under one id, which come one after another, seem to overlap: a warp made no recorder in one of
  /// them, or two, so that its n-th opening was of another launch.
  [[nodiscard]] bool is_doubtful() const {
    for (auto at = launches_.begin(); at != launches_.end(); ++at) {
      const auto next = std::next(at);
      if (next != launches_.end() && next->first.first == at->first.first &&
          spans_[next->second].first_open < spans_[at->second].last_close)
        return true;
    }
    return false;
  }

  /// The place of each launch when they are put in the order in which they began.
  [[nodiscard]] std::vector<std::size_t> places() const {
    std::vector<std::size_t> order(spans_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return spans_[a].first_open < spans_[b].first_open; });
    std::vector<std::size_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
    return places;
  }

 private:
  struct span {
    u64 first_open;  // [ns]
    u64 last_close;
  };

  std::size_t slots_;
  std::unordered_map<u64, std::vector<u32>> openings_;   // by grid id, then slot
  std::map<std::pair<u64, u32>, std::size_t> launches_;  // by grid id, then how many were before
  std::vector<span> spans_;                              // by launch
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
