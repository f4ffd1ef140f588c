// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <algorithm>
#include <map>

#include "hand_made.hpp"
#include "random_timeline.hpp"
#include "role_statistics.hpp"
#include "stage_statistics.hpp"

namespace iket::test {
namespace {

std::vector<role_statistics> all_roles(const timeline& source) {
  const std::vector<launch_group> groups = group_launches(source);
  REQUIRE(groups.size() == 1);
  return role_statistics_of(source, groups.front());
}

role_statistics only_role(hand_made& made) {
  const auto roles = all_roles(made.take());
  REQUIRE(roles.size() == 1);
  return roles.front();
}

TEST_CASE("the innermost stack range decides") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "consumer", 0, 1000);
  made.work("tile", 100, 500).wait("data", 150, 250).work("poll", 160, 170).wait("end", 900, 1000);
  const role_statistics role = only_role(made);
  CHECK(role.name == "consumer");
  CHECK(role.warps == 1);
  CHECK(role.wait == 90 + 100);
  CHECK(role.work == 50 + 10 + 250);
  CHECK(role.untracked == 100 + 400);
  CHECK(role.lost == 0);
  CHECK(role.lifetime() == 1000);
  REQUIRE(role.waits.size() == 2);
  CHECK(role.waits[0].stage == "end");
  CHECK(role.waits[0].time == 100);
  CHECK(role.waits[1].time == 90);
}

TEST_CASE("work tokens count where no stack range is open, wait tokens never") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 1000);
  made.token(stage_kind::work, "copy", 100, 400).token(stage_kind::work, "copy", 300, 600);
  made.token(stage_kind::wait, "barrier", 0, 1000);
  made.wait("data", 200, 250);
  const role_statistics role = only_role(made);
  CHECK(role.name == "-");
  CHECK(role.work == 450);
  CHECK(role.wait == 50);
  CHECK(role.untracked == 500);
}

TEST_CASE("ranges that never ended count until the end") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 1000);
  made.add(stage_kind::wait, "hang", 400, 1000, {}, range_state::open);
  made.token(stage_kind::work, "copy", 300, 1000, {}, range_state::open);
  const role_statistics role = only_role(made);
  CHECK(role.wait == 600);
  CHECK(role.work == 100);
  CHECK(role.untracked == 300);
}

TEST_CASE("time before the observed window is lost") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 100, 1000).lost(9, 700).work("x", 700, 800);
  const role_statistics role = only_role(made);
  CHECK(role.lost == 600);
  CHECK(role.work == 100);
  CHECK(role.untracked == 200);
  CHECK(role.lifetime() == 900);
  CHECK(role.observed() == 300);
}

TEST_CASE("time behind the last kept record is lost, and a range that was cut lasts until then") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 100, 1000).work("x", 100, 300);
  made.add(stage_kind::wait, "y", 350, 400, {}, range_state::cut).lost_newest(9, 400);
  const role_statistics role = only_role(made);
  CHECK(role.lost == 600);
  CHECK(role.work == 200);
  CHECK(role.wait == 50);
  CHECK(role.untracked == 50);
  CHECK(role.lifetime() == 900);
}

TEST_CASE("roles are sorted by the time that they wait together") {
  hand_made made;
  made.launch("kernel", 2, 2);
  made.warp(0, 0, "producer", 0, 1000).wait("slot", 0, 100);
  made.warp(0, 1, "consumer", 0, 100).wait("data", 0, 80);
  made.warp(1, 0, "producer", 0, 1000).wait("slot", 0, 300);
  made.warp(1, 1, "idle", 0, 0);
  const auto roles = all_roles(made.take());
  REQUIRE(roles.size() == 3);
  CHECK(roles[0].name == "producer");
  CHECK(roles[0].warps == 2);
  CHECK(roles[0].wait == 400);
  CHECK(roles[1].name == "consumer");
  CHECK(roles[2].lifetime() == 0);
}

enum class activity { work, wait, untracked, lost };

/// What the definition says about one picosecond of a warp, found by looking at all its ranges.
activity sample(const warp_timeline& warp, const timeline& source, picoseconds time) {
  if (time < warp.observed || time >= warp.unobserved) return activity::lost;
  const range* innermost = nullptr;
  bool work_token = false;
  for (const range& one : warp.ranges) {
    if (time < one.begin || time >= one.end) continue;
    const bool works = source.stages[one.stage].kind == stage_kind::work;
    if (one.token)
      work_token |= works;
    else if (innermost == nullptr || one.depth >= innermost->depth)
      innermost = &one;
  }
  if (innermost != nullptr)
    return source.stages[innermost->stage].kind == stage_kind::wait ? activity::wait : activity::work;
  return work_token ? activity::work : activity::untracked;
}

TEST_CASE("random timelines: every picosecond is charged as the definition says") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const timeline source = random_timeline(seed, 300).make();
    for (const launch_group& group : group_launches(source)) {
      std::map<std::string, std::map<activity, picosecond_sum>> expected;
      std::map<std::string, picosecond_sum> lifetimes;
      for (const launch* one : group)
        for (const warp_timeline& warp : one->warps) {
          const std::string name = role_name(source, warp.role);
          lifetimes[name] += warp.close - warp.open;
          for (picoseconds time = warp.open; time < warp.close; ++time) expected[name][sample(warp, source, time)] += 1;
        }
      const auto roles = role_statistics_of(source, group);
      REQUIRE(roles.size() == lifetimes.size());
      for (const role_statistics& role : roles) {
        INFO("seed " << seed << ", role " << role.name);
        REQUIRE(role.work == expected[role.name][activity::work]);
        REQUIRE(role.wait == expected[role.name][activity::wait]);
        REQUIRE(role.untracked == expected[role.name][activity::untracked]);
        REQUIRE(role.lost == expected[role.name][activity::lost]);
        REQUIRE(role.lifetime() == lifetimes[role.name]);
        picosecond_sum waits = 0;
        for (const role_wait& wait : role.waits) waits += wait.time;
        REQUIRE(waits == role.wait);
      }
    }
  }
}

}  // namespace
}  // namespace iket::test
