// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What the analyzer computes in sweeps, against the plain definitions, on many small timelines.
#include <catch.hpp>

#include <cmath>
#include <cstdlib>
#include <map>

#include "oracle/lines.hpp"
#include "oracle/moments.hpp"
#include "oracle/path.hpp"
#include "oracle/random_launches.hpp"
#include "oracle/sums.hpp"
#include "parallel.hpp"
#include "stage_statistics.hpp"
#include "statistics/critical_path.hpp"
#include "statistics/imbalance.hpp"
#include "statistics/related_statistics.hpp"
#include "statistics/relations.hpp"
#include "statistics/tail.hpp"

namespace iket::test {
namespace {

constexpr std::uint32_t timelines = 3000;
constexpr std::array scopes{scope::cta, scope::cluster, scope::sm, scope::gpu};

/// Calls `check(timeline, group, seed)` for the groups of many timelines.
template <class Check>
void for_each_group(Check check) {
  for (std::uint32_t seed = 1; seed <= timelines; ++seed) {
    const timeline source = random_launches(seed).make();
    for (const launch_group& group : group_launches(source)) {
      INFO("seed " << seed);
      check(source, group, seed);
    }
  }
}

TEST_CASE("oracle: flights and releases are the same, one by one") {
  std::size_t flights = 0, releases = 0, across = 0;
  for_each_group([&](const timeline& source, const launch_group& group, std::uint32_t seed) {
    const scope by = scopes[seed % scopes.size()];
    for (const launch* one : group) {
      const oracle::moments in(source, *one);
      const auto expected_flights = oracle::flights_of(in);
      const auto expected_releases = oracle::releases_of(in, expected_flights, by);
      std::set<std::array<const void*, 2>> found_flights, known_flights;
      std::map<const void*, std::pair<const void*, bool>> found_releases, known_releases;
      visit_relations(source, *one, by, [&](const unit_relations& of) {
        const auto at = [&](std::uint32_t warp, index range) { return &(*of.warps)[warp].warp->ranges[range]; };
        for (const flight& f : of.flights) {
          REQUIRE(f.begin == at(f.warp, f.range)->end);
          REQUIRE(f.end == at(f.seen_by, f.seen_in)->end);
          found_flights.insert({at(f.warp, f.range), at(f.seen_by, f.seen_in)});
        }
        for (const release& r : of.releases) {
          found_releases[at(r.warp, r.wait)] = {r.by_range == none ? nullptr : at(r.by_warp, r.by_range), r.in_flight};
          across += r.by_range != none && (*of.warps)[r.warp].cta != (*of.warps)[r.by_warp].cta ? 1 : 0;
        }
      });
      for (const oracle::flight& f : expected_flights) known_flights.insert({&*f.work, &*f.wait});
      for (const oracle::release& r : expected_releases)
        known_releases[&*r.wait] = {r.by ? &**r.by : nullptr, r.by && r.in_flight};
      REQUIRE(found_flights == known_flights);
      REQUIRE(found_releases == known_releases);
      flights += known_flights.size();
      for (const auto& [wait, by_what] : known_releases) releases += by_what.first != nullptr ? 1 : 0;
    }
  });
  CHECK(flights > timelines);
  CHECK(releases > timelines);
  CHECK(across > 100);
}

void check_overlaps(const timeline& source, const oracle::all_sums& expected,
                    const std::vector<overlap_statistics>& found) {
  REQUIRE(found.size() == expected.overlaps.size());
  // Stages of two kinds may have one name: what is compared is which sums there are.
  std::multiset<std::array<picosecond_sum, 3>> found_sums, known_sums;
  std::multiset<std::string> found_names, known_names;
  const auto both = [](const std::string& a, const std::string& b) { return std::min(a, b) + " & " + std::max(a, b); };
  for (const overlap_statistics& one : found) {
    found_sums.insert({one.overlap, std::min(one.a_time, one.b_time), std::max(one.a_time, one.b_time)});
    found_names.insert(both(one.a, one.b));
  }
  for (const auto& [pair, time] : expected.overlaps) {
    const picosecond_sum a = expected.times.at(pair.first), b = expected.times.at(pair.second);
    known_sums.insert({time, std::min(a, b), std::max(a, b)});
    known_names.insert(both(oracle::name_of(source, pair.first), oracle::name_of(source, pair.second)));
  }
  REQUIRE((found_sums == known_sums));
  REQUIRE(found_names == known_names);
}

void check_waits(const timeline& source, const oracle::all_sums& expected, const std::vector<wait_statistics>& found,
                 const std::map<std::array<std::string, 4>, std::uint64_t>& releases) {
  std::size_t with_time = 0;
  std::map<std::array<std::string, 4>, std::uint64_t> found_releases;
  for (const wait_statistics& wait : found) {
    std::uint64_t released = 0;
    for (const releaser& by : wait.released_by) {
      found_releases[{wait.stage, wait.role, by.stage, by.role}] += by.count;
      released += by.count;
    }
    if (wait.long_waits != released) found_releases[{wait.stage, wait.role, "", ""}] += wait.long_waits - released;
    for (const auto& [key, sum] : expected.waits) {
      if (source.stages[key.first].name != wait.stage || role_name(source, key.second) != wait.role) continue;
      ++with_time;
      REQUIRE(bool(wait.total == sum.total));
      REQUIRE(bool(wait.related == sum.related));
      REQUIRE(bool(wait.skew == sum.skew));
      REQUIRE(bool(wait.uncovered == sum.uncovered));
      std::map<std::string, picosecond_sum> known, covered;
      for (const auto& [by, time] : sum.covered_by) known[oracle::name_of(source, by)] += time;
      for (const cover_part& part : wait.covered_by) covered[part.activity] += part.time;
      REQUIRE((covered == known));
    }
  }
  REQUIRE(with_time == expected.waits.size());
  REQUIRE(found_releases == releases);
}

TEST_CASE("oracle: overlap, wait cover and releasers are the same sums, in all scopes, on any number of threads") {
  picosecond_sum skew = 0, uncovered = 0, covered = 0;
  for_each_group([&](const timeline& source, const launch_group& group, std::uint32_t seed) {
    const scope by = scopes[seed % scopes.size()];
    oracle::all_sums expected;
    std::map<std::array<std::string, 4>, std::uint64_t> releases;
    for (const launch* one : group) {
      const oracle::moments in(source, *one);
      const auto flights = oracle::flights_of(in);
      oracle::add_sums(in, flights, by, expected);
      for (const oracle::release& of : oracle::releases_of(in, flights, by)) {
        const std::string waiting = role_name(source, of.wait.warp->role);
        if (!of.by)
          ++releases[{in.stage_of(of.wait).name, waiting, "", ""}];
        else
          ++releases[{in.stage_of(of.wait).name, waiting,
                      in.stage_of(*of.by).name + (of.in_flight ? " (in flight)" : ""),
                      role_name(source, of.by->warp->role)}];
      }
    }
    limit_threads(1 + seed % 3);
    const related_statistics found = related_statistics_of(source, group, by);
    limit_threads(0);
    check_overlaps(source, expected, found.overlap);
    check_waits(source, expected, found.waits, releases);
    for (const wait_statistics& wait : found.waits) {
      skew += wait.skew;
      uncovered += wait.uncovered;
      for (const cover_part& part : wait.covered_by) covered += part.time;
    }
  });
  CHECK(bool(skew > picosecond_sum{tick} * timelines / 10));
  CHECK(bool(uncovered > picosecond_sum{tick} * timelines));
  CHECK(bool(covered > picosecond_sum{tick} * timelines));
}

TEST_CASE("oracle: the critical path is the same, and sums to the duration") {
  std::map<path_kind, std::uint64_t> kinds;
  for_each_group([&](const timeline& source, const launch_group& group, std::uint32_t seed) {
    const scope by = scopes[seed % scopes.size()];
    oracle::path_shares expected;
    picosecond_sum duration = 0;
    for (const launch* one : group) {
      const oracle::moments in(source, *one);
      const auto releases = oracle::releases_of(in, oracle::flights_of(in), by);
      oracle::walk(source, in, releases, expected).run();
      duration += one->end - one->begin;
    }
    const critical_path found = critical_path_of(source, group, by);
    oracle::path_shares shares;
    picosecond_sum sum = 0;
    for (const path_share& one : found.shares) {
      shares[one.stage + (one.kind == path_kind::wait ? " (wait)" : "")] += one.time;
      sum += one.time;
      ++kinds[one.kind];
    }
    REQUIRE(bool(sum == duration));
    REQUIRE(bool(found.duration == duration));
    REQUIRE((shares == expected));
  });
  CHECK(kinds.size() == 8);
  for (const auto& [kind, count] : kinds) CHECK(count > 50);
}

TEST_CASE("oracle: iterations and depths are the same") {
  std::uint64_t deep = 0;
  for_each_group([&](const timeline& source, const launch_group& group, std::uint32_t) {
    std::map<oracle::line_name, oracle::line> expected;
    const activity_table activities{&source.stages};
    line_gatherer gatherer(activities);
    relation_finder finder(activities);
    std::map<index, std::uint64_t> depths;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const oracle::moments in(source, *group[i]);
      const auto in_flight = oracle::flights_of(in);
      oracle::add_lines(in, in_flight, expected);
      for (index stage = 0; stage < activities.stage_count(); ++stage)
        depths[stage] = std::max(depths[stage], oracle::depth_of(in, in_flight, stage));
      const scope_units units(*group[i], scope::cluster);
      for (std::size_t unit = 0; unit < units.size(); ++unit)
        (void)finder.find_flights(units[unit], [&](std::uint32_t cta, auto items, auto flights) {
          gatherer.add(finder.warps(), cta, items, flights, i);
        });
    }
    for (auto& [name, of] : expected)
      if (std::get<1>(name)) of.depth = depths.at(std::get<0>(name));
    std::map<oracle::line_name, oracle::line> found;
    auto lines = gatherer.take();
    for (auto& [key, of] : lines) {
      std::sort(of.latencies.begin(), of.latencies.end());
      std::sort(of.intervals.begin(), of.intervals.end());
      const bool in_flight = activities.is_in_flight(key.activity);
      found[{activities.stage_of(key.activity), in_flight, key.role}] = {of.latencies, of.intervals, of.runs.size(),
                                                                         of.depth};
      deep += of.depth > 1 ? 1 : 0;
    }
    REQUIRE(found == expected);
  });
  CHECK(deep > 50);
}

TEST_CASE("oracle: imbalance and tail") {
  for_each_group([](const timeline& source, const launch_group& group, std::uint32_t) {
    for (const imbalance_statistics& found : imbalance_of(source, group)) {
      std::map<std::tuple<const launch*, std::uint32_t, std::uint32_t>, picosecond_sum> members;
      for (const launch* one : group)
        for (const warp_timeline& warp : one->warps) {
          if (role_name(source, warp.role) != found.role) continue;
          const bool by_warp = found.across == division::warps, by_sm = found.across == division::sms;
          picosecond_sum& total = members[{one, by_sm ? warp.sm : warp.cta_linear, by_warp ? warp.warp : 0}];
          for (const range& of : warp.ranges)
            if (of.state == range_state::whole && source.stages[of.stage].name == found.stage &&
                source.stages[of.stage].kind == found.kind)
              total += of.end - of.begin;
        }
      picosecond_sum sum = 0, max = 0;
      for (const auto& [member, total] : members) {
        sum += total;
        max = std::max(max, total);
      }
      REQUIRE(found.n == members.size());
      REQUIRE(bool(found.sum == sum));
      REQUIRE(bool(found.max == max));
      double squares = 0;
      for (const auto& [member, total] : members) squares += std::pow(static_cast<double>(total) - found.mean_ps(), 2);
      REQUIRE(found.variance == Approx(squares / static_cast<double>(found.n)));
    }
    picosecond_sum medians = 0, lasts = 0;
    for (const launch* one : group) {
      std::map<std::uint32_t, picoseconds> ends;
      const oracle::moments in(source, *one);
      for (const warp_timeline& warp : one->warps) {
        picoseconds& end = ends.try_emplace(in.sm_of(warp), warp.close).first->second;
        end = std::max(end, warp.close);
      }
      // The smallest end with at least half of all ends at or before it.
      picoseconds median = one->end;
      for (const auto& [sm, end] : ends) {
        std::size_t until = 0;
        for (const auto& [other, other_end] : ends) until += other_end <= end ? 1 : 0;
        if (2 * until >= ends.size()) median = std::min(median, end);
      }
      medians += median - one->begin;
      lasts += one->end - one->begin;
    }
    const auto tail = tail_of(group);
    REQUIRE(tail.has_value());
    REQUIRE(bool(tail->median_end == medians));
    REQUIRE(bool(tail->last_end == lasts));
  });
}

}  // namespace
}  // namespace iket::test
