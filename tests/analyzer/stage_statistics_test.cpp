// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <algorithm>
#include <map>

#include "hand_made.hpp"
#include "random_timeline.hpp"
#include "stage_statistics.hpp"

namespace iket::test {
namespace {

std::vector<stage_statistics> all_stages(const timeline& source) {
  const std::vector<launch_group> groups = group_launches(source);
  REQUIRE(groups.size() == 1);
  return stage_statistics_of(source, groups.front());
}

const stage_statistics& named(const std::vector<stage_statistics>& stages, std::string_view name) {
  const auto found = std::find_if(stages.begin(), stages.end(), [&](const auto& one) { return one.name == name; });
  REQUIRE(found != stages.end());
  return *found;
}

TEST_CASE("a percentile is the value at rank ceil(p * n)") {
  std::vector<picoseconds> values;
  for (picoseconds i = 1; i <= 10; ++i) values.push_back(10 * i);
  CHECK(percentile(values, 50) == 50);   // rank 5, not 5.5
  CHECK(percentile(values, 90) == 90);   // rank 9: 0.9 * 10 in doubles would do as well
  CHECK(percentile(values, 99) == 100);  // rank 9.9 -> 10
  CHECK(percentile(values, 1) == 10);
  CHECK(percentile(values, 100) == 100);
  values.push_back(110);
  CHECK(percentile(values, 50) == 60);  // rank 5.5 -> 6
  CHECK(percentile(values, 90) == 100);
  CHECK(percentile(std::vector<picoseconds>{7}, 50) == 7);
}

TEST_CASE("a percentile's rank does not suffer from binary fractions") {
  // 0.07 * 100 is 7.000000000000001 in doubles, whose ceiling is 8.
  std::vector<picoseconds> values;
  for (picoseconds i = 1; i <= 100; ++i) values.push_back(i);
  for (std::uint64_t percent = 1; percent <= 100; ++percent)
    CHECK(percentile(values, percent) == static_cast<picoseconds>(percent));
}

TEST_CASE("durations are inclusive, self time is without what is nested") {
  hand_made made;
  made.launch("kernel");
  made.warp(0, 0, "consumer", 0, 1000);
  made.work("outer", 100, 500).work("inner", 150, 250).work("inner", 300, 310).wait("outer", 600, 700);
  const auto stages = all_stages(made.take());
  REQUIRE(stages.size() == 3);
  const stage_statistics& outer = stages[0];
  CHECK(outer.name == "outer");
  CHECK(outer.kind == stage_kind::work);
  CHECK(outer.count == 1);
  CHECK(outer.total == 400);
  CHECK(outer.self == 290);
  CHECK(*outer.share() == Approx(0.29));
  const stage_statistics& inner = stages[1];
  CHECK(inner.name == "inner");
  CHECK(inner.count == 2);
  CHECK(inner.total == 110);
  CHECK(inner.self == 110);
  CHECK(*inner.mean_ps() == Approx(55));
  CHECK(inner.spread->min == 10);
  CHECK(inner.spread->p50 == 10);
  CHECK(inner.spread->max == 100);
  CHECK(stages[2].kind == stage_kind::wait);
}

TEST_CASE("one name of both kinds is two stages, and self time decides the order") {
  hand_made made;
  made.launch("kernel");
  made.warp(0, 0, "", 0, 100).work("x", 0, 10).wait("x", 20, 80);
  const auto stages = all_stages(made.take());
  REQUIRE(stages.size() == 2);
  CHECK(stages[0].kind == stage_kind::wait);
  CHECK(stages[1].kind == stage_kind::work);
}

TEST_CASE("a share is of the observed time of the warps that ran the stage") {
  hand_made made;
  made.launch("kernel", 1, 3);
  made.warp(0, 0, "a", 0, 1000).lost(5, 500).work("x", 600, 700);
  made.warp(0, 1, "b", 0, 300).work("x", 0, 100);
  made.warp(0, 2, "c", 0, 9000).work("y", 0, 100);
  const auto stages = all_stages(made.take());
  const stage_statistics& x = named(stages, "x");
  CHECK(x.observed == 800);
  CHECK(*x.share() == Approx(0.25));
  CHECK(x.roles == std::vector<std::string>{"a", "b"});
  CHECK(named(stages, "y").roles == std::vector<std::string>{"c"});
}

TEST_CASE("open, cut and unmatched ranges are counted and left out of durations") {
  hand_made made;
  made.launch("kernel");
  made.warp(0, 0, "", 0, 1000);
  made.work("x", 0, 100);
  made.add(stage_kind::work, "x", 200, 300, {}, range_state::unmatched);
  made.add(stage_kind::work, "x", 400, 1000, {}, range_state::open);
  made.cut(stage_kind::work, "x", 4).cut(stage_kind::wait, "only cut", 2);
  const auto stages = all_stages(made.take());
  const stage_statistics& x = named(stages, "x");
  CHECK(x.count == 1);
  CHECK(x.total == 100);
  CHECK(x.self == 100);
  CHECK(x.spread->max == 100);
  CHECK(x.open == 1);
  CHECK(x.open_time == 600);
  CHECK(x.cut == 4);
  CHECK(x.unmatched == 1);
  const stage_statistics& cut = named(stages, "only cut");
  CHECK(cut.count == 0);
  CHECK(cut.cut == 2);
  CHECK(!cut.share());
  CHECK(!cut.mean_ps());
  CHECK(!cut.spread);
  CHECK(cut.roles == std::vector<std::string>{"-"});
}

TEST_CASE("a share leaves out the time behind the last kept record, durations what was cut there") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 1000).work("x", 100, 200);
  made.add(stage_kind::work, "x", 300, 400, {}, range_state::cut).lost_newest(5, 400);
  const auto stages = all_stages(made.take());
  const stage_statistics& x = named(stages, "x");
  CHECK(x.count == 1);
  CHECK(x.total == 100);
  CHECK(x.cut == 1);
  CHECK(x.open == 0);
  CHECK(x.observed == 400);
  CHECK(*x.share() == Approx(0.25));
}

TEST_CASE("a warp of no length gives no share") {
  hand_made made;
  made.launch("kernel");
  made.warp(0, 0, "", 50, 50).work("x", 50, 50);
  const auto stages = all_stages(made.take());
  CHECK(stages[0].count == 1);
  CHECK(stages[0].spread->max == 0);
  CHECK(!stages[0].share());
}

TEST_CASE("sums pass 64 bits") {
  hand_made made;
  made.launch("kernel", 1, 3);
  constexpr picoseconds century = 3'155'692'600'000'000'000;
  for (std::uint32_t warp = 0; warp < 3; ++warp) made.warp(0, warp, "", 0, century).work("x", 0, century);
  const auto stages = all_stages(made.take());
  CHECK(nanoseconds(stages[0].total) == Approx(3.0 * 3.1556926e15));
  CHECK(*stages[0].share() == Approx(1.0));
}

TEST_CASE("launches of one kernel, grid, block and device are one group, others are not") {
  hand_made made;
  made.launch("kernel", 2).launch("other", 2).launch("kernel", 2).launch("kernel", 3).launch("kernel", 2);
  made.last_launch().device = none;
  const timeline source = made.take();
  const auto groups = group_launches(source);
  REQUIRE(groups.size() == 4);
  CHECK(groups[0] == launch_group{&source.launches[0], &source.launches[2]});
  CHECK(groups[1] == launch_group{&source.launches[1]});
  CHECK(groups[2] == launch_group{&source.launches[3]});
  CHECK(groups[3] == launch_group{&source.launches[4]});
}

TEST_CASE("sources are those that ran, each once, in order") {
  hand_made made;
  made.with_sources().launch("kernel").warp(0, 0, "", 0, 100);
  made.work("x", 0, 10).work("y", 10, 20).work("x", 20, 30);
  const auto stages = all_stages(made.take());
  REQUIRE(named(stages, "x").sources.size() == 1);
  CHECK(named(stages, "x").sources[0].file == "pipeline.cu");
  CHECK(named(stages, "x").sources[0].line != named(stages, "y").sources[0].line);
}

TEST_CASE("random timelines: totals agree with a plain count") {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const timeline source = random_timeline(seed, 400).make();
    std::map<index, std::vector<picoseconds>> durations;
    std::map<index, picoseconds> selfs;
    for (const launch_group& group : group_launches(source)) {
      durations.clear();
      selfs.clear();
      for (const launch* one : group)
        for (const warp_timeline& warp : one->warps)
          for (const range& of : warp.ranges)
            if (of.state == range_state::whole) {
              durations[of.stage].push_back(of.end - of.begin);
              selfs[of.stage] += of.self;
            }
      for (const stage_statistics& stage : stage_statistics_of(source, group)) {
        const auto place = std::find_if(source.stages.begin(), source.stages.end(), [&](const auto& one) {
          return one.name == stage.name && one.kind == stage.kind;
        });
        const auto id = static_cast<index>(place - source.stages.begin());
        std::vector<picoseconds>& sorted = durations[id];
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(stage.count == sorted.size());
        REQUIRE(stage.self == selfs[id]);
        if (sorted.empty()) continue;
        // The smallest value with at least 90 % of all values at or below it.
        const auto p90 = std::find_if(sorted.begin(), sorted.end(), [&](picoseconds value) {
          const auto below = std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
          return 10 * below >= 9 * static_cast<std::ptrdiff_t>(sorted.size());
        });
        REQUIRE(stage.spread->p90 == *p90);
      }
    }
  }
}

}  // namespace
}  // namespace iket::test
