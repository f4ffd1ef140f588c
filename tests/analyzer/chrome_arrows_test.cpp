// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_arrows.hpp"

#include <catch.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <perfetto/rules.hpp>

#include "chrome_trace.hpp"
#include "hand_made.hpp"
#include "limits.hpp"
#include "oracle/moments.hpp"
#include "oracle/random_launches.hpp"
#include "report.hpp"
#include "slice_text.hpp"
#include "trace_slice.hpp"

namespace iket::test {
namespace {

using nlohmann::json;

constexpr picoseconds us = 1'000'000;

/// Two tiles: each is loaded, flies, and is waited for by a consumer, which then works; the producer waits for that.
hand_made two_tiles() {
  hand_made made;
  made.launch("gemm");
  made.warp(0, 0, "producer", 0, 20 * us);
  made.work("load", 1 * us, 2 * us, i32(0)).work("load", 3 * us, 4 * us, i32(1));
  made.wait("slot free", 5 * us, 11 * us);
  made.warp(0, 1, "consumer", 0, 20 * us);
  made.wait("full", 1 * us, 6 * us, i32(0)).work("mma", 6 * us, 11 * us);
  made.wait("full", 11 * us, 14 * us, i32(1));
  return made;
}

std::string text_of(const timeline& trace, chrome_trace_counts& counts, const chrome_options& options = {}) {
  std::string text;
  counts = write_chrome_trace(
      trace, [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }, {},
      options);
  return text;
}

/// "cat name: begin of its first event -> of its second [us]", by id.
std::vector<std::string> arrows_in(const std::string& text) {
  std::map<int, std::string> arrows;
  const json trace = json::parse(text);
  for (const json& one : trace["traceEvents"]) {
    const std::string phase = one["ph"];
    if (phase == "s") {
      const std::string cat = one["cat"], name = one["name"];
      arrows[one["id"]] = cat + " " + name + ": " + one["ts"].dump();
    }
    if (phase == "f") arrows[one["id"]] += " -> " + one["ts"].dump();
  }
  std::vector<std::string> result;
  for (const auto& [id, text_of_one] : arrows) result.push_back(text_of_one);
  return result;
}

TEST_CASE("arrows go from the work that was waited for to the wait, one from range to range") {
  chrome_trace_counts counts;
  const std::string text = text_of(two_tiles().take(), counts);
  perfetto::statistics seen;
  CHECK(perfetto::check(text, &seen) == perfetto::violations{});
  CHECK(seen.flows == counts.arrows);
  const std::vector<std::string> expected{"released by mma: 10.998 -> 10.999",
                                          "released by load (in flight): 1.999 -> 5.999",
                                          "released by load (in flight): 3.999 -> 13.999"};
  CHECK(arrows_in(text) == expected);
  CHECK(counts.no_arrow == 0);
}

/// A consumer waits for item 1, of which `stages` stages are in flight, while a worker ends a little later.
std::string releaser_of_wait(std::uint32_t stages) {
  hand_made made;
  made.launch("kernel", 1, stages + 2).warp(0, 0, "consumer", 0, 20 * us).wait("data", us, 5 * us, i32(1));
  made.warp(0, 1, "worker", 0, 20 * us).work("other", 2 * us, 5 * us + 20'000);
  for (std::uint32_t i = 0; i < stages; ++i)
    made.warp(0, 2 + i, "loader", 0, 20 * us).work("load " + std::to_string(i), us + i, 2 * us + i, i32(1));
  const timeline trace = made.take();
  const launch_report launch = make_report(trace).launches.at(0);
  REQUIRE(launch.related.waits.size() == 1);
  REQUIRE(launch.related.waits[0].released_by.size() == 1);
  return launch.related.waits[0].released_by[0].stage;
}

TEST_CASE("a wait for an item is released by what is in flight of it, whatever ends meanwhile") {
  CHECK(releaser_of_wait(1) == "load 0 (in flight)");
  // Of those that end together the lowest warp's.
  CHECK(releaser_of_wait(limits::flying_stages_of_item) == "load 0 (in flight)");
  CHECK(releaser_of_wait(limits::flying_stages_of_item + 1) == "other");
}

TEST_CASE("a flight that releases nothing where it ends is drawn as one") {
  hand_made made;
  made.launch("gemm");
  made.warp(0, 0, "producer", 0, 20 * us).work("load", 1 * us, 2 * us, i32(0)).work("store", 4 * us, 9 * us);
  made.warp(0, 1, "consumer", 0, 20 * us).wait("full", 8 * us, 8 * us + 90'000, i32(0));
  chrome_trace_counts counts;
  CHECK(arrows_in(text_of(made.take(), counts)) ==
        std::vector<std::string>{"in flight load (in flight): 1.999 -> 8.089"});
}

TEST_CASE("an arrow that no viewer would bind to its slice is counted, not drawn") {
  hand_made made;
  made.launch("gemm");
  made.warp(0, 0, "producer", 0, 20 * us);
  made.work("load", 1 * us, 2 * us, i32(0)).work("address", 1 * us, 2 * us);
  made.warp(0, 1, "consumer", 0, 20 * us).wait("full", 1 * us, 6 * us, i32(0));
  chrome_trace_counts counts;
  const std::string text = text_of(made.take(), counts);
  CHECK(arrows_in(text).empty());
  CHECK(counts.no_arrow == 1);
  CHECK(json::parse(text)["otherData"]["left_out_arrows"] == 1);
}

TEST_CASE("a part of a trace has the arrows of the whole, between what is drawn") {
  const auto arrows_of = [](auto choose) {
    timeline part = two_tiles().take();
    slice_request request;
    choose(request);
    keep_parts(part, request);
    chrome_trace_counts counts;
    const std::string text = text_of(part, counts);
    CHECK(perfetto::check(text) == perfetto::violations{});
    CHECK(counts.no_arrow == 0);
    return arrows_in(text);
  };
  CHECK(arrows_of([](slice_request& to) { to.from = 12 * us; }).empty());
  CHECK(arrows_of([](slice_request& to) { to.to = 3 * us; }) ==
        std::vector<std::string>{"released by load (in flight): 1.999 -> 5.999"});
  CHECK(arrows_of([](slice_request& to) { to.stage = parse_pattern("mma|slot"); }) ==
        std::vector<std::string>{"released by mma: 10.998 -> 10.999"});
  CHECK(arrows_of([](slice_request& to) { to.roles = {"consumer"}; }).empty());
}

/// The stack range that Perfetto would bind an arrow to at `time_ns`: what began last; none where that is a mark.
const range* begun_last(const warp_timeline& of, const trace_scale& scale, std::int64_t time_ns) {
  const range* last = nullptr;
  for (const range& one : of.ranges)
    if (!one.token && scale.nanoseconds(one.begin) <= time_ns) last = &one;
  for (const point& one : of.points)
    if (is_drawn_as_mark(one) && last != nullptr && scale.nanoseconds(one.time) <= time_ns && one.time >= last->begin)
      return nullptr;
  return last;
}

using ends = std::pair<const range*, const range*>;

std::map<ends, arrow_kind> expected_arrows(const timeline& source, const launch& of, scope by) {
  std::map<ends, arrow_kind> expected;
  const oracle::moments in(source, of);
  const auto flights = oracle::flights_of(in);
  const auto add = [&](const range& from, const range& to, arrow_kind kind) {
    if (!from.token && !to.token) expected[{&from, &to}] = kind;
  };
  for (const oracle::flight& one : flights) add(*one.work, *one.wait, arrow_kind::in_flight);
  for (const oracle::release& one : oracle::releases_of(in, flights, by))
    if (one.by) add(**one.by, *one.wait, arrow_kind::released_by);
  return expected;
}

TEST_CASE("arrows are those of the definitions, and bind to the right slices, of launches at random") {
  std::uint64_t drawn = 0, not_drawn = 0, across = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    INFO("seed " << seed);
    const timeline source = random_launches(seed).make();
    const scope by = seed % 2 == 0 ? scope::cta : scope::cluster;
    const trace_scale scale = scale_of(source);
    arrow_finder finder(source, scale, by);
    for (const launch& one : source.launches) {
      const std::map<ends, arrow_kind> expected = expected_arrows(source, one, by);
      std::set<ends> found;
      const std::uint64_t missing = finder.find(one, [&](const drawn_arrow& arrow) {
        REQUIRE(arrow.from_ns < arrow.to_ns);
        const warp_timeline& from_warp = one.warps[arrow.from_warp];
        const warp_timeline& to_warp = one.warps[arrow.to_warp];
        const range* const from = begun_last(from_warp, scale, arrow.from_ns);
        const range* const to = begun_last(to_warp, scale, arrow.to_ns);
        REQUIRE(from != nullptr);
        REQUIRE(to != nullptr);
        REQUIRE(found.insert({from, to}).second);
        const auto known = expected.find({from, to});
        REQUIRE(known != expected.end());
        REQUIRE(known->second == arrow.kind);
        REQUIRE(source.stages[from->stage].kind == stage_kind::work);
        REQUIRE(activity_table{&source.stages}.stage_of(arrow.activity) == from->stage);
        across += from_warp.cta_linear != to_warp.cta_linear ? 1 : 0;
      });
      REQUIRE(found.size() + missing == expected.size());
      drawn += found.size();
      not_drawn += missing;
    }
    chrome_trace_counts counts;
    perfetto::statistics seen;
    CHECK(perfetto::check(text_of(source, counts, {.scope = by}), &seen) == perfetto::violations{});
    CHECK(seen.flows == counts.arrows);
  }
  CHECK(drawn > 3000);
  CHECK(not_drawn < drawn);  // much begins at one time there
  CHECK(across > 10);
}

}  // namespace
}  // namespace iket::test
