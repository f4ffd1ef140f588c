// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What recording cost, as far as the calibration lets one estimate it.
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include "build_timeline.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "report_text.hpp"
#include "synthetic.hpp"

namespace iket::test {
namespace {

using namespace iket::analysis;

constexpr std::uint64_t start_ns = 1'700'000'000'000'000'000;

/// A moment on a clock of 2 cycles per ns.
clock_pair at(std::uint64_t ns) { return {1'000'000 + 2 * ns, start_ns + ns}; }

/// A device whose events cost 10 cycles, 20 where they follow each other: 10 of those are 200 cycles or 100 ns.
struct calibrated {
  synthetic::trace trace;
  std::uint32_t outer = trace.site(site_kind::work, "outer");
  std::uint32_t poll = trace.site(site_kind::wait, "poll");
  std::uint32_t mark = trace.site(site_kind::mark, "m");
  synthetic::warp warp{.open = at(0), .close = at(10'000)};

  calibrated() {
    trace.calibrate();
    trace.content.devices[0].info.rated_clock_khz = 2'000'000;
  }

  void range(std::uint32_t site, std::uint64_t from_ns, std::uint64_t to_ns) {
    warp.log.event(record_kind::range_begin, site, at(from_ns).cycles);
    warp.log.event(record_kind::range_end, site, at(to_ns).cycles);
  }

  timeline build(std::uint32_t capacity = 64, bool keep_first = false) {
    trace.launch("kernel", 1, 1, capacity, {warp}, keep_first);
    const std::string bytes = trace.bytes();
    const auto read = read_trace(synthetic::bytes_of(bytes));
    REQUIRE(std::holds_alternative<trace_view>(read));
    return build_timeline(std::get<trace_view>(read), "x");
  }
};

const stage_statistics& named(const launch_report& launch, const std::string& name) {
  for (const stage_statistics& stage : launch.stages)
    if (stage.name == name) return stage;
  FAIL("no such stage");
  return launch.stages.front();
}

std::string findings_text(const launch_report& launch) {
  std::string text;
  for (const finding& found : launch.findings) text += found.text + "\n";
  return text;
}

TEST_CASE("a launch's overhead is its kept events over the cycles of the observed windows") {
  calibrated made;
  made.range(made.outer, 1000, 2000);
  made.warp.log.event(record_kind::mark, made.mark, at(3000).cycles, payload_type::u64, 7);
  made.warp.log.sync(at(4000).cycles, start_ns + 4000);
  const timeline source = made.build();
  CHECK(source.launches[0].warps[0].cycles == 20'000);
  const launch_report launch = make_report(source).launches[0];
  REQUIRE(launch.overhead.has_value());
  CHECK(launch.overhead->event_cycles == 10);
  CHECK(launch.overhead->event_burst_cycles == 20);
  // Four events, whatever payload they have.
  CHECK(*launch.overhead->fraction == Approx(4 * 10 / 20'000.0));
}

TEST_CASE("what was lost has no part in the overhead, at either end") {
  calibrated oldest;
  for (std::uint64_t i = 0; i < 10; ++i) oldest.warp.log.event(record_kind::mark, oldest.mark, at(1000 * i).cycles);
  const timeline without_oldest = oldest.build(4);
  CHECK(without_oldest.launches[0].warps[0].cycles == 8000);
  CHECK(*make_report(without_oldest).launches[0].overhead->fraction == Approx(4 * 10 / 8000.0));

  calibrated newest;
  for (std::uint64_t i = 0; i < 10; ++i) newest.warp.log.event(record_kind::mark, newest.mark, at(1000 * i).cycles);
  const timeline without_newest = newest.build(4, true);
  CHECK(without_newest.launches[0].warps[0].cycles == 6000);
  CHECK(*make_report(without_newest).launches[0].overhead->fraction == Approx(4 * 10 / 6000.0));
}

TEST_CASE("a stage's overhead is its own pair and what was recorded inside, over its cycles") {
  calibrated made;
  made.warp.log.event(record_kind::range_begin, made.outer, at(1000).cycles);
  made.range(made.poll, 1100, 1400);
  made.warp.log.event(record_kind::counter, made.mark, at(1500).cycles, payload_type::f64, 1);
  const std::uint32_t token = made.warp.log.event(record_kind::token_begin, made.poll, at(1600).cycles);
  made.warp.log.event(record_kind::range_end, made.outer, at(2000).cycles);
  made.warp.log.event(record_kind::mark, made.mark, at(2100).cycles);
  made.warp.log.end_token(token, at(2600).cycles);
  made.warp.log.event(record_kind::range_begin, made.outer,
                      at(3000).cycles);  // open on a warp that closed: no part of it
  const launch_report launch = make_report(made.build()).launches[0];
  // Its own one, the two of the poll, the counter and the token's begin.
  CHECK(*named(launch, "outer").overhead == Approx(5 * 10 / 2000.0));
  // Two of its own; inside the token an end and a mark.
  CHECK(*named(launch, "poll").overhead == Approx((2 + 2) * 10 / (600.0 + 2000.0)));
}

TEST_CASE("an estimate is never more than all of the time") {
  calibrated made;
  for (std::uint64_t i = 0; i < 10; ++i) made.range(made.poll, 1000 + 2 * i, 1001 + 2 * i);
  made.warp.close = at(1030);
  made.warp.open = at(1000);
  const launch_report launch = make_report(made.build()).launches[0];
  CHECK(*launch.overhead->fraction == 1);
  CHECK(*named(launch, "poll").overhead == 1);
}

TEST_CASE("ranges shorter than ten events cost are counted, and told where they are the rule") {
  calibrated made;
  made.range(made.poll, 1000, 1099);
  made.range(made.poll, 2000, 2100);
  made.range(made.poll, 3000, 3150);
  made.range(made.outer, 4000, 4099);
  made.range(made.outer, 5000, 5600);
  const timeline source = made.build();
  const report whole = make_report(source);
  const launch_report& launch = whole.launches[0];
  CHECK(*named(launch, "poll").too_short == 1);
  CHECK_FALSE(named(launch, "poll").is_too_short());
  // Of two the median is the first.
  CHECK(*named(launch, "outer").too_short == 1);
  CHECK(named(launch, "outer").is_too_short());
  const std::string finding =
      "stage 'outer': 1 of 2 ranges are shorter than the cost of 10 events (an estimated 100 ns): tracing itself is a "
      "good "
      "part of them";
  CHECK(synthetic::lacking(findings_text(launch), {finding}) == "");
  CHECK(findings_text(launch).find("stage 'poll'") == std::string::npos);

  const std::string text = report_text(whole, {120, false});
  CHECK(synthetic::lacking(text, {"~99.0 ns", "~ shorter than the cost of 10 events (an estimated 100 ns)",
                                  "tracing took an estimated 0.5 % of the warps' time"}) == "");
  CHECK(text.find("~100 ns") == std::string::npos);
}

TEST_CASE("without a calibration there are no estimates") {
  calibrated made;
  made.trace.content.calibrations.clear();
  made.range(made.poll, 1000, 1001);
  const report whole = make_report(made.build());
  CHECK_FALSE(whole.launches[0].overhead.has_value());
  CHECK_FALSE(named(whole.launches[0], "poll").overhead.has_value());
  CHECK_FALSE(named(whole.launches[0], "poll").too_short.has_value());
  const std::string text = report_text(whole, {100, false});
  CHECK(text.find("estimate") == std::string::npos);
  CHECK(text.find('~') == std::string::npos);
  const auto json = nlohmann::json::parse(report_json(whole));
  CHECK(json["traces"][0]["calibration"].is_null());
  CHECK(json["launches"][0]["overhead"].is_null());
  CHECK(json["launches"][0]["stages"][0]["estimated_overhead_fraction"].is_null());
  CHECK(json["launches"][0]["stages"][0]["too_short"].is_null());
}

TEST_CASE("events of a checked build cost more than was measured: no estimates") {
  calibrated made;
  made.range(made.poll, 1000, 1001);
  timeline source = made.build();
  source.launches[0].checked = true;
  CHECK_FALSE(make_report(source).launches[0].overhead.has_value());
  CHECK_FALSE(named(make_report(source).launches[0], "poll").too_short.has_value());
}

TEST_CASE("the calibration is shown beside what was fitted") {
  calibrated made;
  made.range(made.poll, 1000, 2000);
  made.trace.content.calibrations[0].timer_tick_ns = 0;  // not measured
  const auto json = nlohmann::json::parse(report_json(make_report(made.build())));
  CHECK(
      json["traces"][0]["calibration"] ==
      nlohmann::json(
          {{"event_cycles", 10.0}, {"event_burst_cycles", 20.0}, {"timer_tick_ns", nullptr}, {"sm_clock_ghz", 1.98}}));
  CHECK(json["launches"][0]["overhead"]["event_cost_cycles"] == 10);
  CHECK(json["launches"][0]["overhead"]["event_burst_cost_cycles"] == 20);
  CHECK(json["launches"][0]["overhead"]["estimated_fraction"].get<double>() == Approx(0.001));
}

}  // namespace
}  // namespace iket::test
