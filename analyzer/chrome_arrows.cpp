// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_arrows.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace iket::analysis {
namespace {

bool is_drawn(const unit_warp& of, index place) {
  const range& one = of.warp->ranges[place];
  return !of.warp->left_out && !one.left_out && !one.token;
}

bool any_is_drawn(cta_group unit) {
  return std::any_of(unit.begin(), unit.end(), [](cta_warps cta) {
    return std::any_of(cta.begin(), cta.end(), [](const warp_timeline& warp) { return !warp.left_out; });
  });
}

}  // namespace

std::uint64_t arrow_finder::find(const launch& of, const std::function<void(const drawn_arrow&)>& visit) {
  std::uint64_t not_drawn = 0;
  const auto add = [&](const unit_relations& unit) {
    collect(unit);
    moments_.resize(std::max(moments_.size(), unit.warps->size()));
    for (std::vector<moments>& one : moments_) one.clear();
    not_drawn += visit_links(of, *unit.warps, visit);
  };
  visit_relations(source_, of, scope_, add, any_is_drawn);
  return not_drawn;
}

std::uint64_t arrow_finder::visit_links(const launch& of, const unit_warps& unit,
                                        const std::function<void(const drawn_arrow&)>& visit) {
  std::uint64_t not_drawn = 0;
  const auto place = [&](std::uint32_t warp) { return static_cast<std::size_t>(unit[warp].warp - of.warps.data()); };
  for (const link& one : links_) {
    if (!is_drawn(unit[one.from_warp], one.from_range) || !is_drawn(unit[one.to_warp], one.to_range)) continue;
    const moments from = moments_of(unit, one.from_warp, one.from_range);
    const moments to = moments_of(unit, one.to_warp, one.to_range);
    const std::int64_t from_ns = std::min(from.last_ns, to.last_ns - static_cast<std::int64_t>(scale_.step_ns));
    if (to.last_ns < to.first_ns || from_ns < from.first_ns) {
      ++not_drawn;
      continue;
    }
    const index stage = unit[one.from_warp].warp->ranges[one.from_range].stage;
    visit({one.kind, one.in_flight ? activities_.in_flight(stage) : stage, place(one.from_warp), from_ns,
           place(one.to_warp), to.last_ns});
  }
  return not_drawn;
}

void arrow_finder::collect(const unit_relations& of) {
  links_.clear();
  for (const release& one : of.releases)
    if (one.by_range != none)
      links_.push_back({arrow_kind::released_by, one.in_flight, one.by_warp, one.by_range, one.warp, one.wait});
  for (const flight& one : of.flights)
    links_.push_back({arrow_kind::in_flight, true, one.warp, one.range, one.seen_by, one.seen_in});
  // The first of those that join two ranges stays: that is the release.
  const auto key = [](const link& one) {
    return std::tuple(one.to_warp, one.to_range, one.from_warp, one.from_range, one.kind == arrow_kind::in_flight);
  };
  const auto ends = [](const link& one) {
    return std::tuple(one.to_warp, one.to_range, one.from_warp, one.from_range);
  };
  std::sort(links_.begin(), links_.end(), [&](const link& a, const link& b) { return key(a) < key(b); });
  links_.erase(
      std::unique(links_.begin(), links_.end(), [&](const link& a, const link& b) { return ends(a) == ends(b); }),
      links_.end());
}

const arrow_finder::moments& arrow_finder::moments_of(const unit_warps& unit, std::uint32_t warp, index range) {
  std::vector<moments>& of = moments_[warp];
  if (of.empty()) find_moments(*unit[warp].warp, of);
  return of[range];
}

void arrow_finder::find_moments(const warp_timeline& warp, std::vector<moments>& to) const {
  to.assign(warp.ranges.size(), {});
  const warp_track track = track_of(warp, scale_);
  const auto step = static_cast<std::int64_t>(scale_.step_ns);
  auto mark = track.marks.begin();
  for (auto one = track.ranges.begin(); one != track.ranges.end(); ++one) {
    std::int64_t last_ns = std::max(one->begin_ns, one->end_ns - step);
    if (one + 1 != track.ranges.end()) last_ns = std::min(last_ns, (one + 1)->begin_ns - step);
    while (mark != track.marks.end() && mark->begin_ns < one->begin_ns) ++mark;
    if (mark != track.marks.end()) last_ns = std::min(last_ns, mark->begin_ns - step);
    to[one->place] = {one->begin_ns, last_ns};
  }
}

}  // namespace iket::analysis
