// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/pipeline_lines.hpp"

#include <algorithm>
#include <utility>

namespace iket::analysis {
namespace {

template <class Element>
void append(std::vector<Element>&& from, std::vector<Element>& to) {
  if (to.empty())
    to = std::move(from);
  else
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

bool line_gatherer::counts(const unit_warp& of, const range& one) {
  return one.stage != none && one.state == range_state::whole && one.begin >= of.from && one.end <= of.until;
}

void line_gatherer::add(const unit_warps& unit, std::uint32_t cta, std::span<const item_range> items,
                        std::span<const flight> flights, std::size_t launch) {
  add_by_order(unit, cta);
  for (auto& [key, line] : cta_lines_) line.by_order = line.iterations.size();
  add_by_payload(unit, items);
  add_flights(unit, flights);
  const unit_warp& window = unit[unit.first_warp(cta)];
  const line_run run{.launch = launch, .cta = window.warp->cta_linear};
  for (auto& [key, line] : cta_lines_)
    if (!line.iterations.empty()) finish(line, lines_[key], run);
  depth_(flights, window.from, window.until,
         [&](index stage, std::uint64_t depth) { depths_[stage] = std::max(depths_[stage], depth); });
}

void line_gatherer::add_by_order(const unit_warps& unit, std::uint32_t cta) {
  for (std::uint32_t number = unit.first_warp(cta); number < unit.first_warp(cta + 1); ++number) {
    const unit_warp& of = unit[number];
    order_.assign(activities_.stage_count(), 0);
    index last_stage = none;
    cta_line* line = nullptr;
    for (const range& one : of.warp->ranges) {
      if (!counts(of, one) || one.payload_type != payload_type::none) continue;
      if (one.stage != last_stage) line = &cta_lines_[{one.stage, of.warp->role}];
      last_stage = one.stage;
      const std::uint32_t place = order_[one.stage]++;
      if (line->iterations.size() <= place) line->iterations.push_back({one.begin, one.end});
      iteration& to = line->iterations[place];
      to.begin = std::min(to.begin, one.begin);
      to.end = std::max(to.end, one.end);
    }
  }
}

void line_gatherer::add_by_payload(const unit_warps& unit, std::span<const item_range> items) {
  line_key last;
  cta_line* line = nullptr;
  for_each_item(items, [&](std::span<const item_range> item) {
    ++item_;
    for (const item_range& part : item) {
      const unit_warp& of = unit[part.warp];
      const range& one = of.warp->ranges[part.range];
      if (!counts(of, one)) continue;
      const line_key key{one.stage, of.warp->role};
      if (line == nullptr || key != last) line = &cta_lines_[key];
      last = key;
      line->add({one.begin, one.end}, item_);
    }
  });
}

void line_gatherer::add_flights(const unit_warps& unit, std::span<const flight> flights) {
  for (const flight& one : flights) {
    const unit_warp& of = unit[one.warp];
    if (one.begin < of.from || one.end > of.until) continue;
    cta_lines_[{activities_.in_flight(one.stage), of.warp->role}].add({one.begin, one.end}, item_ + one.item);
  }
}

void line_gatherer::cta_line::add(iteration part, std::uint64_t item) {
  if (last_item != item) {
    last_item = item;
    iterations.push_back(part);
    return;
  }
  iteration& to = iterations.back();
  to.begin = std::min(to.begin, part.begin);
  to.end = std::max(to.end, part.end);
}

void line_gatherer::finish(cta_line& line, pipeline_line& to, line_run run) {
  std::vector<iteration>& all = line.iterations;
  std::sort(all.begin(), all.end(), [](const iteration& a, const iteration& b) { return a.begin < b.begin; });
  run.first_begin = all.front().begin;
  run.last_end = all.front().end;
  run.iterations = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    run.last_end = std::max(run.last_end, all[i].end);
    to.latencies.push_back(all[i].end - all[i].begin);
    if (i != 0) to.intervals.push_back(all[i].begin - all[i - 1].begin);
  }
  to.runs.push_back(run);
  to.by_order += line.by_order;
  to.by_payload += all.size() - line.by_order;
  line = {};
}

void line_gatherer::add(line_gatherer&& other) {
  for (auto& [key, from] : other.lines_) {
    pipeline_line& to = lines_[key];
    append(std::move(from.runs), to.runs);
    append(std::move(from.latencies), to.latencies);
    append(std::move(from.intervals), to.intervals);
    to.by_payload += from.by_payload;
    to.by_order += from.by_order;
  }
  for (const auto& [stage, depth] : other.depths_) depths_[stage] = std::max(depths_[stage], depth);
}

std::map<line_key, pipeline_line> line_gatherer::take() {
  for (auto& [key, line] : lines_) {
    std::sort(line.runs.begin(), line.runs.end());
    if (activities_.is_in_flight(key.activity)) line.depth = depths_[activities_.stage_of(key.activity)];
  }
  return std::move(lines_);
}

}  // namespace iket::analysis
