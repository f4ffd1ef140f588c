// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/tail.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "stage_statistics.hpp"
#include "statistics/scope.hpp"

namespace iket::analysis {
namespace {

/// The last CTA end on each SM, from the first to the last.
std::vector<picoseconds> last_ends(const launch& of) {
  std::unordered_map<std::uint32_t, picoseconds> by_sm;
  for (const cta_warps& cta : ctas_of(of))
    for (const warp_timeline& warp : cta) {
      const auto [place, is_new] = by_sm.try_emplace(cta.front().sm, warp.close);
      if (!is_new) place->second = std::max(place->second, warp.close);
    }
  std::vector<picoseconds> ends;
  ends.reserve(by_sm.size());
  for (const auto& [sm, end] : by_sm) ends.push_back(end);
  std::sort(ends.begin(), ends.end());
  return ends;
}

}  // namespace

std::optional<double> tail_statistics::fraction() const {
  if (duration == 0) return std::nullopt;
  return static_cast<double>(tail()) / static_cast<double>(duration);
}

std::optional<tail_statistics> tail_of(const launch_group& group) {
  tail_statistics result;
  for (const launch* one : group) {
    if (one->warps.empty()) continue;
    const std::vector<picoseconds> ends = last_ends(*one);
    result.fewest_sms = result.launches == 0 ? ends.size() : std::min<std::uint64_t>(result.fewest_sms, ends.size());
    ++result.launches;
    result.median_end += percentile(ends, 50) - one->begin;
    result.last_end += ends.back() - one->begin;
    result.duration += one->end - one->begin;
  }
  if (result.launches == 0) return std::nullopt;
  return result;
}

}  // namespace iket::analysis
