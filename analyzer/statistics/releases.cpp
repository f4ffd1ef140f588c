// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/releases.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace iket::analysis {

bool release_finder::is_better(const candidate& a, const candidate& b) {
  return std::tie(b.end, a.warp, b.begin, a.in_flight, a.stage, a.range) <
         std::tie(a.end, b.warp, a.begin, b.in_flight, b.stage, b.range);
}

std::span<const release> release_finder::find(const unit_warps& unit, std::span<const flight> flights,
                                              std::span<const item_wait> own, const activity_table& activities,
                                              picoseconds uncertainty) {
  collect(unit, flights, activities);
  std::vector<release>& waits = waits_.elements;
  if (waits.empty()) return waits;
  best_.assign(waits.size(), nullptr);
  match(unit, true, release_slack);
  if (sms_.size() > 1) match(unit, false, release_slack + uncertainty);
  for (std::size_t i = 0; i < waits.size(); ++i)
    if (best_[i] != nullptr) take(*best_[i], waits[i]);
  prefer_own(unit, flights, own, uncertainty);
  return waits;
}

void release_finder::collect(const unit_warps& unit, std::span<const flight> flights,
                             const activity_table& activities) {
  const auto ends_before = [&](const release& a, const release& b) {
    const auto end_of = [&](const release& wait) { return unit[wait.warp].warp->ranges[wait.wait].end; };
    return std::tuple(end_of(a), a.warp, a.wait) < std::tuple(end_of(b), b.warp, b.wait);
  };
  candidates_.clear();
  waits_.clear();
  sms_.clear();
  sm_of_.clear();
  for (std::uint32_t number = 0; number < unit.size(); ++number) {
    const unit_warp& of = unit[number];
    const auto known = std::find(sms_.begin(), sms_.end(), of.warp->sm);
    sm_of_.push_back(static_cast<std::uint32_t>(known - sms_.begin()));
    if (known == sms_.end()) sms_.push_back(of.warp->sm);
    const auto count = static_cast<index>(of.warp->ranges.size());
    for (index i = 0; i < count; ++i) {
      const range& one = of.warp->ranges[i];
      if (one.stage == none || one.state != range_state::whole) continue;
      if (!activities.is_wait(one.stage))
        candidates_.elements.push_back({one.end, one.begin, one.stage, number, i, false});
      else if (one.end - one.begin > shortest_release && one.begin >= of.from && one.end <= of.until)
        waits_.elements.push_back({.warp = number, .wait = i});
    }
    candidates_.end_run(is_worse);
    waits_.end_run(ends_before);
  }
  for (const flight& one : flights) candidates_.elements.push_back(candidate_of(one));
  candidates_.end_run(is_worse);
  candidates_.merge(is_worse);
  waits_.merge(ends_before);
}

void release_finder::match(const unit_warps& unit, bool same_sm, picoseconds slack) {
  const std::vector<candidate>& candidates = candidates_.elements;
  const std::vector<release>& waits = waits_.elements;
  latest_.assign(sms_.size(), {});
  std::size_t next = 0;
  const auto team_of = [&](const candidate* of) { return unit[of->warp].team; };
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const std::uint32_t warp = waits[i].warp;
    const range& wait = unit[warp].warp->ranges[waits[i].wait];
    for (; next < candidates.size() && candidates[next].end <= wait.end + slack; ++next) {
      latest& of = latest_[sm_of_[candidates[next].warp]];
      if (of.first != nullptr && team_of(of.first) != team_of(&candidates[next])) of.second = of.first;
      of.first = &candidates[next];
    }
    for (std::uint32_t sm = 0; sm < sms_.size(); ++sm) {
      if ((sm == sm_of_[warp]) != same_sm || latest_[sm].first == nullptr) continue;
      const bool own_team = team_of(latest_[sm].first) == unit[warp].team;
      const candidate* const found = own_team ? latest_[sm].second : latest_[sm].first;
      if (found == nullptr || found->end <= wait.begin) continue;
      if (best_[i] == nullptr || is_better(*found, *best_[i])) best_[i] = found;
    }
  }
}

void release_finder::prefer_own(const unit_warps& unit, std::span<const flight> flights, std::span<const item_wait> own,
                                picoseconds uncertainty) {
  const auto place = [](const auto& one) { return std::pair(one.warp, one.range); };
  own_.assign(own.begin(), own.end());
  std::sort(own_.begin(), own_.end(), [&](const item_wait& a, const item_wait& b) { return place(a) < place(b); });
  for (release& wait : waits_.elements) {
    const std::pair of(wait.warp, wait.wait);
    auto at = std::lower_bound(own_.begin(), own_.end(), of,
                               [&](const item_wait& one, const auto& key) { return place(one) < key; });
    const range& waited = unit[wait.warp].warp->ranges[wait.wait];
    std::optional<candidate> best;
    for (; at != own_.end() && place(*at) == of; ++at)
      for (const flight& one : flights.subspan(at->first, at->last - at->first)) {
        const bool same_sm = sm_of_[one.warp] == sm_of_[wait.warp];
        const picoseconds last = waited.end + release_slack + (same_sm ? 0 : uncertainty);
        if (unit[one.warp].team == unit[wait.warp].team || one.end > last) continue;
        if (const candidate found = candidate_of(one); !best || is_better(found, *best)) best = found;
      }
    if (!best) continue;
    wait = {.warp = wait.warp, .wait = wait.wait};
    if (best->end > waited.begin) take(*best, wait);
  }
}

release_finder::candidate release_finder::candidate_of(const flight& of) {
  return {of.end, of.begin, of.stage, of.warp, of.range, true};
}

void release_finder::take(const candidate& found, release& to) {
  to.by_warp = found.warp;
  to.by_range = found.range;
  to.begin = found.begin;
  to.end = found.end;
  to.in_flight = found.in_flight;
}

}  // namespace iket::analysis
