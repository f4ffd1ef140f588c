// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/flights.hpp"

#include <algorithm>
#include <tuple>

#include "limits.hpp"

namespace iket::analysis {
namespace {

const range& range_of(const unit_warps& unit, const item_range& item) {
  return unit[item.warp].warp->ranges[item.range];
}

}  // namespace

void flight_finder::find(const unit_warps& unit, std::span<const item_range> items, const activity_table& activities,
                         picoseconds shortest_wait, std::vector<flight>& to, std::vector<item_wait>& waits) {
  for_each_item(
      items, [&](std::span<const item_range> item) { find_of_item(unit, item, activities, shortest_wait, to, waits); });
}

void flight_finder::find_of_item(const unit_warps& unit, std::span<const item_range> item,
                                 const activity_table& activities, picoseconds shortest_wait, std::vector<flight>& to,
                                 std::vector<item_wait>& waits) {
  waits_.clear();
  bool has_work = false;
  for (const item_range& one : item) {
    has_work = has_work || !activities.is_wait(one.stage);
    const range& of = range_of(unit, one);
    if (activities.is_wait(one.stage) && of.state == range_state::whole) waits_.push_back({of.end, &one});
  }
  if (waits_.empty() || !has_work) return;
  std::sort(waits_.begin(), waits_.end(), [](const wait_end& a, const wait_end& b) {
    return std::tie(a.end, a.wait->warp, a.wait->stage) < std::tie(b.end, b.wait->warp, b.wait->stage);
  });
  const std::size_t waits_before = waits.size();
  std::size_t flying = 0;
  for (std::size_t first = 0, i = 1; i <= item.size(); ++i) {
    if (i != item.size() && item[i].stage == item[first].stage) continue;
    if (!activities.is_wait(item[first].stage)) {
      const std::size_t before = to.size();
      find_of_stage(unit, item.subspan(first, i - first), to);
      if (before != to.size() && ++flying <= limits::flying_stages_of_item)
        for (const wait_end& wait : eligible_)
          if (wait.end - range_of(unit, *wait.wait).begin > shortest_wait)
            waits.push_back({wait.wait->warp, wait.wait->range, before, to.size()});
    }
    first = i;
  }
  if (flying > limits::flying_stages_of_item) waits.resize(waits_before);
}

void flight_finder::find_of_stage(const unit_warps& unit, std::span<const item_range> work, std::vector<flight>& to) {
  const auto does_it_later = [&](const wait_end& wait) {
    const auto own = std::lower_bound(work.begin(), work.end(), wait.wait->warp,
                                      [](const item_range& one, std::uint32_t warp) { return one.warp < warp; });
    return own != work.end() && own->warp == wait.wait->warp && range_of(unit, *own).begin >= wait.end;
  };
  eligible_.clear();
  std::remove_copy_if(waits_.begin(), waits_.end(), std::back_inserter(eligible_), does_it_later);
  ++items_;
  for (const item_range& one : work) {
    const range& of = range_of(unit, one);
    if (of.state != range_state::whole) continue;
    auto seen = std::upper_bound(eligible_.begin(), eligible_.end(), of.end,
                                 [](picoseconds time, const wait_end& wait) { return time < wait.end; });
    // A warp has one range of an item for each of its wait stages: few are passed over.
    while (seen != eligible_.end() && seen->wait->warp == one.warp) ++seen;
    if (seen == eligible_.end()) continue;
    to.push_back({of.end, seen->end, one.stage, one.warp, one.range, seen->wait->warp, seen->wait->range, items_});
  }
}

void depth_counter::collect(std::span<const flight> of, picoseconds from, picoseconds until) {
  spans_.clear();
  for (const flight& one : of)
    if (const picoseconds begin = std::max(one.begin, from), end = std::min(one.end, until); begin < end)
      spans_.push_back({one.stage, one.item, begin, end});
  std::sort(spans_.begin(), spans_.end(), [](const item_span& a, const item_span& b) {
    return std::tie(a.stage, a.item, a.begin) < std::tie(b.stage, b.item, b.begin);
  });
  std::size_t kept = 0;
  for (const item_span& one : spans_) {
    item_span* const last = kept == 0 ? nullptr : &spans_[kept - 1];
    if (last != nullptr && last->stage == one.stage && last->item == one.item && one.begin <= last->end)
      last->end = std::max(last->end, one.end);
    else
      spans_[kept++] = one;
  }
  spans_.resize(kept);
}

std::uint64_t depth_counter::deepest(std::size_t first, std::size_t last) {
  begins_.clear();
  ends_.clear();
  for (std::size_t i = first; i < last; ++i) {
    begins_.push_back(spans_[i].begin);
    ends_.push_back(spans_[i].end);
  }
  std::sort(begins_.begin(), begins_.end());
  std::sort(ends_.begin(), ends_.end());
  std::size_t ended = 0;
  std::size_t deepest = 0;
  for (std::size_t begun = 0; begun < begins_.size(); ++begun) {
    while (ends_[ended] <= begins_[begun]) ++ended;
    deepest = std::max(deepest, begun + 1 - ended);
  }
  return deepest;
}

}  // namespace iket::analysis
