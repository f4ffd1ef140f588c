// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which openings of a replayable tracer's warps were one launch.
#pragma once

#include <algorithm>
#include <cstddef>
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
/// executables of one graph, which may run at once, have two.
class replay_catalog {
 public:
  /// `slots` are those of one launch.
  explicit replay_catalog(std::size_t slots) : slots_(slots) {}

  /// The launch, numbered as they are met, to which an opened slot belongs. Called once for each, region by region.
  std::size_t launch_of(std::size_t slot, const device_header& header) {
    std::vector<u32>& openings = openings_[header.grid_id];
    openings.resize(slots_);
    const u32 nth = openings[slot % slots_]++;
    const auto [at, is_new] = launches_.try_emplace({header.grid_id, nth}, first_open_.size());
    if (is_new)
      first_open_.push_back(header.open.globaltimer_ns);
    else
      first_open_[at->second] = std::min(first_open_[at->second], header.open.globaltimer_ns);
    return at->second;
  }

  [[nodiscard]] std::size_t launches() const { return first_open_.size(); }

  /// The place of each launch when they are put in the order in which they began.
  [[nodiscard]] std::vector<std::size_t> places() const {
    std::vector<std::size_t> order(first_open_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return first_open_[a] < first_open_[b]; });
    std::vector<std::size_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
    return places;
  }

 private:
  std::size_t slots_;
  std::unordered_map<u64, std::vector<u32>> openings_;   // by grid id, then slot
  std::map<std::pair<u64, u32>, std::size_t> launches_;  // by grid id, then how many were before
  std::vector<u64> first_open_;                          // by launch [ns]
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
