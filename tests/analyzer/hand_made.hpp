// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Timelines made by hand, for tests of what reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "timeline.hpp"

namespace iket::test {

using namespace iket::analysis;

/// The index of `value` in a table, where it is put if it is new.
template <class Element, class Same>
index place_of(std::vector<Element>& table, const Element& value, Same same) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Element& other) { return same(other, value); });
  const auto place = static_cast<index>(found - table.begin());
  if (found == table.end()) table.push_back(value);
  return place;
}

inline payload i32(std::int32_t value) { return {payload_type::i32, static_cast<std::uint32_t>(value)}; }

/// Builds one timeline: launches, in them warps, in them ranges and points, each appended to the last one.
class hand_made {
 public:
  timeline result;

  hand_made() {
    result.file = "hand_made.bin";
    result.devices.push_back({"NVIDIA H200", "GPU-00000000-0000-0000-0000-000000000001", 132, 9, 0, {}});
    result.files.push_back({result.file, 0});
  }

  hand_made& launch(const std::string& kernel, std::uint32_t ctas = 1, std::uint32_t warps_per_cta = 2) {
    analysis::launch one;
    one.kernel = kernel;
    one.file = result.file;
    one.device = 0;
    one.grid = {ctas, 1, 1};
    one.block = {32 * warps_per_cta, 1, 1};
    one.ctas_total = one.ctas_traced = ctas;
    one.warps_per_cta = warps_per_cta;
    one.records_per_warp = 64;
    one.clock = {1.98,
                 32,
                 12.5,
                 9.25,
                 false,
                 std::make_shared<const std::vector<std::vector<std::uint32_t>>>(
                     std::initializer_list<std::vector<std::uint32_t>>{{4, 5, 6}, {7}})};
    result.launches.push_back(one);
    return *this;
  }

  hand_made& warp(std::uint32_t cta, std::uint32_t number, const std::string& role, picoseconds open,
                  picoseconds close) {
    warp_timeline one;
    one.cta = {cta, 0, 0};
    one.cta_linear = cta;
    one.warp = number;
    one.sm = 4 + cta;
    if (!role.empty()) one.role = place_of(result.roles, role, std::equal_to<>());
    one.open = one.observed = open;
    one.close = one.unobserved = close;
    one.closed = true;
    analysis::launch& of = last_launch();
    of.begin = of.warps.empty() ? open : std::min(of.begin, open);
    of.end = std::max(of.end, close);
    of.warps.push_back(one);
    ++of.warps_opened;
    return *this;
  }

  hand_made& lost(std::uint64_t records, picoseconds observed) {
    warp_timeline& to = last_warp();
    to.lost += records;
    to.written += records;
    to.observed = observed;
    return *this;
  }

  /// As `lost`, of a ring that keeps the first records.
  hand_made& lost_newest(std::uint64_t records, picoseconds unobserved) {
    last_launch().keep_first = true;
    lost(records, last_warp().observed);
    last_warp().unobserved = unobserved;
    return *this;
  }

  hand_made& add(stage_kind kind, const std::string& name, picoseconds begin, picoseconds end, payload value = {},
                 range_state state = range_state::whole, bool token = false) {
    range one;
    one.begin = begin;
    one.end = end;
    one.cycles = static_cast<std::uint64_t>(end - begin) * 198 / 100000;
    one.set_payload(value);
    one.stage = stage(kind, name);
    one.source = result.sources.empty() ? none : source_of(name);
    one.state = state;
    one.token = token;
    last_warp().ranges.push_back(one);
    count_records(value.type, state == range_state::whole ? 2 : 1);
    if (state != range_state::whole) {
      odd_events& odd = odd_of(one.stage);
      ++(state == range_state::open ? odd.open : state == range_state::cut ? odd.cut : odd.unmatched);
    }
    return *this;
  }

  hand_made& work(const std::string& name, picoseconds begin, picoseconds end, payload value = {}) {
    return add(stage_kind::work, name, begin, end, value);
  }
  hand_made& wait(const std::string& name, picoseconds begin, picoseconds end, payload value = {}) {
    return add(stage_kind::wait, name, begin, end, value);
  }
  hand_made& token(stage_kind kind, const std::string& name, picoseconds begin, picoseconds end, payload value = {},
                   range_state state = range_state::whole) {
    return add(kind, name, begin, end, value, state, true);
  }

  hand_made& add_point(const std::string& name, picoseconds time, payload value, bool counter) {
    point one;
    one.time = time;
    one.set_payload(value);
    one.counter = counter;
    const point_name named{name, {}};
    one.name =
        place_of(result.points, named, [](const point_name& a, const point_name& b) { return a.name == b.name; });
    one.source = result.sources.empty() ? none : source_of(name);
    last_warp().points.push_back(one);
    count_records(value.type, 1);
    return *this;
  }

  hand_made& cut(stage_kind kind, const std::string& name, std::uint64_t count) {
    odd_of(stage(kind, name)).cut += count;
    return *this;
  }

  /// Lines in a source file, from here on: each name gets its own.
  hand_made& with_sources() {
    source_of("");
    return *this;
  }

  analysis::launch& last_launch() { return result.launches.back(); }
  warp_timeline& last_warp() { return last_launch().warps.back(); }

  /// Sorts the ranges as the model has them and computes what follows from them.
  timeline take() {
    for (analysis::launch& one : result.launches)
      for (warp_timeline& warp : one.warps) {
        finish(warp.ranges);
        warp.last_event = last_event_of(warp);
        warp.cycles = static_cast<std::uint64_t>(warp.unobserved - warp.observed) * 198 / 100000;
        count_inside(warp);
      }
    return std::move(result);
  }

 private:
  index stage(stage_kind kind, const std::string& name) {
    const analysis::stage wanted{name, kind, {}};
    const index place = place_of(result.stages, wanted, [](const analysis::stage& a, const analysis::stage& b) {
      return a.name == b.name && a.kind == b.kind;
    });
    if (!result.sources.empty()) result.stages[place].sources = {result.sources[source_of(name)]};
    return place;
  }

  index source_of(const std::string& name) {
    for (std::size_t i = 0; i < source_names_.size(); ++i)
      if (source_names_[i] == name) return static_cast<index>(i);
    source_names_.push_back(name);
    result.sources.push_back({"pipeline.cu", static_cast<std::uint32_t>(10 * source_names_.size())});
    return static_cast<index>(source_names_.size() - 1);
  }

  odd_events& odd_of(index of) {
    for (odd_events& odd : last_warp().odd)
      if (odd.stage == of) return odd;
    last_warp().odd.push_back({of, 0, 0, 0});
    return last_warp().odd.back();
  }

  void count_records(payload_type type, std::uint64_t events) {
    warp_timeline& to = last_warp();
    to.events += events;
    to.kept += events + payload_records(type);
    to.written += events + payload_records(type);
  }

  static picoseconds last_event_of(const warp_timeline& warp) {
    picoseconds last = warp.open;
    for (const range& one : warp.ranges) last = std::max(last, one.state == range_state::open ? one.begin : one.end);
    for (const point& one : warp.points) last = std::max(last, one.time);
    return last;
  }

  static void count_inside(warp_timeline& warp) {
    for (range& around : warp.ranges) {
      const auto add_if_inside = [&](picoseconds time) {
        around.inside += time > around.begin && time < around.end ? 1 : 0;
      };
      for (const range& one : warp.ranges) {
        add_if_inside(one.begin);
        if (one.state == range_state::whole) add_if_inside(one.end);
      }
      for (const point& one : warp.points) add_if_inside(one.time);
    }
  }

  static void finish(std::vector<range>& ranges) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const range& a, const range& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<range*> open;
    for (range& one : ranges) {
      one.self = one.end - one.begin;
      if (one.token) continue;
      while (!open.empty() && open.back()->end <= one.begin) open.pop_back();
      one.depth = static_cast<std::uint32_t>(open.size()) & range::most_depth;
      if (!open.empty()) open.back()->self -= one.end - one.begin;
      open.push_back(&one);
    }
  }

  std::vector<std::string> source_names_;
};

}  // namespace iket::test
