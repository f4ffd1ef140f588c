// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Iterations and depths, from all ranges at once.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "moments.hpp"

namespace iket::test::oracle {

/// A stage or its flights, and a role.
struct line {
  std::vector<picoseconds> latencies;  ///< sorted
  std::vector<picoseconds> intervals;  ///< sorted
  std::uint64_t ctas = 0;
  std::uint64_t depth = 0;  ///< of flights

  bool operator==(const line&) const = default;
};

using line_name = std::tuple<index, bool, index>;  // stage, in flight, role

/// By line; then by CTA, and by what is the same in an iteration.
using iterations =
    std::map<line_name, std::map<std::uint32_t, std::map<std::string, std::pair<picoseconds, picoseconds>>>>;

inline void add_iteration(iterations& to, const line_name& of, const warp_timeline& warp, const std::string& item,
                          picoseconds begin, picoseconds end) {
  const auto [at, is_new] = to[of][warp.cta_linear].try_emplace(item, begin, end);
  at->second = {std::min(at->second.first, begin), std::max(at->second.second, end)};
}

inline std::string order_on_warp(const moments& in, const place& one) {
  int before = 0;
  for (std::size_t i = 0; i < one.range; ++i) {
    const place other{one.warp, i};
    if (other->stage == one->stage && in.is_whole(other) && other->payload_type == payload_type::none &&
        in.is_observed(*one.warp, other->begin, other->end))
      ++before;
  }
  return "order " + std::to_string(before);
}

inline iterations iterations_of(const moments& in, const std::vector<flight>& flights) {
  iterations result;
  const auto text = [](const std::pair<std::string, int>& item) {
    return item.first + "/" + std::to_string(item.second);
  };
  for (const place& one : in.ranges()) {
    if (!in.is_whole(one) || !in.is_observed(*one.warp, one->begin, one->end)) continue;
    const std::string item =
        one->payload_type == payload_type::none ? order_on_warp(in, one) : text(in.item_and_round(one));
    add_iteration(result, {one->stage, false, one.warp->role}, *one.warp, item, one->begin, one->end);
  }
  for (const flight& one : flights)
    if (in.is_observed(*one.work.warp, one.begin(), one.end()))
      add_iteration(result, {one.work->stage, true, one.work.warp->role}, *one.work.warp, text(one.item), one.begin(),
                    one.end());
  return result;
}

/// The most items of a stage of a CTA that are in flight in one tick.
inline std::uint64_t depth_of(const moments& in, const std::vector<flight>& flights, index stage) {
  std::uint64_t depth = 0;
  for (picoseconds time = in.of().begin; time < in.of().end; time += tick) {
    std::map<std::uint32_t, std::set<std::pair<std::string, int>>> now;
    for (const flight& one : flights)
      if (one.work->stage == stage && one.goes_on(time) && in.is_observed(*one.work.warp, time))
        now[one.work.warp->cta_linear].insert(one.item);
    for (const auto& [cta, items] : now) depth = std::max<std::uint64_t>(depth, items.size());
  }
  return depth;
}

inline void add_lines(const moments& in, const std::vector<flight>& flights, std::map<line_name, line>& to) {
  for (const auto& [name, ctas] : iterations_of(in, flights))
    for (const auto& [cta, items] : ctas) {
      line& of = to[name];
      ++of.ctas;
      std::vector<picoseconds> begins;
      for (const auto& [item, span] : items) {
        begins.push_back(span.first);
        of.latencies.push_back(span.second - span.first);
      }
      std::sort(begins.begin(), begins.end());
      for (std::size_t i = 1; i < begins.size(); ++i) of.intervals.push_back(begins[i] - begins[i - 1]);
    }
  for (auto& [name, of] : to) {
    std::sort(of.latencies.begin(), of.latencies.end());
    std::sort(of.intervals.begin(), of.intervals.end());
  }
}

}  // namespace iket::test::oracle
