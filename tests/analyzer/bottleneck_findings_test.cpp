// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Each rule of docs/statistics.md: a timeline by which it fires, and one close to it by which it must not.
#include <catch.hpp>

#include <algorithm>

#include "build_timeline.hpp"
#include "hand_made.hpp"
#include "report.hpp"

namespace iket::test {
namespace {

std::vector<finding> findings_of(hand_made& made) {
  const report result = make_report(made.take());
  REQUIRE(result.launches.size() == 1);
  return result.launches[0].findings;
}

const finding* with(const std::vector<finding>& all, const std::string& part) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const finding& one) { return one.text.find(part) != std::string::npos; });
  return found != all.end() ? &*found : nullptr;
}

bool has_bottleneck(const std::vector<finding>& all) {
  return std::any_of(all.begin(), all.end(), [](const finding& one) { return one.severity == severity::bottleneck; });
}

constexpr picoseconds us = 1'000'000;

/// Two warps, 10 us: the consumer waits for `wait` of each of ten items' microsecond, the producer loads for `load`.
hand_made starved(picoseconds wait, picoseconds load) {
  hand_made made;
  made.launch("kernel").warp(0, 0, "producer", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i) made.work("load", i * us, i * us + load);
  made.warp(0, 1, "consumer", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i) {
    made.wait("data", i * us, i * us + wait);
    if (wait != us) made.work("compute", i * us + wait, (i + 1) * us);
  }
  return made;
}

TEST_CASE("bottleneck: work that covers and releases a wait that is long enough") {
  hand_made made = starved(us / 2, us / 2);
  const auto found = findings_of(made);
  REQUIRE(!found.empty());
  CHECK(found[0].severity == severity::bottleneck);
  CHECK(found[0].text ==
        "consumer: waits 50.0 % of its time in 'data'; during 100.0 % of that 'load' ran: 'load' is the bottleneck");
  CHECK(found[0].stage == "load");
  CHECK(found[0].value == 0.5);
  // It has been said who waits.
  CHECK(with(found, "all in 'data'") == nullptr);
}

TEST_CASE("bottleneck: no wait of a fourth of the time, no finding") {
  hand_made made = starved(us / 5, us / 5);
  CHECK_FALSE(has_bottleneck(findings_of(made)));
}

TEST_CASE("bottleneck: nothing covers three fifths of the wait, no finding") {
  hand_made made = starved(us / 2, us * 11 / 40);
  const auto found = findings_of(made);
  CHECK_FALSE(has_bottleneck(found));
  CHECK(with(found, "consumer: waits 50.0 % of its time, all in 'data'") != nullptr);
}

/// The load is issued in 50 ns, and in flight until the consumer's wait for the same item ends.
hand_made in_flight(bool same_payloads) {
  hand_made made;
  made.launch("kernel").warp(0, 0, "producer", 0, 10 * us);
  for (std::int32_t i = 0; i < 10; ++i) made.work("load", i * us, i * us + 50'000, i32(i));
  made.warp(0, 1, "consumer", 0, 10 * us);
  for (std::int32_t i = 0; i < 10; ++i)
    made.wait("data", i * us, i * us + 600'000, i32(same_payloads ? i : -1 - i))
        .work("compute", i * us + 600'000, (i + 1) * us);
  return made;
}

TEST_CASE("bottleneck: work in flight, which payloads tell") {
  hand_made made = in_flight(true);
  const auto found = findings_of(made);
  REQUIRE(!found.empty());
  CHECK(found[0].text ==
        "consumer: waits 60.0 % of its time in 'data'; during 91.7 % of that 'load' was in flight: 'load' is the "
        "bottleneck");
  hand_made other = in_flight(false);
  CHECK_FALSE(has_bottleneck(findings_of(other)));
}

TEST_CASE("bottleneck: of those that cover a wait it is the one that releases it") {
  hand_made made;
  made.launch("kernel", 1, 3).warp(0, 0, "a", 0, 10 * us).work("long", 0, 10 * us);
  made.warp(0, 1, "b", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i) made.work("short", i * us, i * us + 490'000);
  made.warp(0, 2, "c", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i) made.wait("data", i * us, i * us + 500'000);
  const auto found = findings_of(made);
  CHECK(with(found, "98.0 % of that 'short' ran: 'short' is the bottleneck") != nullptr);
  CHECK(with(found, "'long' is the bottleneck") == nullptr);
}

/// Two workers of one role meet at a barrier each microsecond; the first comes `early`.
hand_made barrier(picoseconds early) {
  hand_made made;
  made.launch("kernel").warp(0, 0, "worker", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i)
    made.work("work", i * us, (i + 1) * us - early).wait("barrier", (i + 1) * us - early, (i + 1) * us);
  made.warp(0, 1, "worker", 0, 10 * us);
  for (picoseconds i = 0; i < 10; ++i) made.work("work", i * us, (i + 1) * us);
  return made;
}

TEST_CASE("skew: warps of one role that wait for each other") {
  hand_made made = barrier(us * 6 / 10);
  const auto found = findings_of(made);
  const finding* const skew = with(found, "only others of the same role worked");
  REQUIRE(skew != nullptr);
  CHECK(skew->severity == severity::bottleneck);
  CHECK(skew->stage == "barrier");
  CHECK(skew->text ==
        "worker: waits 30.0 % of its time in 'barrier'; during 100.0 % of that only others of the same role worked: "
        "they wait for the slowest of themselves");
  hand_made other = barrier(us * 2 / 10);
  CHECK(with(findings_of(other), "same role") == nullptr);
}

TEST_CASE("uncovered: waits for what is not traced") {
  hand_made made = starved(us / 2, us / 5);
  const auto found = findings_of(made);
  const finding* const uncovered = with(found, "what it waits for is not in the trace");
  REQUIRE(uncovered != nullptr);
  CHECK(uncovered->severity == severity::info);
  CHECK(uncovered->value == Approx(0.6));
  hand_made other = starved(us / 2, us * 3 / 10);
  CHECK(with(findings_of(other), "not in the trace") == nullptr);
}

/// Four warps, the last of which works `longest`, the others a microsecond, in 10 us.
hand_made uneven(picoseconds longest, std::uint32_t warps = 4) {
  hand_made made;
  made.launch("kernel", 1, warps);
  for (std::uint32_t i = 0; i < warps; ++i)
    made.warp(0, i, "worker", 0, 10 * us).work("tile", 0, i + 1 == warps ? longest : us);
  return made;
}

TEST_CASE("uneven: a stage that costs a twentieth of the time more on one warp than in the mean") {
  hand_made made = uneven(5 * us);
  const auto found = findings_of(made);
  const finding* const one = with(found, "spread unevenly");
  REQUIRE(one != nullptr);
  CHECK(one->severity == severity::bottleneck);
  CHECK(one->text ==
        "'tile' is spread unevenly over the 4 warps of worker: 5.00 us on the busiest, 2.50 times the mean");
  CHECK(one->value == 2.5);
  hand_made costs_little = uneven(us * 16 / 10);
  CHECK(with(findings_of(costs_little), "spread unevenly") == nullptr);
  hand_made few = uneven(5 * us, 3);
  CHECK(with(findings_of(few), "spread unevenly") == nullptr);
}

/// Three CTAs on as many SMs; the last one ends at `last`, the others at 8 us.
hand_made tailed(picoseconds last) {
  hand_made made;
  made.launch("kernel", 3, 1);
  for (std::uint32_t cta = 0; cta < 3; ++cta) made.warp(cta, 0, "", 0, cta == 2 ? last : 8 * us);
  return made;
}

TEST_CASE("tail: half of the SMs have nothing left") {
  hand_made made = tailed(10 * us);
  const auto found = findings_of(made);
  const finding* const tail = with(found, "tail:");
  REQUIRE(tail != nullptr);
  CHECK(tail->severity == severity::bottleneck);
  CHECK(tail->value == Approx(0.2));
  hand_made shorter = tailed(8 * us + us / 2);
  CHECK(with(findings_of(shorter), "tail:") == nullptr);
  hand_made in_part = tailed(10 * us);
  in_part.last_launch().ctas_total = 6;
  CHECK(with(findings_of(in_part), "tail:") == nullptr);
}

TEST_CASE("together: a warp that closes early narrows what relates warps") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 3 * us).warp(0, 1, "", 0, 10 * us);
  const auto found = findings_of(made);
  const finding* const together = with(found, "observed together for only 46.2 %");
  REQUIRE(together != nullptr);
  CHECK(together->severity == severity::info);
  hand_made other;
  other.launch("kernel").warp(0, 0, "", 0, 4 * us).warp(0, 1, "", 0, 10 * us);
  CHECK(with(findings_of(other), "observed together") == nullptr);
}

TEST_CASE("a checked build has no bottleneck: its times are not to be trusted") {
  hand_made made = starved(us / 2, us / 2);
  made.last_launch().checked = true;
  CHECK_FALSE(has_bottleneck(findings_of(made)));
}

launch_report recorded(const std::string& name) {
  load_result loaded = load_timeline(std::string(IKET_RECORDED_DIR) + "/" + name);
  REQUIRE(loaded.trace.has_value());
  return make_report(*loaded.trace).launches.at(0);
}

TEST_CASE("the recorded matrix multiplies: the load is the bottleneck with one slot, and not with four") {
  const launch_report one = recorded("ws_gemm_depth1.bin");
  REQUIRE(!one.findings.empty());
  CHECK(one.findings[0].severity == severity::bottleneck);
  CHECK(one.findings[0].stage == "load tile");
  CHECK(one.findings[0].text.find("'load tile' is the bottleneck") != std::string::npos);
  const launch_report four = recorded("ws_gemm_depth4.bin");
  REQUIRE(!four.findings.empty());
  CHECK(four.findings[0].stage != "load tile");
  CHECK(with(four.findings, "'load tile' is the bottleneck") == nullptr);
  const auto depth = [](const launch_report& of) {
    std::uint64_t used = 0;
    for (const pipeline& loop : of.related.pipelines.pipelines)
      for (const pipeline_stage& stage : loop.stages)
        if (stage.stage == "load tile (in flight)") used = stage.depth.value_or(0);
    return used;
  };
  CHECK(depth(one) == 1);
  CHECK(depth(four) == 4);
}

}  // namespace
}  // namespace iket::test
