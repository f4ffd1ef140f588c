// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Rings that keep the first records, from the file to the outputs.
#include <catch.hpp>

#include <nlohmann/json.hpp>
#include <perfetto/rules.hpp>

#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "synthetic.hpp"

namespace iket::test {
namespace {

using namespace iket::analysis;

constexpr std::uint64_t start_ns = 1'700'000'000'000'000'000;

/// A moment on a clock of 2 cycles per ns whose timer steps by 1 ns: half a tick is all that times may be off by.
clock_pair at(std::uint64_t ns) { return {1'000'000'000 + 2 * ns, start_ns + ns}; }

bool near(picoseconds found, std::int64_t ns) { return std::abs(found - ns * 1000) <= 1000; }

/// Tiles of 1 us from 1 us on, in a tile a wait; two records each, of which a ring of `capacity` keeps the first.
timeline tiles(std::uint32_t capacity, bool closed = true) {
  synthetic::trace trace;
  const std::uint32_t tile = trace.site(site_kind::work, "tile");
  const std::uint32_t wait = trace.site(site_kind::wait, "wait");
  synthetic::warp warp{.open = at(0), .close = at(20'000), .closed = closed};
  for (std::uint64_t ns = 1000; ns < 11'000; ns += 1000) {
    warp.log.event(record_kind::range_begin, tile, at(ns).cycles);
    warp.log.event(record_kind::range_begin, wait, at(ns + 200).cycles);
    warp.log.event(record_kind::range_end, wait, at(ns + 500).cycles);
    warp.log.event(record_kind::range_end, tile, at(ns + 900).cycles);
  }
  synthetic::warp whole{.number = 1, .open = at(0), .close = at(20'000)};
  trace.launch("kernel", 1, 2, capacity, {warp, whole}, true);
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  return build_timeline(std::get<trace_view>(read), "x");
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("the observed window goes from the opening to the last kept record") {
  const timeline source = tiles(16);
  CHECK(text_of(source.warnings) == "");
  CHECK(source.launches.at(0).keep_first);
  const warp_timeline& warp = source.launches[0].warps.at(0);
  CHECK(warp.written == 40);
  CHECK(warp.kept == 16);
  CHECK(warp.lost == 24);
  CHECK(near(warp.observed, 0));
  CHECK(near(warp.unobserved, 4900));
  CHECK(near(warp.close, 20'000));
  CHECK(warp.ranges.size() == 8);
  for (const range& one : warp.ranges) CHECK(one.state == range_state::whole);
  CHECK(warp.odd.empty());
  const warp_timeline& other = source.launches[0].warps.at(1);
  CHECK(other.unobserved == other.close);

  const launch_report launch = make_report(source).launches.at(0);
  REQUIRE(launch.roles.size() == 1);
  CHECK(near(static_cast<picoseconds>(launch.roles[0].lost), 20'000 - 4900));
  std::string findings;
  for (const finding& found : launch.findings) findings += found.text + "\n";
  CHECK(synthetic::lacking(findings,
                           {"24 of 40 records lost, not stored in full rings in 1 of 2 warps (rings hold 16)"}) == "");
  CHECK(nlohmann::json::parse(report_json(make_report(source)))["launches"][0]["keep_first"] == 1);
}

TEST_CASE("a warp's header says by itself that its ring keeps the first records") {
  synthetic::trace trace;
  synthetic::warp warp{.open = at(0), .close = at(20'000)};
  const std::uint32_t mark = trace.site(site_kind::mark, "m");
  for (std::uint64_t ns = 1000; ns < 11'000; ns += 1000) warp.log.event(record_kind::mark, mark, at(ns).cycles);
  trace.launch("kernel", 1, 1, 4, {warp}, true);
  trace.content.launches[0].info.flags = 0;
  trace.content.launches[0].warps[0].flags = warp_keep_first;
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  const timeline source = build_timeline(std::get<trace_view>(read), "x");
  CHECK(source.launches.at(0).keep_first);
  CHECK(near(source.launches[0].warps.at(0).unobserved, 4000));
}

TEST_CASE("ranges whose end was lost are cut at the last kept record, not open") {
  synthetic::trace trace;
  const std::uint32_t tile = trace.site(site_kind::work, "tile");
  const std::uint32_t wait = trace.site(site_kind::wait, "wait");
  synthetic::warp warp{.open = at(0), .close = at(20'000)};
  const std::uint32_t token = warp.log.event(record_kind::token_begin, tile, at(900).cycles);
  warp.log.event(record_kind::range_begin, tile, at(1000).cycles);
  warp.log.event(record_kind::range_begin, wait, at(2000).cycles);
  warp.log.event(record_kind::mark, wait, at(3000).cycles);
  warp.log.event(record_kind::range_end, wait, at(4000).cycles);
  warp.log.event(record_kind::range_end, tile, at(5000).cycles);
  warp.log.end_token(token, at(6000).cycles, tile);
  trace.launch("kernel", 1, 1, 4, {warp}, true);
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  const timeline source = build_timeline(std::get<trace_view>(read), "x");
  const warp_timeline& of = source.launches.at(0).warps.at(0);
  REQUIRE(of.ranges.size() == 3);
  for (const range& one : of.ranges) {
    CHECK(one.state == range_state::cut);
    CHECK(one.end == of.unobserved);
  }
  CHECK(near(of.unobserved, 3000));
  CHECK(of.ranges[1].cycles == 4000);
  CHECK(of.ranges[1].inside == 2);
  CHECK(of.cycles == 6000);
  std::uint64_t cut = 0;
  for (const odd_events& odd : of.odd) {
    cut += odd.cut;
    CHECK(odd.open + odd.unmatched == 0);
  }
  CHECK(cut == 3);
  const launch_report launch = make_report(source).launches.at(0);
  CHECK(launch.cut == 3);
  CHECK(launch.open == 0);
  CHECK(launch.unmatched == 0);
}

TEST_CASE("a full ring that was never closed may have lost what came behind, and says so") {
  const timeline full = tiles(16, false);
  CHECK(synthetic::lacking(text_of(full.warnings), {"CTA 0,0,0 warp 0: the ring was never closed and is full"}) == "");
  CHECK(near(full.launches[0].warps[0].close, 4900));
  CHECK(full.launches[0].warps[0].unobserved == full.launches[0].warps[0].close);
  CHECK(text_of(tiles(64, false).warnings) == "");
}

TEST_CASE("Chrome traces show the lost time at the end, behind everything else") {
  for (const std::uint32_t capacity : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    const timeline source = tiles(capacity);
    std::string text;
    const chrome_trace_counts counts = write_chrome_trace(
        source, [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); });
    for (const perfetto::violation& found : perfetto::check(text)) FAIL_CHECK(found);
    CHECK(counts.lost == (capacity < 40 ? 1 : 0));
    const warp_timeline& warp = source.launches[0].warps[0];
    const nlohmann::json json = nlohmann::json::parse(text);
    for (const nlohmann::json& event : json["traceEvents"]) {
      if (event["name"] == "(lost)") {
        CHECK(event["ts"].get<double>() == Approx(static_cast<double>(warp.unobserved) / 1e6).margin(0.002));
        CHECK(event["ts"].get<double>() + event["dur"].get<double>() ==
              Approx(static_cast<double>(warp.close) / 1e6).margin(0.002));
        CHECK(event["args"]["records"] == 40 - capacity);
      } else if (event["ph"] == "X") {
        CHECK(event["ts"].get<double>() + event["dur"].get<double>() <=
              static_cast<double>(warp.unobserved) / 1e6 + 0.001);
      }
    }
    CHECK((text.find("\"state\":\"cut\"") != std::string::npos) == (capacity < 4));
  }
}

}  // namespace
}  // namespace iket::test
