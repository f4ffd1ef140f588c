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
  for (std::uint32_t number = 0; number < unit.size(); ++number) {
    add_stack(unit, number);
    add_tokens(unit, number);
  }
  add_flights(unit, flights, activities);
  switches_.merge(is_earlier);
  return switches_.elements;
}

void switch_list::add_stack(const unit_warps& unit, std::uint32_t number) {
  const unit_warp& of = unit[number];
  picoseconds now = of.from;
  index in = none;
  walk_(*of.warp, of.from, of.until, [&](index range, picoseconds begin, picoseconds end) {
    const index stage = of.warp->ranges[range].stage;
    if (begin != now && in != none) {
      switches_.elements.push_back({now, in, none, number});
      in = none;
    }
    if (in != stage) switches_.elements.push_back({begin, in, stage, number});
    in = stage;
    now = end;
  });
  if (in != none) switches_.elements.push_back({now, in, none, number});
  switches_.end_run(is_earlier);
}

void switch_list::add_tokens(const unit_warps& unit, std::uint32_t number) {
  for (const range& one : unit[number].warp->ranges)
    if (one.token && one.stage != none) add_interval(unit, number, one.begin, one.end, one.stage);
  switches_.end_run(is_earlier);
}

void switch_list::add_flights(const unit_warps& unit, std::span<const flight> flights,
                              const activity_table& activities) {
  for (const flight& one : flights) add_interval(unit, one.warp, one.begin, one.end, activities.in_flight(one.stage));
  switches_.end_run(is_earlier);
}

void switch_list::add_interval(const unit_warps& unit, std::uint32_t number, picoseconds begin, picoseconds end,
                               index activity) {
  begin = std::max(begin, unit[number].from);
  end = std::min(end, unit[number].until);
  if (begin >= end) return;
  switches_.elements.push_back({begin, none, activity, number});
  switches_.elements.push_back({end, activity, none, number});
}

}  // namespace iket::analysis
