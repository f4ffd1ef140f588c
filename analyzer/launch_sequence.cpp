// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_sequence.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace iket::analysis {
namespace {

std::optional<double> mean(picosecond_sum sum, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum) / static_cast<double>(count);
}

}  // namespace

std::optional<double> launch_sequence::mean_overlap_ps() const { return mean(overlap, overlapping); }
std::optional<double> launch_sequence::mean_gap_ps() const { return mean(gap, followers - overlapping); }

launch_order::launch_order(const timeline& source) : source_(source), last_ends_(source.launches.size()) {
  std::vector<std::size_t> timed;
  for (std::size_t i = 0; i < source.launches.size(); ++i)
    if (!source.launches[i].warps.empty()) timed.push_back(i);
  const auto key = [&](std::size_t of) {
    return std::tuple(source.launches[of].device, source.launches[of].begin, of);
  };
  std::sort(timed.begin(), timed.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < timed.size(); ++i) {
    const launch& before = source.launches[timed[i - 1]];
    if (before.device != source.launches[timed[i]].device) continue;
    last_ends_[timed[i]] = std::max(before.end, last_ends_[timed[i - 1]].value_or(before.end));
  }
}

launch_sequence launch_order::sequence_of(const launch_group& group) const {
  launch_sequence result;
  for (const launch* const one : group) {
    const std::optional<picoseconds>& last_end = last_ends_[static_cast<std::size_t>(one - source_.launches.data())];
    if (!last_end) continue;
    ++result.followers;
    const picoseconds overlap = std::min(one->end, *last_end) - one->begin;
    if (overlap > 0) {
      ++result.overlapping;
      result.overlap += overlap;
    } else {
      result.gap += one->begin - *last_end;
    }
  }
  return result;
}

}  // namespace iket::analysis
