// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "build_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "report.hpp"
#include "synthetic.hpp"

using iket::payload_type;
using iket::record_kind;
using iket::site_kind;
using iket::analysis::launch;
using iket::analysis::none;
using iket::analysis::odd_events;
using iket::analysis::picoseconds;
using iket::analysis::range;
using iket::analysis::range_state;
using iket::analysis::timeline;
using iket::analysis::trace_view;
using iket::analysis::warp_timeline;
using synthetic::lacking;

namespace {

timeline build(const synthetic::trace& trace) {
  const std::string bytes = trace.bytes();
  const auto result = iket::analysis::read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(result));
  return build_timeline(std::get<trace_view>(result), "test.bin");
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A clock of 2 cycles per ns whose timer steps by 1 ns: times come out exact.
constexpr std::uint64_t start_ns = 1'700'000'000'000'000'000;

iket::clock_pair at(std::uint64_t ns, std::uint64_t offset = 1'000'000'000) { return {offset + 2 * ns, start_ns + ns}; }

constexpr std::uint64_t cycles(std::uint64_t ns, std::uint64_t offset = 1'000'000'000) { return offset + 2 * ns; }

/// A warp that was open from 0 to `close_ns`.
synthetic::warp warp_until(std::uint64_t close_ns) {
  synthetic::warp warp;
  warp.open = at(0);
  warp.close = at(close_ns);
  return warp;
}

/// Half a tick is all that the map may be off by.
constexpr picoseconds slack = 1000;

bool near(picoseconds found, double ns) { return std::abs(static_cast<double>(found) - ns * 1000) <= slack; }

}  // namespace

TEST_CASE("a warp's ranges come with times, self times, cycles, depths and payloads") {
  synthetic::trace trace;
  const std::uint32_t outer = trace.site(site_kind::work, "outer", "a.cu", 3);
  const std::uint32_t inner = trace.site(site_kind::wait, "inner", "a.cu", 5);
  synthetic::warp warp = warp_until(100'000);
  warp.log.event(record_kind::range_begin, outer, cycles(10'000), payload_type::i32, 42);
  warp.log.event(record_kind::range_begin, inner, cycles(20'000));
  warp.log.event(record_kind::range_end, inner, cycles(35'000));
  warp.log.event(record_kind::range_end, outer, cycles(50'000));
  trace.launch("kernel", 1, 1, 64, {warp});
  const timeline t = build(trace);

  CHECK(text_of(t.warnings) == "");
  CHECK(t.file == "test.bin");
  REQUIRE(t.launches.size() == 1);
  const launch& l = t.launches[0];
  CHECK(l.kernel == "kernel");
  CHECK(l.begin == 0);
  CHECK(near(l.end, 100'000));
  CHECK(l.clock.sm_ghz == Approx(2.0).epsilon(1e-3));
  REQUIRE(l.warps.size() == 1);
  const warp_timeline& w = l.warps[0];
  CHECK(w.open == 0);
  CHECK(w.observed == 0);
  CHECK(w.closed);
  CHECK(w.written == 5);
  CHECK(w.kept == 5);
  CHECK(w.events == 4);
  CHECK(w.odd.empty());
  REQUIRE(w.ranges.size() == 2);
  const range& first = w.ranges[0];
  CHECK(near(first.begin, 10'000));
  CHECK(near(first.end, 50'000));
  CHECK(first.cycles == 80'000);
  CHECK(first.self == first.end - first.begin - (w.ranges[1].end - w.ranges[1].begin));
  CHECK(first.payload().type == payload_type::i32);
  CHECK(first.payload().bits == 42);
  CHECK(first.depth == 0);
  CHECK(first.state == range_state::whole);
  CHECK(t.stages[first.stage].name == "outer");
  CHECK(t.sources[first.source].file == "a.cu");
  CHECK(t.sources[first.source].line == 3);
  const range& second = w.ranges[1];
  CHECK(second.depth == 1);
  CHECK(second.cycles == 30'000);
  CHECK(second.self == second.end - second.begin);
  CHECK(t.stages[second.stage].kind == iket::analysis::stage_kind::wait);
}

TEST_CASE("sites of one name and kind are one stage with several sources") {
  synthetic::trace trace;
  const std::uint32_t sites[] = {
      trace.site(site_kind::work, "load", "b.cu", 7), trace.site(site_kind::work, "load", "a.cu", 9),
      trace.site(site_kind::wait, "load", "a.cu", 9), trace.site(site_kind::work, "load", "a.cu", 9)};
  synthetic::warp warp = warp_until(90'000);
  std::uint64_t ns = 0;
  for (const std::uint32_t site : sites) {
    warp.log.event(record_kind::range_begin, site, cycles(ns += 1000));
    warp.log.event(record_kind::range_end, site, cycles(ns += 1000));
  }
  trace.launch("kernel", 1, 1, 64, {warp});
  const timeline t = build(trace);
  REQUIRE(t.stages.size() == 2);
  const auto& ranges = t.launches[0].warps[0].ranges;
  REQUIRE(ranges.size() == 4);
  CHECK(ranges[0].stage == ranges[1].stage);
  CHECK(ranges[0].stage == ranges[3].stage);
  CHECK(ranges[0].stage != ranges[2].stage);
  const auto& sources = t.stages[ranges[0].stage].sources;
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].file == "a.cu");
  CHECK(sources[1].file == "b.cu");
}

TEST_CASE("marks, counters, roles and tokens") {
  synthetic::trace trace;
  const std::uint32_t role = trace.site(site_kind::role, "producer");
  const std::uint32_t mark = trace.site(site_kind::mark, "done");
  const std::uint32_t counter = trace.site(site_kind::counter, "depth");
  const std::uint32_t token = trace.site(site_kind::work, "copy");
  synthetic::warp warp = warp_until(90'000);
  warp.role = role;
  const std::uint32_t begin =
      warp.log.event(record_kind::token_begin, token, cycles(1000), payload_type::u64, 1ull << 40);
  warp.log.event(record_kind::mark, mark, cycles(2000));
  warp.log.event(record_kind::counter, counter, cycles(3000), payload_type::f64, 0x3FF8000000000000u);
  warp.log.event(record_kind::range_begin, token, cycles(4000));
  warp.log.end_token(begin, cycles(5000), token);
  warp.log.event(record_kind::range_end, token, cycles(6000));
  trace.launch("kernel", 1, 1, 64, {warp});
  const timeline t = build(trace);
  CHECK(text_of(t.warnings) == "");
  const warp_timeline& w = t.launches[0].warps[0];
  CHECK(t.roles.at(w.role) == "producer");
  REQUIRE(w.points.size() == 2);
  CHECK(t.points[w.points[0].name].name == "done");
  CHECK_FALSE(w.points[0].counter);
  CHECK(w.points[1].counter);
  CHECK(w.points[1].payload().bits == 0x3FF8000000000000u);
  CHECK(near(w.points[1].time, 3000));
  REQUIRE(w.ranges.size() == 2);
  CHECK(w.ranges[0].token);
  CHECK(w.ranges[0].payload().bits == 1ull << 40);
  CHECK(w.ranges[0].self == w.ranges[0].end - w.ranges[0].begin);
  CHECK(near(w.ranges[0].end, 5000));
  CHECK(w.ranges[1].depth == 0);
}

TEST_CASE("what makes no whole range is counted per stage") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  const std::uint32_t b = trace.site(site_kind::work, "b");
  synthetic::warp warp = warp_until(90'000);
  warp.log.event(record_kind::range_begin, a, cycles(1000));
  warp.log.event(record_kind::range_begin, b, cycles(2000));
  warp.log.event(record_kind::range_end, a, cycles(3000));  // b is unmatched
  warp.log.event(record_kind::range_end, b, cycles(4000));  // and its end as well
  warp.log.event(record_kind::pop, 0, cycles(5000));
  warp.log.event(record_kind::range_begin, a, cycles(6000));
  warp.log.event(record_kind::range_begin, b, cycles(7000));  // open, as a is
  trace.launch("kernel", 1, 1, 64, {warp});
  const timeline t = build(trace);
  const warp_timeline& w = t.launches[0].warps[0];
  const auto odd = [&](const char* name) {
    for (const odd_events& entry : w.odd)
      if ((entry.stage == none && name == nullptr) ||
          (entry.stage != none && name != nullptr && t.stages[entry.stage].name == name))
        return std::vector<std::uint64_t>{entry.unmatched, entry.cut, entry.open};
    return std::vector<std::uint64_t>{};
  };
  CHECK(odd("a") == std::vector<std::uint64_t>{0, 0, 1});
  CHECK(odd("b") == std::vector<std::uint64_t>{2, 0, 1});
  CHECK(odd(nullptr) == std::vector<std::uint64_t>{1, 0, 0});
  REQUIRE(w.ranges.size() == 4);
  CHECK(w.ranges[1].state == range_state::unmatched);
  CHECK(w.ranges[1].end == w.ranges[0].end);
  CHECK(w.ranges[2].state == range_state::open);
  CHECK(w.ranges[2].end == w.close);
  CHECK(w.ranges[2].self == w.ranges[3].begin - w.ranges[2].begin);
  CHECK(w.ranges[3].cycles == 2 * (90'000 - 7000));
}

TEST_CASE("a warp that lost records is observed from its first kept one") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  synthetic::warp warp = warp_until(90'000);
  for (std::uint64_t i = 0; i < 10; ++i) {
    warp.log.event(record_kind::range_begin, a, cycles(1000 + i * 2000));
    warp.log.event(record_kind::range_end, a, cycles(2000 + i * 2000));
  }
  warp.log.event(record_kind::mark, 0, cycles(50'000));
  trace.launch("kernel", 1, 1, 8, {warp});
  const timeline t = build(trace);
  const warp_timeline& w = t.launches[0].warps[0];
  CHECK(w.lost == 13);
  CHECK(w.open == 0);
  CHECK(near(w.observed, 2000 + 6 * 2000));
  CHECK(w.ranges.size() == 3);
  REQUIRE(w.odd.size() == 1);
  CHECK(w.odd[0].cut == 1);
}

TEST_CASE("a warp that never closed ends with its last record") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  const std::uint32_t mark = trace.site(site_kind::mark, "mark");
  synthetic::warp hung = warp_until(0);
  hung.closed = false;
  hung.log.event(record_kind::range_begin, a, cycles(1000));
  hung.log.event(record_kind::mark, mark, cycles(4000));
  synthetic::warp other = warp_until(90'000);
  other.number = 1;
  trace.launch("kernel", 1, 2, 64, {hung, other});
  const timeline t = build(trace);
  const warp_timeline& w = t.launches[0].warps[0];
  CHECK_FALSE(w.closed);
  CHECK(near(w.close, 4000));
  REQUIRE(w.ranges.size() == 1);
  CHECK(w.ranges[0].state == range_state::open);
  CHECK(w.ranges[0].end == w.close);
  // The report says so, once.
  CHECK(text_of(t.warnings) == "");
  const iket::analysis::report report = make_report(t);
  std::string findings;
  for (const iket::analysis::finding& finding : report.launches.at(0).findings) findings += finding.text + "\n";
  CHECK(lacking(findings, {"1 of 2 warps never closed the recorder", "first CTA 0,0,0 warp 0"}) == "");
}

TEST_CASE("sites that could not be read are named by their address") {
  synthetic::trace trace;
  synthetic::warp warp = warp_until(90'000);
  warp.log.event(record_kind::range_begin, synthetic::site_bits(5), cycles(1000));
  warp.log.event(record_kind::range_end, synthetic::site_bits(5), cycles(2000));
  trace.launch("kernel", 1, 1, 64, {warp});
  const timeline t = build(trace);
  REQUIRE(t.stages.size() == 1);
  char name[32];
  std::snprintf(name, sizeof(name), "site 0x%llx", static_cast<unsigned long long>(synthetic::site_address(5)));
  CHECK(t.stages[0].name == name);
  CHECK(t.stages[0].sources.empty());
  CHECK(t.launches[0].warps[0].ranges[0].source == none);
}

TEST_CASE("two recorders on a warp are a warning, one line for all") {
  synthetic::trace trace;
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 3; ++i) {
    synthetic::warp warp = warp_until(90'000);
    warp.cta = i;
    warps.push_back(warp);
  }
  trace.launch("kernel", 3, 1, 64, warps);
  for (std::size_t i = 1; i < 3; ++i) trace.content.launches[0].warps[i].opened = 2;
  const timeline t = build(trace);
  REQUIRE(t.warnings.size() == 1);
  CHECK(lacking(t.warnings[0], {"2 warps (first: CTA 1,0,0 warp 0)", "more than one recorder"}) == "");
}

TEST_CASE("warps on SMs with different clocks come onto one line; zero is the first opening") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  std::vector<synthetic::warp> warps;
  const std::uint64_t offsets[] = {1'000'000'000, 900'000'000'000'000, 5};
  for (std::uint32_t i = 0; i < 3; ++i) {
    synthetic::warp warp;
    warp.cta = 2 - i;
    warp.sm = i;
    warp.open = at(1000 + i * 500, offsets[i]);
    warp.close = at(900'000, offsets[i]);
    warp.log.event(record_kind::range_begin, a, cycles(50'000, offsets[i]));
    warp.log.event(record_kind::range_end, a, cycles(70'000, offsets[i]));
    warps.push_back(warp);
  }
  trace.launch("kernel", 3, 1, 64, warps);
  const timeline t = build(trace);
  const launch& l = t.launches[0];
  CHECK(l.begin == 0);
  REQUIRE(l.warps.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(l.warps[i].cta_linear == i);
    CHECK(l.warps[i].sm == 2 - i);
    CHECK(near(l.warps[i].open, (2 - i) * 500));
    CHECK(near(l.warps[i].ranges[0].begin, 49'000));
    CHECK(near(l.warps[i].ranges[0].end, 69'000));
  }
}

TEST_CASE("an extra clock pair is an event, and neither a warning nor a range nor a point") {
  synthetic::trace trace;
  synthetic::warp warp = warp_until(90'000);
  for (std::uint64_t ns = 1000; ns < 80'000; ns += 1000) warp.log.sync(cycles(ns), start_ns + ns);
  trace.launch("kernel", 1, 1, 512, {warp});
  synthetic::warp hung = warp;
  hung.closed = false;
  trace.launch("hung", 1, 1, 32, {hung});
  const timeline t = build(trace);
  const warp_timeline& w = t.launches[0].warps[0];
  CHECK(w.events == 79);
  CHECK(w.kept == 79 * 3);
  CHECK(w.ranges.empty());
  CHECK(w.points.empty());
  CHECK(w.odd.empty());
  CHECK(t.stages.empty());
  for (const std::string& warning : t.warnings) CHECK(lacking(warning, {"may have wrapped"}) == "");
}

TEST_CASE("doubts about a device's clock are one line, however many busy times it has") {
  synthetic::trace trace;
  trace.content.devices[0].info.rated_clock_khz = 0;
  for (std::uint64_t i = 0; i < 3; ++i) {
    synthetic::warp warp;  // no time passes between the pairs, so no rate follows from them
    warp.open = warp.close = at(i * 1'000'000'000);
    trace.launch("kernel", 1, 1, 16, {warp});
  }
  const timeline guess = build(trace);
  REQUIRE(guess.warnings.size() == 1);
  CHECK(lacking(guess.warnings[0], {"device 0 (Synthetic GPU): the rate of the SM clock is unknown"}) == "");

  synthetic::trace outliers;
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::vector<synthetic::warp> warps;
    for (std::uint32_t number = 0; number < 8; ++number) {
      synthetic::warp warp;
      warp.number = number;
      warp.open = at(i * 1'000'000'000 + number * 100);
      warp.close = at(i * 1'000'000'000 + 1'000'000 + number * 100);
      if (number == 3) warp.close.cycles += 700'000'000;
      warps.push_back(warp);
    }
    outliers.launch("kernel", 1, 8, 16, warps);
  }
  const timeline off = build(outliers);
  CHECK(text_of(off.warnings) == "device 0 (Synthetic GPU): 3 clock pairs fit no clock and are left out\n");
}

TEST_CASE("what CUDA events measured is there beside what the kernel recorded") {
  synthetic::trace trace;
  trace.launch("kernel", 1, 1, 16, {warp_until(418'200)});
  trace.content.launches[0].info.event_time_ns = 421'000;
  CHECK(build(trace).launches.at(0).event_time_ns == 421'000);
}

TEST_CASE("launches for which a replayable tracer had no memory are reported once, with their number") {
  synthetic::trace trace;
  for (std::uint32_t i = 0; i < 3; ++i) {
    trace.launch("kernel", 1, 1, 16, {warp_until(100'000)});
    iket::file::launch_info& info = trace.content.launches.back().info;
    info.replay = i + 1;
    info.regions = 3;
    info.replays_missed = i == 2 ? 7 : 0;
  }
  const timeline t = build(trace);
  CHECK(t.launches.at(1).replay == 2);
  CHECK(t.launches[2].replays_missed == 7);
  const auto missed = [](const timeline& from) {
    const iket::analysis::report report = make_report(from);
    std::string text;
    for (const iket::analysis::finding& found : report.launches.at(0).findings)
      if (found.text.find("further") != std::string::npos) text += found.text + "\n";
    return text;
  };
  CHECK(missed(t) ==
        "7 further launches not traced: the tracer has memory for 3 between two drains; a larger "
        "trace_options::regions, or a drain in between, trace more\n");
  trace.content.launches[2].info.replays_missed = 1;
  CHECK(missed(build(trace)).find("1 further launch not traced: ") == 0);
  trace.content.launches[2].info.replays_missed = 0;
  CHECK(missed(build(trace)).empty());
}

TEST_CASE("warps that found no memory, and launches that are mixed, are reported") {
  synthetic::trace trace;
  for (std::uint32_t i = 0; i < 2; ++i) {
    trace.launch("kernel", 1, 1, 16, {warp_until(100'000)});
    iket::file::launch_info& info = trace.content.launches.back().info;
    info.replay = i + 1;
    info.regions = 2;
    info.warps_unplaced = i * 5;
  }
  const auto findings = [&] {
    const iket::analysis::report report = make_report(build(trace));
    std::string text;
    for (const iket::analysis::finding& found : report.launches.at(0).findings) text += found.text + "\n";
    return text;
  };
  CHECK(lacking(findings(), {"5 warps of the last launches not traced: the tracer has memory for 2"}) == "");
  CHECK(findings().find("told apart") == std::string::npos);
  trace.content.launches[1].info.replays_missed = 3;
  CHECK(lacking(findings(), {"3 further launches not traced: "}) == "");
  CHECK(findings().find("5 warps") == std::string::npos);
  trace.content.launches[0].info.flags |= iket::file::launch_replays_mixed;
  CHECK(lacking(findings(), {"1 launch of one tracer could not be told apart: some warp made no recorder"}) == "");
}

TEST_CASE("launches have the host's time where the file ties the device's timer to it") {
  // The device's timer and the host's clock of `read_timer` run alike, and so does the time of day.
  const auto host_ns = [](std::uint64_t timer_ns) {
    return static_cast<std::int64_t>(timer_ns - synthetic::trace::timer_epoch_ns + synthetic::trace::host_epoch_ns);
  };
  synthetic::trace trace;
  trace.calibrate();
  trace.content.devices.push_back(trace.content.devices[0]);
  trace.content.devices[1].info.id = 7;
  for (std::uint64_t i = 0; i < 4; ++i) {
    synthetic::warp warp;
    warp.open = at(i * 1'000'000 + 640);
    warp.close = at(i * 1'000'000 + 500'000);
    trace.launch("kernel", 1, 1, 16, {warp});
    trace.content.launches[i].info.host_time_ns = 1'764'000'000'000'000'000 + i;
  }
  trace.launch("silent", 1, 1, 16, {});
  trace.content.launches[4].info.host_time_ns = 5;
  trace.content.launches[3].info.device = 7;

  const timeline untied = build(trace);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(untied.launches[i].host_begin_ns == trace.content.launches[i].info.host_time_ns);
    CHECK_FALSE(untied.launches[i].host_begin_error_ns.has_value());
  }
  CHECK_FALSE(untied.devices[0].host_clock.has_value());

  const std::uint64_t from_ns = start_ns - synthetic::trace::timer_epoch_ns;
  trace.read_timer({from_ns + 3200, from_ns + 2'400'000});
  trace.content.host_clocks[0].pairs[1].realtime_offset_ns += 3'600'000'000'000;  // the time of day stepped
  const timeline tied = build(trace);
  REQUIRE(tied.devices[0].host_clock.has_value());
  const iket::analysis::host_clock& clock = *tied.devices[0].host_clock;
  CHECK(clock.boot_id == "f0efeeed-eceb-eae9-e8e7-e6e5e4e3e2e1");
  CHECK(clock.realtime_offset_ns == 1'764'000'000'000'000'000);
  CHECK(std::abs(static_cast<std::int64_t>(clock.zero_ns) - host_ns(start_ns + 640)) <= 16);
  CHECK(std::abs(clock.drift_ppm) <= 1);
  CHECK(clock.drift_error_ppm > 90);
  CHECK(clock.error_ns < 1200);
  for (std::size_t i = 0; i < 3; ++i) {
    const launch& one = tied.launches[i];
    REQUIRE(one.host_begin_error_ns.has_value());
    CHECK(*one.host_begin_error_ns <= clock.error_ns);
    // Half of the bracket with a tick and the timer's jitter, and what the device's own line leaves open.
    CHECK(*one.host_begin_error_ns == Approx(1000 + 16 + 20 + one.clock.uncertainty_ns).margin(3));
    const std::int64_t hour_ns = i == 2 ? 3'600'000'000'000 : 0;
    const std::int64_t miss_ns = static_cast<std::int64_t>(one.host_begin_ns) - 1'764'000'000'000'000'000 - hour_ns -
                                 host_ns(start_ns + i * 1'000'000 + 640);
    CHECK(std::abs(static_cast<double>(miss_ns)) <= 3 + one.clock.uncertainty_ns);
  }
  CHECK(tied.launches[3].host_begin_ns == 1'764'000'000'000'000'003);
  CHECK_FALSE(tied.launches[3].host_begin_error_ns.has_value());
  CHECK_FALSE(tied.devices[1].host_clock.has_value());
  CHECK(tied.launches[4].host_begin_ns == 5);

  // With no warp at all there is no time line to tie.
  synthetic::trace silent;
  silent.launch("silent", 1, 1, 16, {});
  silent.read_timer({0});
  CHECK_FALSE(build(silent).devices[0].host_clock.has_value());
}

TEST_CASE("tags name sites by their distance from the anchor, where the header says so") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  const std::uint32_t b = trace.site(site_kind::work, "b");
  const std::uint32_t role = trace.site(site_kind::role, "producer");
  synthetic::warp warp = warp_until(90'000);
  // As if the sites' references lay from 0x20 on in a constant bank, and the anchor were that bank.
  const std::uint32_t moved = synthetic::site_bits(0) - 0x20;
  warp.role = role - moved;
  warp.log.event(record_kind::range_begin, b - moved, cycles(1000));
  warp.log.event(record_kind::range_end, b - moved, cycles(2000));
  warp.log.event(record_kind::range_begin, a - moved, cycles(3000));
  warp.log.event(record_kind::range_end, a - moved, cycles(4000));
  trace.launch("kernel", 1, 1, 64, {warp});
  trace.content.launches[0].warps[0].flags = iket::warp_anchor_is_base;
  // High half of the sites' addresses, and where in the low half the bank would begin.
  trace.content.launches[0].warps[0].anchor = (synthetic::module_address >> 32 << 32) + moved;
  const timeline t = build(trace);
  const warp_timeline& w = t.launches[0].warps[0];
  REQUIRE(w.ranges.size() == 2);
  CHECK(t.stages[w.ranges[0].stage].name == "b");
  CHECK(t.stages[w.ranges[1].stage].name == "a");
  CHECK(t.roles.at(w.role) == "producer");
}

TEST_CASE("several launches and devices") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  trace.content.devices.push_back(trace.content.devices[0]);
  trace.content.devices[1].info.id = 7;
  trace.content.devices[1].name = "other GPU";
  for (std::uint64_t i = 0; i < 3; ++i) {
    synthetic::warp warp = warp_until(0);
    warp.open = at(i * 200'000, i == 2 ? 77 : 1'000'000'000);
    warp.close = at(i * 200'000 + 90'000, i == 2 ? 77 : 1'000'000'000);
    warp.log.event(record_kind::range_begin, a, warp.open.cycles + 200);
    warp.log.event(record_kind::range_end, a, warp.open.cycles + 400);
    trace.launch("kernel", 1, 1, 64, {warp});
  }
  trace.content.launches[2].info.device = 7;
  const timeline t = build(trace);
  REQUIRE(t.launches.size() == 3);
  CHECK(t.devices.size() == 2);
  CHECK(t.devices[0].uuid == "GPU-00112233-4455-6677-8899-aabbccddeeff");
  CHECK(t.devices[t.launches[2].device].name == "other GPU");
  CHECK(t.stages.size() == 1);
  for (std::size_t i = 0; i < 3; ++i) CHECK(near(t.launches[i].begin, static_cast<double>(i) * 200'000));
}

TEST_CASE("a launch without its facts is shown as far as its warps tell") {
  synthetic::trace trace;
  const std::uint32_t a = trace.site(site_kind::work, "a");
  synthetic::warp warp = warp_until(90'000);
  warp.cta = 4;
  warp.number = 2;
  for (std::uint64_t i = 0; i < 20; ++i) warp.log.event(record_kind::mark, a, cycles(1000 * (i + 1)));
  trace.launch("kernel", 8, 4, 16, {warp});
  std::string bytes = trace.bytes();
  bytes[bytes.find("LNCH") + 40] ^= 1;
  const auto result = iket::analysis::read_trace(synthetic::bytes_of(bytes));
  const timeline t = build_timeline(std::get<trace_view>(result), "x");
  REQUIRE(t.launches.size() == 1);
  const launch& l = t.launches[0];
  CHECK(l.kernel == "launch 0 (name lost)");
  CHECK(l.grid[0] == 5);
  CHECK(l.ctas_traced == 1);
  CHECK(l.warps_per_cta == 3);
  CHECK(l.records_per_warp == 16);
  CHECK(l.warps_opened == 1);
  CHECK(l.warps[0].lost == 4);
  CHECK(l.warps[0].points.size() == 16);
  CHECK(near(l.warps[0].points[0].time, 5000));
  CHECK(lacking(text_of(t.warnings), {"malformed at offset", "expected a launch chunk"}) == "");
}

TEST_CASE("a file without launches or warps is a timeline without them") {
  CHECK(build(synthetic::trace()).launches.empty());
  synthetic::trace trace;
  trace.launch("refused", 4, 2, 64, {});
  trace.content.launches[0].info.recorders_refused = 8;
  trace.content.launches[0].info.refused_grid[0] = 5;
  trace.content.launches[0].info.flags = iket::file::launch_compiled_out;
  const timeline t = build(trace);
  REQUIRE(t.launches.size() == 1);
  CHECK(t.launches[0].warps.empty());
  CHECK(t.launches[0].recorders_refused == 8);
  CHECK(t.launches[0].refused_grid[0] == 5);
  CHECK(t.launches[0].compiled_out);
  CHECK_FALSE(t.launches[0].over_limit);
  CHECK(t.warnings.empty());
}

TEST_CASE("timelines keep their promises, whatever warps record") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    synthetic::random_numbers random(seed);
    synthetic::trace trace;
    std::vector<std::uint32_t> sites;
    for (int i = 0; i < 4; ++i)
      sites.push_back(trace.site(i % 2 == 0 ? site_kind::work : site_kind::wait, "s" + std::to_string(i)));
    std::vector<synthetic::warp> warps;
    for (std::uint32_t i = 0; i < 4; ++i) {
      synthetic::warp warp = warp_until(1'000'000);
      warp.cta = i;
      warp.sm = i % 2;
      warp.closed = random.below(4) != 0;
      std::uint64_t ns = 0;
      for (std::uint64_t k = random.below(80); k != 0; --k) {
        ns += random.below(1000);
        const auto kind = static_cast<record_kind>(1 + random.below(9));
        const std::uint32_t site = kind == record_kind::pop ? 0 : sites[random.below(4)];
        if (kind == record_kind::sync)
          warp.log.sync(cycles(ns), start_ns + ns);
        else if (kind == record_kind::token_end)
          warp.log.end_token(static_cast<std::uint32_t>(random.below(80)), cycles(ns));
        else
          warp.log.event(kind, site, cycles(ns));
      }
      warps.push_back(warp);
    }
    const bool keep_first = random.below(2) == 0;
    trace.launch("kernel", 4, 1, 32, warps, keep_first);
    const timeline t = build(trace);
    CAPTURE(seed);
    for (const warp_timeline& w : t.launches[0].warps) {
      REQUIRE(w.open <= w.observed);
      REQUIRE(w.observed <= w.unobserved);
      REQUIRE(w.unobserved <= w.close);
      REQUIRE((keep_first ? w.observed == w.open : w.unobserved == w.close));
      std::uint64_t cut = 0;
      REQUIRE(w.written == w.kept + w.lost);
      std::uint64_t open = 0;
      std::uint64_t unmatched = 0;
      std::vector<const range*> stack;
      picoseconds top_level = 0;
      picoseconds selves = 0;
      for (std::size_t i = 0; i < w.ranges.size(); ++i) {
        const range& r = w.ranges[i];
        REQUIRE(r.begin >= w.open);
        REQUIRE(r.end >= r.begin);
        REQUIRE(r.end <= w.unobserved);
        REQUIRE(r.inside < w.events);
        cut += r.state == range_state::cut;
        REQUIRE(r.self >= 0);
        if (i != 0) REQUIRE(r.begin >= w.ranges[i - 1].begin);
        open += r.state == range_state::open;
        unmatched += r.state == range_state::unmatched;
        if (r.token) continue;
        REQUIRE(r.depth <= stack.size());
        stack.resize(r.depth);
        for (const range* around : stack) REQUIRE(r.end <= around->end);
        stack.push_back(&r);
        if (r.depth == 0) top_level += r.end - r.begin;
        selves += r.self;
      }
      REQUIRE(selves == top_level);
      std::uint64_t odd_open = 0;
      std::uint64_t odd_unmatched = 0;
      for (const odd_events& entry : w.odd) {
        odd_open += entry.open;
        odd_unmatched += entry.unmatched;
        if (keep_first) cut -= entry.cut;
      }
      REQUIRE(cut == 0);
      REQUIRE(odd_open == open);
      REQUIRE(odd_unmatched >= unmatched);
    }
  }
}

TEST_CASE("a clock that idles at another rate between launches leaves the times inside them alone") {
  struct rates {
    double launch_ghz, pause_ghz, pause_ns;
  };
  for (const rates& by : {rates{2.0, 0.9, 1e9}, rates{2.0, 0.345, 3e9}, rates{2.0, 0.345, 2e6}, rates{1.2, 3.0, 5e8}}) {
    synthetic::trace trace;
    const std::uint32_t site = trace.site(site_kind::work, "half");
    constexpr double length_ns = 1e6;
    double begin_ns = 0, begin_cycles = 1e9;
    for (int launch = 0; launch < 2; ++launch) {
      std::vector<synthetic::warp> warps;
      for (std::uint32_t number = 0; number < 8; ++number) {
        const auto moment = [&](double ns) {
          return iket::clock_pair{static_cast<std::uint64_t>(begin_cycles + by.launch_ghz * ns),
                                  start_ns + static_cast<std::uint64_t>(begin_ns + ns) / 32 * 32};
        };
        synthetic::warp warp;
        warp.number = number;
        warp.open = moment(100 * number);
        warp.close = moment(length_ns - 100 * number);
        warp.log.event(record_kind::range_begin, site, moment(length_ns / 4).cycles);
        warp.log.event(record_kind::range_end, site, moment(length_ns * 3 / 4).cycles);
        warps.push_back(warp);
      }
      trace.launch("kernel", 1, 8, 16, warps);
      begin_cycles += by.launch_ghz * length_ns + by.pause_ghz * by.pause_ns;
      begin_ns += length_ns + by.pause_ns;
    }
    const timeline built = build(trace);
    CAPTURE(by.launch_ghz, by.pause_ghz, by.pause_ns);
    REQUIRE(built.launches.size() == 2);
    CHECK(built.warnings.empty());
    for (const launch& one : built.launches) {
      // A millisecond without a pair: a clock may wander unseen.
      CHECK(one.clock.uncertainty_ns <= 1000);
      CHECK(one.clock.uncertainty_median_ns >= 16);
      CHECK(one.clock.sm_ghz == Approx(by.launch_ghz).epsilon(1e-3));
      for (const warp_timeline& warp : one.warps)
        CHECK(std::abs(static_cast<double>(warp.ranges.at(0).end - warp.ranges.at(0).begin) / 1000 - length_ns / 2) <=
              72);
    }
    CHECK(std::abs(static_cast<double>(built.launches[1].begin) / 1000 - (length_ns + by.pause_ns)) <= 72);
  }
}
