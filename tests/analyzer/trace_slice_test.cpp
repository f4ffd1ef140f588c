// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "trace_slice.hpp"

#include <catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "hand_made.hpp"
#include "random_timeline.hpp"
#include "report.hpp"
#include "slice_summary.hpp"
#include "slice_text.hpp"

namespace iket::test {
namespace {

constexpr picoseconds us = 1'000'000;

/// Two launches of 4 CTAs with a producer and a consumer each; one range of 2 us begins every 4 us.
timeline two_launches() {
  hand_made made;
  for (int launch = 0; launch < 2; ++launch) {
    made.launch(launch == 0 ? "gemm" : "reduce", 4);
    for (std::uint32_t cta = 0; cta < 4; ++cta)
      for (std::uint32_t warp = 0; warp < 2; ++warp) {
        const picoseconds open = launch * 100 * us;
        made.warp(cta, warp, warp == 0 ? "producer" : "", open, open + 20 * us);
        for (picoseconds i = 0; i < 5; ++i)
          made.work(i % 2 == 0 ? "load" : "mma", open + (4 * i + 1) * us, open + (4 * i + 3) * us);
        made.add_point("done", open + 19 * us, {}, false);
      }
  }
  return made.take();
}

drawn_counts left_of(const slice_request& request) {
  timeline trace = two_launches();
  keep_launches(trace, request);
  keep_parts(trace, request);
  return counts_of(trace);
}

std::string error_of(const slice_request& request) {
  try {
    (void)left_of(request);
  } catch (const empty_slice& error) {
    return error.what();
  }
  return "none";
}

template <class Parse>
std::string parse_error(Parse parse) {
  try {
    parse();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

slice_request with_stage(const std::string& pattern) {
  slice_request request;
  request.stage = parse_pattern(pattern);
  return request;
}

TEST_CASE("no request leaves everything") { CHECK(left_of({}) == drawn_counts{2, 8, 16, 80, 16}); }

TEST_CASE("launches are chosen by number or kernel, and keep their numbers") {
  slice_request request;
  add_launch("2", request);
  CHECK(left_of(request) == drawn_counts{1, 4, 8, 40, 8});
  timeline trace = two_launches();
  keep_launches(trace, request);
  CHECK(trace.launches.size() == 2);
  const report narrowed = make_report(trace);
  REQUIRE(narrowed.launches.size() == 1);
  CHECK(narrowed.launches[0].kernel == "reduce");
  // What lies between launches is what lay between them in the trace.
  CHECK(narrowed.launches[0].sequence.followers == 1);

  slice_request by_name;
  add_launch("gemm", by_name);
  CHECK(left_of(by_name).launches == 1);
  add_launch("1-2", by_name);
  CHECK(left_of(by_name).launches == 2);
  slice_request wrong;
  add_launch("7", wrong);
  CHECK(error_of(wrong) == "--launch fits no launch: they are 1 'gemm', 2 'reduce'");
}

TEST_CASE("CTAs, warps and roles are chosen together") {
  slice_request request;
  add_cta("1-2", request);
  CHECK(left_of(request) == drawn_counts{2, 4, 8, 40, 8});
  add_cta("3,0,0", request);
  CHECK(left_of(request).ctas == 6);
  add_numbers("1", request.warps);
  CHECK(left_of(request).warps == 6);
  request.roles = {"-"};
  CHECK(left_of(request).warps == 6);
  request.roles = {"producer"};
  CHECK(error_of(request) == "each choice alone fits something, but all of them together nothing");
  request.roles.push_back("-");
  CHECK(left_of(request).warps == 6);
}

TEST_CASE("which CTAs were traced is told also where they are not in a row") {
  slice_request request;
  add_cta("2", request);
  const auto told = [&](const std::vector<std::uint32_t>& ctas) -> std::string {
    hand_made made;
    made.launch("gemm", 1000);
    for (const std::uint32_t cta : ctas) made.warp(cta, 0, "", 0, us);
    timeline trace = made.take();
    try {
      keep_parts(trace, request);
    } catch (const empty_slice& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = "--cta fits no traced CTA: they are ";
  CHECK(told({0, 40, 80}) == text + "every 40th from 0 to 80 by linear number");
  CHECK(told({0, 40}) == text + "0, 40 by linear number");
  CHECK(told({7}) == text + "7 to 7 by linear number");
  CHECK(told({5, 6, 8}) == text + "5, 6, 8 by linear number");
  CHECK(told({5, 6, 8, 9, 10, 11, 12, 13, 14, 15}) == text + "5, 6, 8, 9, 10, 11, 12, 13 and 2 more by linear number");
}

TEST_CASE("a choice that fits nothing is told with what there is") {
  slice_request cta, warp, role, time;
  add_cta("4", cta);
  CHECK(error_of(cta) == "--cta fits no traced CTA: they are 0 to 3 by linear number");
  add_numbers("2-9", warp.warps);
  CHECK(error_of(warp) == "--warp fits no traced warp: they are 0 to 1 of a CTA");
  role.roles = {"writer"};
  CHECK(error_of(role) == "--role fits no warp: the roles are -, producer");
  CHECK(error_of(with_stage("x")) == "--stage fits no name: they are 'load', 'mma', 'done'");
  time.from = 121 * us;
  CHECK(error_of(time) ==
        "nothing was traced between --from and --to: the traced warps run from 0.000 us to 120.000 us");
}

TEST_CASE("a stage leaves its ranges, and marks of the name, on warps that have any") {
  CHECK(left_of(with_stage("^load$")) == drawn_counts{2, 8, 16, 48, 0});
  CHECK(left_of(with_stage("load|mma")).ranges == 80);
  CHECK(left_of(with_stage("o")) == drawn_counts{2, 8, 16, 48, 16});
  slice_request request = with_stage("done");
  CHECK(left_of(request) == drawn_counts{2, 8, 16, 0, 16});
  request.to = 10 * us;
  CHECK(error_of(request) == "each choice alone fits something, but all of them together nothing");
}

TEST_CASE("ranges that are partly within the times stay whole") {
  slice_request request;
  request.from = 2 * us;
  request.to = 6 * us;
  timeline trace = two_launches();
  keep_parts(trace, request);
  CHECK(counts_of(trace) == drawn_counts{1, 4, 8, 16, 0});
  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(warp.ranges[0].begin == 1 * us);
    CHECK(warp.ranges[0].end == 3 * us);
    CHECK(warp.ranges[1].end == 7 * us);
  }
  for (const warp_timeline& warp : trace.launches[1].warps) CHECK(warp.left_out);
  request.from = request.to = 4 * us;  // between two ranges: the warps ran then, but nothing is to be drawn
  CHECK(error_of(request) == "each choice alone fits something, but all of them together nothing");
}

TEST_CASE("lost times outside are not drawn") {
  hand_made made;
  made.launch("k").warp(0, 0, "", 0, 100 * us).lost(5, 10 * us).work("a", 20 * us, 30 * us);
  const timeline trace = made.take();
  slice_request request;
  request.from = 15 * us;
  timeline late = trace;
  keep_parts(late, request);
  CHECK(late.launches[0].warps[0].open == 10 * us);
  request.from = 5 * us;
  timeline early = trace;
  keep_parts(early, request);
  CHECK(early.launches[0].warps[0].open == 0);
  request.to = 8 * us;  // nothing but lost time
  timeline lost = trace;
  keep_parts(lost, request);
  CHECK(counts_of(lost) == drawn_counts{1, 1, 1, 0, 0});
}

TEST_CASE("what is left is what fits, of timelines at random") {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    const timeline all = random_timeline(seed, 5000).make();
    slice_request request = with_stage("a|mark");
    request.from = 900;
    request.to = 2500;
    add_numbers("0,2-3", request.warps);
    timeline part = all;
    try {
      keep_parts(part, request);
    } catch (const empty_slice&) {
      continue;
    }
    std::uint64_t expected = 0;
    for (const launch& one : all.launches)
      for (const warp_timeline& warp : one.warps)
        for (const range& of : warp.ranges)
          expected += warp.warp != 1 && all.stages[of.stage].name.find('a') != std::string::npos && of.end >= 900 &&
                      of.begin <= 2500;
    CHECK(counts_of(part).ranges == expected);
  }
}

TEST_CASE("numbers, CTAs, times and sizes as they are written") {
  slice_request request;
  add_numbers("0,4-7", request.warps);
  REQUIRE(request.warps.size() == 2);
  CHECK(request.warps[1].first == 4);
  CHECK(request.warps[1].last == 7);
  for (const char* text : {"", "x", "1-", "-1", "7-4", "1,,2", "1.5", "1 ", "99999999999999999999"})
    CHECK(parse_error([&] { add_numbers(text, request.warps); }).find("takes numbers such as") == 0);

  add_cta("1,2,0", request);
  CHECK(request.cta_places.back() == std::array<std::uint32_t, 3>{1, 2, 0});
  for (const char* text : {"1,2", "1,2,3,4", "1,2,x", "", "a", "1-2,3,4", "1,2,4294967296"})
    CHECK(parse_error([&] { add_cta(text, request); }).find("takes a number (7), a range (3-9) or x,y,z") == 0);

  CHECK(parse_time("12") == 12 * us);
  CHECK(parse_time("1.5ns") == 1500);
  CHECK(parse_time("0.25 ms") == 250 * us);
  CHECK(parse_time("2s") == 2'000'000 * us);
  for (const char* text : {"", "us", "-1us", "1min", "nan", "inf", "1e30s", "1 2"})
    CHECK(parse_error([&] { (void)parse_time(text); }).find("takes a number with ns, us, ms or s, not") == 0);

  CHECK(parse_size("none") == std::nullopt);
  CHECK(parse_size("100M") == 100'000'000);
  CHECK(parse_size("2.5 GB") == 2'500'000'000);
  CHECK(parse_size("7") == 7);
  for (const char* text : {"", "M", "-1", "1T", "all"})
    CHECK(parse_error([&] { (void)parse_size(text); }).find("takes bytes") == 0);

  CHECK(parse_error([] { (void)parse_pattern("("); }) == "takes a regular expression, which '(' is not");
  CHECK(parse_pattern("x.*y").fits(std::string(1'000'000, 'x') + "y") == false);
}

TEST_CASE("what was asked for and left out is told") {
  slice_summary summary;
  CHECK(!summary.tells_anything());
  summary.chosen.ctas = 1024;
  summary.all = summary.chosen;
  CHECK(!summary.tells_anything());
  summary.drawn = drawn_counts{1, 64, 64, 1, 1};
  CHECK(summary.tells_anything());
  CHECK(slice_text(summary).find("64 of 1024 CTAs drawn, evenly spaced") == 0);
  slice_summary asked;
  asked.asked = with_stage("\"quoted\"");
  asked.asked.from = 1500;
  add_cta("1,2,3", asked.asked);
  CHECK(asked.tells_anything());
  CHECK(slice_json(asked).find(
            R"("cta":["1,2,3"],"warp":[],"role":[],"stage":"\"quoted\"","from_ns":1.5,"to_ns":null)") !=
        std::string::npos);
}

}  // namespace
}  // namespace iket::test
