// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace iket::analysis {
namespace {

/// Widens `to` by all that is drawn of a warp.
void include(const warp_timeline& warp, const trace_scale& scale, lane_cta& to) {
  picoseconds begin = warp.open;
  picoseconds end = warp.close;
  for (const range& one : warp.ranges) {
    if (one.left_out) continue;
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end);
  }
  for (const point& one : warp.points) {
    if (one.left_out) continue;
    begin = std::min(begin, one.time);
    end = std::max(end, one.time);
  }
  to.begin_ns = std::min(to.begin_ns, scale.nanoseconds(begin));
  to.end_ns = std::max(to.end_ns, scale.nanoseconds(end));
}

std::vector<lane_cta> ctas_of(const timeline& source, const trace_scale& scale) {
  std::vector<lane_cta> ctas;
  for (std::size_t launch = 0; launch < source.launches.size(); ++launch) {
    const analysis::launch& one = source.launches[launch];
    if (one.left_out) continue;
    bool is_new = true;
    for (std::size_t i = 0; i < one.warps.size(); ++i) {
      const warp_timeline& warp = one.warps[i];
      is_new = is_new || one.warps[i - 1].cta_linear != warp.cta_linear;
      if (warp.left_out) continue;
      const std::int64_t open_ns = scale.nanoseconds(warp.open);
      if (is_new) ctas.push_back({launch, i, 0, one.device, warp.sm, 0, open_ns, open_ns});
      is_new = false;
      ctas.back().warp_count = i + 1 - ctas.back().first_warp;
      include(warp, scale, ctas.back());
    }
  }
  return ctas;
}

/// The lanes of one SM. O(log n) for each CTA.
class lane_keeper {
 public:
  /// The first lane that is free at `begin_ns`, which does not decrease; it is taken until `end_ns`.
  std::uint32_t take(std::int64_t begin_ns, std::int64_t end_ns) {
    for (; !taken_.empty() && taken_.top().first < begin_ns; taken_.pop()) free_.push(taken_.top().second);
    std::uint32_t lane = count_;
    if (free_.empty()) {
      ++count_;
    } else {
      lane = free_.top();
      free_.pop();
    }
    taken_.emplace(end_ns, lane);
    return lane;
  }

 private:
  template <class Element>
  using least_first = std::priority_queue<Element, std::vector<Element>, std::greater<>>;

  least_first<std::uint32_t> free_;
  least_first<std::pair<std::int64_t, std::uint32_t>> taken_;  // until when, and which
  std::uint32_t count_ = 0;
};

}  // namespace

std::vector<lane_cta> lanes_of(const timeline& source, const trace_scale& scale) {
  std::vector<lane_cta> ctas = ctas_of(source, scale);
  std::vector<lane_cta*> by_time;
  for (lane_cta& one : ctas) by_time.push_back(&one);
  const auto key = [](const lane_cta* of) {
    return std::tie(of->device, of->sm, of->begin_ns, of->launch, of->first_warp);
  };
  std::sort(by_time.begin(), by_time.end(), [&](const lane_cta* a, const lane_cta* b) { return key(a) < key(b); });

  lane_keeper lanes;
  const lane_cta* before = nullptr;
  for (lane_cta* const one : by_time) {
    if (before != nullptr && (before->device != one->device || before->sm != one->sm)) lanes = {};
    before = one;
    one->lane = lanes.take(one->begin_ns, one->end_ns);
  }
  return ctas;
}

}  // namespace iket::analysis
