// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include "hand_made.hpp"
#include "statistics/critical_path.hpp"
#include "statistics/related_statistics.hpp"

namespace iket::test {
namespace {

constexpr picoseconds step = 1000;

related_statistics related(const timeline& source, scope by = scope::cta) {
  const auto groups = group_launches(source);
  REQUIRE(groups.size() == 1);
  return related_statistics_of(source, groups.front(), by);
}

/// Loads of 100 issued every 1000, computed on for 400 from 500 after that; `with_payloads` or by order.
hand_made loop(bool with_payloads, std::int32_t items = 5) {
  const auto item = [&](std::int32_t i) { return with_payloads ? i32(i) : payload{}; };
  hand_made made;
  made.launch("kernel").warp(0, 0, "producer", 0, 10'000);
  for (std::int32_t i = 0; i < items; ++i) made.work("load", step * i, step * i + 100, item(i));
  made.warp(0, 1, "consumer", 0, 10'000);
  for (std::int32_t i = 0; i < items; ++i)
    made.wait("data", step * i, step * i + 600, item(i)).work("compute", step * i + 600, step * (i + 1), item(i));
  return made;
}

const pipeline_stage& named(const pipeline& of, const std::string& name) {
  for (const pipeline_stage& stage : of.stages)
    if (stage.stage == name) return stage;
  FAIL("no stage " << name);
  return of.stages.front();
}

TEST_CASE("a pipeline by payload: latencies, initiation interval, fill, steady state, drain, depth") {
  const pipelines_report found = related(loop(true).take()).pipelines;
  CHECK(found.reason.empty());
  REQUIRE(found.pipelines.size() == 1);
  const pipeline& one = found.pipelines.front();
  CHECK(one.ctas == 1);
  CHECK(one.interval == 1000);
  CHECK(one.unknown.empty());
  REQUIRE(one.stages.size() == 4);
  CHECK(one.stages.back().stage == "compute");
  CHECK(named(one, "load").latency_p50 == 100);
  CHECK(named(one, "load").by_payload);
  CHECK(named(one, "load").iterations == 5);
  CHECK(!named(one, "load").depth);
  CHECK(named(one, "load (in flight)").latency_max == 500);
  CHECK(named(one, "load (in flight)").depth == 1);
  REQUIRE(one.phases.has_value());
  CHECK(bool(one.phases->fill == 600));           // until the first compute
  CHECK(bool(one.phases->steady == 4100 - 600));  // until the last load has ended
  CHECK(bool(one.phases->drain == 5000 - 4100));
}

TEST_CASE("a pipeline by order, where there are no payloads: nothing is known of what is in flight") {
  const pipelines_report found = related(loop(false).take()).pipelines;
  REQUIRE(found.pipelines.size() == 1);
  const pipeline& one = found.pipelines.front();
  CHECK(one.interval == 1000);
  REQUIRE(one.stages.size() == 3);
  CHECK(!named(one, "load").by_payload);
  REQUIRE(one.unknown.size() == 1);
  CHECK(one.unknown[0].find("depth used") == 0);
}

TEST_CASE("no loop is no pipeline, and the reason is told") {
  const pipelines_report found = related(loop(true, 2).take()).pipelines;
  CHECK(found.pipelines.empty());
  CHECK(found.reason.find("no stage has 3 whole ranges") == 0);
}

TEST_CASE("loops of one role neither fill nor drain; loops one after the other are two") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "worker", 0, 20'000);
  for (std::int32_t i = 0; i < 5; ++i) made.work("first", step * i, step * i + 500, i32(i));
  for (std::int32_t i = 0; i < 5; ++i) made.work("second", 10'000 + step * i, 10'000 + step * i + 500, i32(i));
  const pipelines_report found = related(made.take()).pipelines;
  REQUIRE(found.pipelines.size() == 2);
  for (const pipeline& one : found.pipelines) {
    CHECK(!one.phases);
    CHECK(std::any_of(one.unknown.begin(), one.unknown.end(),
                      [](const std::string& text) { return text.find("fill and drain: one role") == 0; }));
  }
}

TEST_CASE("an iteration of several warps lasts from the first begin to the last end") {
  hand_made made;
  made.launch("kernel");
  for (std::uint32_t warp = 0; warp < 2; ++warp) {
    made.warp(0, warp, "consumer", 0, 10'000);
    for (std::int32_t i = 0; i < 4; ++i)
      made.work("compute", step * i + picoseconds{50} * warp, step * i + picoseconds{50} * warp + 300, i32(i));
  }
  const pipelines_report found = related(made.take()).pipelines;
  REQUIRE(found.pipelines.size() == 1);
  CHECK(found.pipelines[0].stages[0].iterations == 4);
  CHECK(found.pipelines[0].stages[0].latency_p50 == 350);
}

TEST_CASE("what every other thing would need another warp for is not known of one") {
  hand_made made;
  made.launch("kernel", 1, 1).warp(0, 0, "", 0, 1000).wait("data", 0, 500);
  const related_statistics found = related(made.take());
  REQUIRE(found.waits.size() == 1);
  CHECK(bool(found.waits[0].total == 500));
  CHECK(!found.waits[0].fraction(found.waits[0].uncovered));
}

TEST_CASE("two waits that end at one time cannot send the critical path in circles") {
  // Each wait ends 40 ns before the work around the other one: within the slack, so each releases the other.
  hand_made made;
  made.launch("kernel");
  made.warp(0, 0, "a", 0, 1'000'000).work("x", 0, 1'000'000).wait("for y", 200'000, 960'000);
  made.warp(0, 1, "b", 0, 1'000'000).work("y", 0, 1'000'000).wait("for x", 200'000, 960'000);
  const timeline source = made.take();
  const critical_path path = critical_path_of(source, group_launches(source).front(), scope::cta);
  picosecond_sum sum = 0;
  for (const path_share& one : path.shares) sum += one.time;
  CHECK(bool(sum == 1'000'000));
  REQUIRE(path.shares.size() == 3);
  CHECK(path.shares[0].stage == "for x");
  CHECK(bool(path.shares[0].time == 760'000));
}

}  // namespace
}  // namespace iket::test
