// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "slice_summary.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "json_text.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {
namespace {

using json = nlohmann::ordered_json;

json integer(std::uint64_t value) { return value <= largest_exact_integer ? json(value) : json(std::to_string(value)); }

std::string text_of(const number_range& range) {
  const std::string first = std::to_string(range.first);
  return range.first == range.last ? first : first + "-" + std::to_string(range.last);
}

void add(const std::vector<number_range>& ranges, json& to) {
  for (const number_range& range : ranges) to.push_back(text_of(range));
}

json time_ns(const std::optional<picoseconds>& time) { return time ? json(nanoseconds(*time)) : json(nullptr); }

json json_of(const drawn_counts& counts) {
  return {{"launches", integer(counts.launches)},
          {"ctas", integer(counts.ctas)},
          {"warps", integer(counts.warps)},
          {"ranges", integer(counts.ranges)},
          {"points", integer(counts.points)}};
}

json asked_of(const slice_summary& of) {
  const slice_request& asked = of.asked;
  json launches = json::array(), ctas = json::array(), warps = json::array();
  add(asked.launches, launches);
  for (const std::string& kernel : asked.kernels) launches.push_back(kernel);
  add(asked.ctas, ctas);
  for (const auto& [x, y, z] : asked.cta_places)
    ctas.push_back(std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z));
  add(asked.warps, warps);
  return {{"launch", launches},
          {"cta", ctas},
          {"warp", warps},
          {"role", asked.roles},
          {"stage", asked.stage ? json(asked.stage->text) : json(nullptr)},
          {"from_ns", time_ns(asked.from)},
          {"to_ns", time_ns(asked.to)},
          {"group_by", of.group_by == track_grouping::sm ? "sm" : "cta"},
          {"max_json_bytes", of.most_bytes ? integer(*of.most_bytes) : json(nullptr)}};
}

template <class Element>
std::uint64_t drawn(const std::vector<Element>& of) {
  return static_cast<std::uint64_t>(
      std::count_if(of.begin(), of.end(), [](const Element& one) { return !one.left_out; }));
}

}  // namespace

drawn_counts counts_of(const timeline& of) {
  drawn_counts counts;
  for (const launch& one : of.launches) {
    if (one.left_out) continue;
    const warp_timeline* before = nullptr;
    for (const warp_timeline& warp : one.warps) {
      if (warp.left_out) continue;
      if (before == nullptr) ++counts.launches;
      if (before == nullptr || before->cta_linear != warp.cta_linear) ++counts.ctas;
      before = &warp;
      ++counts.warps;
      counts.ranges += drawn(warp.ranges);
      counts.points += drawn(warp.points);
    }
  }
  return counts;
}

std::string slice_json(const slice_summary& of) {
  const json result{{"asked", asked_of(of)},
                    {"total", json_of(of.all)},
                    {"chosen", json_of(of.chosen)},
                    {"drawn", of.drawn ? json_of(*of.drawn) : json(nullptr)},
                    {"ctas_over_limit", integer(of.ctas_over_limit())}};
  return safe_json(result.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string slice_text(const slice_summary& of) {
  if (!of.drawn) return "";
  std::string text;
  if (of.ctas_over_limit() != 0)
    text = std::to_string(of.drawn->ctas) + " of " + std::to_string(of.chosen.ctas) +
           " CTAs drawn, evenly spaced, to keep it small; --max-json none draws all";
  if (of.chosen == of.all) return text;
  const std::string part = std::to_string(of.chosen.ranges + of.chosen.points) + " of " +
                           std::to_string(of.all.ranges + of.all.points) + " ranges, marks and counters were asked for";
  return text.empty() ? part : part + "; " + text;
}

}  // namespace iket::analysis
