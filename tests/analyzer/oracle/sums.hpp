// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Overlap and wait cover, one tick after another.
#pragma once

#include <map>

#include "moments.hpp"
#include "picosecond_sum.hpp"

namespace iket::test::oracle {

/// A stage, or its flights.
using activity = std::pair<index, bool>;

inline std::string name_of(const timeline& source, const activity& of) {
  return source.stages[of.first].name + (of.second ? " (in flight)" : "");
}

/// What one warp, or an item that it issued, is busy with in a tick.
struct busy {
  const warp_timeline* warp = nullptr;
  activity with;
  place range;
};

inline std::vector<busy> busy_at(const moments& in, const std::vector<flight>& flights, picoseconds time) {
  std::vector<busy> result;
  for (const place& one : in.ranges())
    if (in.is_self(one, time) && in.is_observed(*one.warp, time))
      result.push_back({one.warp, {one->stage, false}, one});
  for (const flight& one : flights)
    if (one.goes_on(time) && in.is_observed(*one.work.warp, time))
      result.push_back({one.work.warp, {one.work->stage, true}, one.work});
  return result;
}

struct overlap_sum {
  picosecond_sum both = 0;
  picosecond_sum a = 0;
  picosecond_sum b = 0;
};

struct wait_sum {
  picosecond_sum total = 0, related = 0, skew = 0, uncovered = 0;
  std::map<activity, picosecond_sum> covered_by;
};

/// Sums over launches.
struct all_sums {
  std::map<activity, picosecond_sum> times;
  std::map<std::pair<activity, activity>, picosecond_sum> overlaps;
  std::map<std::pair<index, index>, wait_sum> waits;  // by stage and role
};

inline void add_overlaps(const moments& in, const std::vector<busy>& now, scope by, all_sums& to) {
  std::vector<const warp_timeline*> seen;  // the first warp of each unit
  for (const busy& one : now) {
    const auto is_seen = [&](const warp_timeline* other) { return in.is_related(*one.warp, *other, by); };
    if (std::any_of(seen.begin(), seen.end(), is_seen)) continue;
    seen.push_back(one.warp);
    std::set<activity> going_on;
    for (const busy& other : now)
      if (in.is_related(*one.warp, *other.warp, by)) going_on.insert(other.with);
    for (const activity& a : going_on) {
      to.times[a] += tick;
      for (const activity& b : going_on)
        if (a < b) to.overlaps[{a, b}] += tick;
    }
  }
}

inline void add_cover(const moments& in, const std::vector<busy>& now, scope by, all_sums& to) {
  const scope near = by == scope::cta ? scope::cta : scope::cluster;
  for (const busy& one : now) {
    if (one.with.second || !in.is_wait(one.range)) continue;
    wait_sum& sum = to.waits[{one.with.first, one.warp->role}];
    sum.total += tick;
    bool related = false;
    for (const warp_timeline& other : in.warps())
      related = related || (&other != one.warp && in.is_related(*one.warp, other, near));
    if (!related) continue;
    sum.related += tick;
    std::set<activity> others;
    bool own = false;
    for (const busy& other : now) {
      if (!in.is_related(*one.warp, *other.warp, near)) continue;
      const bool works = !other.with.second && !in.is_wait(other.range);
      if (other.with.second || (works && !in.is_of_team(*one.warp, *other.warp))) others.insert(other.with);
      own = own || (works && other.warp != one.warp && in.is_of_team(*one.warp, *other.warp));
    }
    for (const activity& other : others) sum.covered_by[other] += tick;
    if (others.empty()) (own ? sum.skew : sum.uncovered) += tick;
  }
}

inline void add_sums(const moments& in, const std::vector<flight>& flights, scope by, all_sums& to) {
  for (picoseconds time = in.of().begin; time < in.of().end; time += tick) {
    const std::vector<busy> now = busy_at(in, flights, time);
    add_overlaps(in, now, by, to);
    add_cover(in, now, by, to);
  }
}

}  // namespace iket::test::oracle
