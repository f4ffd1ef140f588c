// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_sequence.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace iket::analysis {
namespace {

std::optional<double> mean(picosecond_sum sum, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum) / static_cast<double>(count);
}

/// Those of one device that have a duration, by begin.
std::vector<const launch*> timed_launches(const timeline& source, index device) {
  std::vector<const launch*> launches;
  for (const launch& one : source.launches)
    if (one.device == device && !one.warps.empty()) launches.push_back(&one);
  std::stable_sort(launches.begin(), launches.end(),
                   [](const launch* a, const launch* b) { return a->begin < b->begin; });
  return launches;
}

}  // namespace

std::optional<double> launch_sequence::mean_overlap_ps() const { return mean(overlap, overlapping); }
std::optional<double> launch_sequence::mean_gap_ps() const { return mean(gap, followers - overlapping); }

launch_sequence sequence_of(const timeline& source, const launch_group& group) {
  const std::unordered_set<const launch*> members(group.begin(), group.end());
  const std::vector<const launch*> launches = timed_launches(source, group.front()->device);
  launch_sequence result;
  picoseconds last_end = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const launch& one = *launches[i];
    if (i != 0 && members.count(&one) != 0) {
      ++result.followers;
      const picoseconds overlap = std::min(one.end, last_end) - one.begin;
      if (overlap > 0) {
        ++result.overlapping;
        result.overlap += overlap;
      } else {
        result.gap += one.begin - last_end;
      }
    }
    last_end = i == 0 ? one.end : std::max(last_end, one.end);
  }
  return result;
}

}  // namespace iket::analysis
