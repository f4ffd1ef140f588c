// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/overlap.hpp"

#include <algorithm>
#include <tuple>

namespace iket::analysis {

overlap_sums::overlap_sums(const activity_table& activities)
    : activities_(activities), count_(activities.size()), times_(activities.size()), pairs_(activities.size()) {}

void overlap_sums::add(std::span<const activity_switch> switches) {
  for (const activity_switch& one : switches) {
    if (one.leaves != none) leave(one.leaves, one.time);
    if (one.enters != none) enter(one.enters, one.time);
  }
}

void overlap_sums::enter(index activity, picoseconds time) {
  if (count_[activity]++ == 0) running_.push_back({activity, time});
}

void overlap_sums::leave(index activity, picoseconds time) {
  if (--count_[activity] != 0) return;
  const auto ended =
      std::find_if(running_.begin(), running_.end(), [&](const running& one) { return one.activity == activity; });
  const picoseconds since = ended->since;
  *ended = running_.back();
  running_.pop_back();
  times_[activity] += time - since;
  for (const running& other : running_)
    if (const picoseconds both = time - std::max(since, other.since); both != 0) pair(activity, other.activity) += both;
}

picosecond_sum& overlap_sums::pair(index a, index b) {
  std::vector<picosecond_sum>& row = pairs_[std::max(a, b)];
  const index place = std::min(a, b);
  if (row.size() <= place) row.resize(place + 1);
  return row[place];
}

void overlap_sums::add(const overlap_sums& other) {
  for (index a = 0; a < other.times_.size(); ++a) {
    times_[a] += other.times_[a];
    for (index b = 0; b < other.pairs_[a].size(); ++b)
      if (other.pairs_[a][b] != 0) pair(a, b) += other.pairs_[a][b];
  }
}

std::vector<overlap_statistics> overlap_sums::take(scope of) const {
  std::vector<overlap_statistics> result;
  for (index a = 0; a < pairs_.size(); ++a)
    for (index b = 0; b < pairs_[a].size(); ++b)
      if (pairs_[a][b] != 0)
        result.push_back({activities_.name(b), activities_.name(a), of, pairs_[a][b], times_[b], times_[a]});
  std::stable_sort(result.begin(), result.end(), [](const overlap_statistics& x, const overlap_statistics& y) {
    return std::tie(y.overlap, x.a, x.b) < std::tie(x.overlap, y.a, y.b);
  });
  return result;
}

}  // namespace iket::analysis
