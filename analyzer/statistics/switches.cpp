// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/switches.hpp"

#include <algorithm>

namespace iket::analysis {
namespace {

bool is_earlier(const activity_switch& a, const activity_switch& b) { return a.time < b.time; }

}  // namespace

std::span<const activity_switch> switch_list::of(const unit_warps& unit, std::span<const flight> flights,
                                                 const activity_table& activities) {
  switches_.clear();
  runs_.clear();
  for (std::uint32_t number = 0; number < unit.size(); ++number) {
    add_stack(unit, number);
    add_tokens(unit, number);
  }
  add_flights(unit, flights, activities);
  merge_runs();
  return switches_;
}

void switch_list::add_stack(const unit_warps& unit, std::uint32_t number) {
  const unit_warp& of = unit[number];
  picoseconds now = of.from;
  index in = none;
  walk_(*of.warp, of.from, of.until, [&](index range, picoseconds begin, picoseconds end) {
    const index stage = of.warp->ranges[range].stage;
    if (begin != now && in != none) {
      switches_.push_back({now, in, none, number});
      in = none;
    }
    if (in != stage) switches_.push_back({begin, in, stage, number});
    in = stage;
    now = end;
  });
  if (in != none) switches_.push_back({now, in, none, number});
  end_run(true);
}

void switch_list::add_tokens(const unit_warps& unit, std::uint32_t number) {
  for (const range& one : unit[number].warp->ranges)
    if (one.token && one.stage != none) add_interval(unit, number, one.begin, one.end, one.stage);
  end_run(false);
}

void switch_list::add_flights(const unit_warps& unit, std::span<const flight> flights,
                              const activity_table& activities) {
  for (const flight& one : flights) add_interval(unit, one.warp, one.begin, one.end, activities.in_flight(one.stage));
  end_run(false);
}

void switch_list::add_interval(const unit_warps& unit, std::uint32_t number, picoseconds begin, picoseconds end,
                               index activity) {
  begin = std::max(begin, unit[number].from);
  end = std::min(end, unit[number].until);
  if (begin >= end) return;
  switches_.push_back({begin, none, activity, number});
  switches_.push_back({end, activity, none, number});
}

void switch_list::end_run(bool sorted) {
  const std::size_t begin = runs_.empty() ? 0 : runs_.back();
  if (begin == switches_.size()) return;
  // The two of an interval are in order of time, so no order among equal times makes an end come first.
  if (!sorted) std::sort(switches_.begin() + static_cast<std::ptrdiff_t>(begin), switches_.end(), is_earlier);
  runs_.push_back(switches_.size());
}

void switch_list::merge_runs() {
  while (runs_.size() > 1) {
    merged_.resize(switches_.size());
    std::size_t begin = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < runs_.size(); i += 2) {
      const std::size_t middle = runs_[i];
      const std::size_t end = i + 1 < runs_.size() ? runs_[i + 1] : middle;
      const auto at = [&](std::size_t place) { return switches_.begin() + static_cast<std::ptrdiff_t>(place); };
      std::merge(at(begin), at(middle), at(middle), at(end), merged_.begin() + static_cast<std::ptrdiff_t>(begin),
                 is_earlier);
      runs_[kept++] = end;
      begin = end;
    }
    runs_.resize(kept);
    switches_.swap(merged_);
  }
}

}  // namespace iket::analysis
