// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>
#include <perfetto/rules.hpp>

#include "chrome_trace.hpp"
#include "chrome_track.hpp"
#include "golden.hpp"
#include "random_timeline.hpp"
#include "sample_timeline.hpp"

namespace iket::test {
namespace {

struct written {
  std::string text;
  chrome_trace_counts counts;
  perfetto::statistics seen;
};

/// Writes the trace and holds every rule of Perfetto, and the counts, against it.
written write(const timeline& source) {
  written result;
  result.counts = write_chrome_trace(
      source, [&](const void* data, std::size_t size) { result.text.append(static_cast<const char*>(data), size); });
  for (const perfetto::violation& found : perfetto::check(result.text, &result.seen)) FAIL_CHECK(found);
  CHECK(result.seen.slices == result.counts.slices + result.counts.lost);
  CHECK(result.seen.async_pairs == result.counts.asyncs);
  CHECK(result.seen.instants == result.counts.instants);
  CHECK(result.seen.counters == result.counts.counters);
  return result;
}

std::vector<nlohmann::json> events_of(const std::string& text, const std::string& phase) {
  const nlohmann::json trace = nlohmann::json::parse(text);
  std::vector<nlohmann::json> result;
  for (const nlohmann::json& event : trace["traceEvents"])
    if (event["ph"] == phase) result.push_back(event);
  return result;
}

struct range_counts {
  std::uint64_t stack = 0;
  std::uint64_t tokens = 0;
  std::uint64_t points = 0;
};

range_counts count(const timeline& source) {
  range_counts result;
  for (const launch& one : source.launches)
    for (const warp_timeline& warp : one.warps) {
      for (const range& of : warp.ranges) ++(of.token ? result.tokens : result.stack);
      result.points += warp.points.size();
    }
  return result;
}

TEST_CASE("the sample's trace is as recorded") { check_golden("trace.json", write(sample_timeline()).text); }

TEST_CASE("no launches make a trace that opens") {
  const written trace = write(timeline{});
  CHECK(trace.seen.events == 0);
}

TEST_CASE("times are rounded at their ends, so that neighbours never overlap") {
  const trace_scale plain;
  CHECK(plain.nanoseconds(499) == 0);
  CHECK(plain.nanoseconds(500) == 1);
  CHECK(plain.nanoseconds(1499) == 1);
  CHECK(plain.nanoseconds(-500) == 0);
  CHECK(trace_scale{-1500, 1}.nanoseconds(0) == 2);
  CHECK(trace_scale{0, 1000}.nanoseconds(1'499'999) == 1000);
  CHECK(trace_scale{std::numeric_limits<picoseconds>::min(), 1}.nanoseconds(std::numeric_limits<picoseconds>::max()) ==
        18'446'744'073'709'552);
}

TEST_CASE("a trace of months is drawn in whole microseconds, which doubles hold") {
  hand_made made;
  constexpr picoseconds month = 2'592'000'000'000'000'000;
  made.launch("kernel").warp(0, 0, "", 1234, 3 * month);
  for (picoseconds i = 0; i < 1000; ++i) {
    const picoseconds begin = 2 * month + 1'234'567'891 * i;
    made.work("x", begin, begin + 1'000'000'500).work("y", begin + 777, begin + 1'000'000'499);
  }
  made.work("long", 1234, 2 * month - 1);
  CHECK(write(made.take()).counts.slices == 2001);
}

TEST_CASE("every range and point of random timelines arrives in Perfetto") {
  for (const picoseconds unit : {1, 37, 333, 500, 1000, 12345}) {
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
      INFO("seed " << seed << ", unit " << unit);
      const timeline source = random_timeline(seed, 300, unit).make();
      const written trace = write(source);
      const range_counts expected = count(source);
      REQUIRE(trace.counts.slices == expected.stack);
      REQUIRE(trace.counts.asyncs == expected.tokens);
      REQUIRE(trace.counts.instants + trace.counts.counters == expected.points);
      REQUIRE(trace.counts.too_deep == 0);
    }
  }
}

TEST_CASE("processes are CTAs, threads are warps, and no number is used twice") {
  hand_made made;
  made.launch("gemm", 2, 2).warp(0, 0, "producer", 0, 10).warp(0, 1, "", 0, 10).warp(1, 1, "consumer", 0, 10);
  made.launch("gemm", 2, 2).warp(0, 0, "producer", 20, 30);
  made.last_warp().cta = {1, 2, 3};
  made.last_launch().device = 1;
  made.result.devices.push_back(made.result.devices.front());
  const written trace = write(made.take());
  std::set<std::uint32_t> numbers;
  std::vector<std::string> processes;
  std::vector<std::string> threads;
  for (const nlohmann::json& event : events_of(trace.text, "M")) {
    if (event["name"] == "process_name") {
      processes.push_back(event["args"]["name"]);
      CHECK(numbers.insert(event["pid"].get<std::uint32_t>()).second);
    }
    if (event["name"] == "thread_name") {
      threads.push_back(event["args"]["name"]);
      CHECK(numbers.insert(event["tid"].get<std::uint32_t>()).second);
    }
  }
  CHECK(processes == std::vector<std::string>{"gemm #1 CTA (0,0,0) GPU 0 SM 4", "gemm #1 CTA (1,0,0) GPU 0 SM 5",
                                              "gemm #2 CTA (1,2,3) GPU 1 SM 4"});
  CHECK(threads == std::vector<std::string>{"warp 0 producer", "warp 1", "warp 1 consumer", "warp 0 producer"});
  CHECK(numbers.count(0) == 0);
}

TEST_CASE("one launch on one device needs no numbers") {
  hand_made made;
  made.launch("gemm").warp(0, 0, "", 0, 10);
  CHECK(events_of(write(made.take()).text, "M")[0]["args"]["name"] == "gemm CTA (0,0,0) SM 4");
}

TEST_CASE("ranges nested deeper than viewers show are left out and counted") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 2'000'000);
  for (int i = 0; i < 600; ++i) made.work("x", 1000 * i, 2'000'000 - 1000 * i);
  const written trace = write(made.take());
  CHECK(trace.counts.slices == 512);
  CHECK(trace.counts.too_deep == 88);
  CHECK(trace.seen.max_depth == 512);
  CHECK(nlohmann::json::parse(trace.text)["otherData"]["left_out_too_deep"] == 88);
}

TEST_CASE("marks nest like ranges of no length, also in deep ranges and at one time") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 2'000'000);
  for (int i = 0; i < 511; ++i) made.work("x", 1000 * i, 2'000'000 - 1000 * i);
  for (int i = 0; i < 3; ++i) made.add_point("same time", 700'000, {}, false);
  made.add_point("alone", 700'001'000 / 1000, {}, false).add_point("alone", 800'000, {}, false);
  made.work("y", 900'000, 900'000).add_point("in y", 900'000, {}, false);
  made.warp(0, 1, "", 0, 2'000'000);
  for (int i = 0; i < 600; ++i) made.add_point("same time", 5000, {}, false);
  const written trace = write(made.take());
  CHECK(trace.counts.slices == 512);
  CHECK(trace.counts.instants == 2 + 512);
  CHECK(trace.counts.too_deep == 3 + 1 + 88);
}

TEST_CASE("ranges shorter than a nanosecond survive") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100'000);
  made.work("outer", 10'000, 20'499);
  for (picoseconds i = 0; i < 20; ++i) made.work("inner", 19'000 + 70 * i, 19'000 + 70 * i + 60);
  made.work("next", 20'499, 20'499).work("next", 20'500, 30'000);
  CHECK(write(made.take()).counts.slices == 23);
}

TEST_CASE("a range that sticks out of another is clamped to it") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100'000).work("a", 1000, 5000).work("b", 3000, 8000);
  const auto slices = events_of(write(made.take()).text, "X");
  REQUIRE(slices.size() == 2);
  CHECK(slices[1]["dur"] == Approx(0.002));
}

TEST_CASE("what is before zero moves the zero") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100'000).work("a", 1000, 5000);
  made.launch("earlier").warp(0, 0, "", -50'000, 0).work("b", -40'000, -30'000);
  const auto slices = events_of(write(made.take()).text, "X");
  CHECK(slices[0]["ts"] == Approx(0.051));
  CHECK(slices[1]["ts"] == Approx(0.010));
}

TEST_CASE("time that was lost is drawn up to the first slice") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100'000).lost(40, 60'000).work("a", 60'000, 90'000);
  const auto slices = events_of(write(made.take()).text, "X");
  REQUIRE(slices.size() == 2);
  CHECK(slices[0]["name"] == "(lost)");
  CHECK(slices[0]["cat"] == "lost");
  CHECK(slices[0]["dur"] == Approx(0.060));
  CHECK(slices[0]["args"]["records"] == 40);
}

TEST_CASE("args tell payload, cycles, source, kind and state") {
  hand_made made;
  made.with_sources().launch("kernel").warp(0, 0, "", 0, 100'000);
  made.wait("w", 0, 10'000, i32(-5));
  made.add(stage_kind::work, "o", 20'000, 100'000, {}, range_state::open);
  made.last_warp().ranges.back().cycles = (std::uint64_t{1} << 53) + 1;
  const auto slices = events_of(write(made.take()).text, "X");
  CHECK(slices[0]["cat"] == "wait");
  CHECK(slices[0]["args"]["payload"] == -5);
  CHECK(slices[0]["args"]["payload_type"] == "i32");
  CHECK(slices[0]["args"]["cycles"] == 19);
  CHECK(slices[0]["args"]["source"] == "pipeline.cu:20");
  CHECK(slices[0]["args"]["kind"] == "wait");
  CHECK(slices[0]["args"].count("state") == 0);
  CHECK(slices[1]["args"]["cycles"] == "9007199254740993");
  CHECK(slices[1]["args"]["state"] == "open");
  CHECK(slices[1]["args"].count("payload") == 0);
}

TEST_CASE("payloads keep their type and every digit") {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const auto half = [](float value) { return std::uint64_t{std::bit_cast<std::uint32_t>(value)}; };
  const std::vector<std::pair<payload, std::string>> cases = {
      {{payload_type::i32, 0x80000000u}, "-2147483648"},
      {{payload_type::u32, 0xFFFFFFFFu}, "4294967295"},
      {{payload_type::i64, ~std::uint64_t{0}}, "-1"},
      {{payload_type::i64, std::uint64_t{1} << 53}, "9007199254740992"},
      {{payload_type::i64, (std::uint64_t{1} << 53) + 1}, "\"9007199254740993\""},
      {{payload_type::i64, std::uint64_t{1} << 63}, "\"-9223372036854775808\""},
      {{payload_type::u64, ~std::uint64_t{0}}, "\"18446744073709551615\""},
      {{payload_type::f32, half(0.1f)}, "0.1"},
      {{payload_type::f32, half(3.0f)}, "3.0"},
      {{payload_type::f32, half(INFINITY)}, "\"Infinity\""},
      {{payload_type::f64, bits(-INFINITY)}, "\"-Infinity\""},
      {{payload_type::f64, bits(std::nan(""))}, "\"NaN\""},
      {{payload_type::f64, bits(1e300)}, "1e+300"},
      {{payload_type::f64, bits(9007199254740994.0)}, "9007199254740994.0"},
      {{payload_type::f64, bits(5e-324)}, "5e-324"},
      {{payload_type::f64, bits(0.0021121222525835037)}, "2.1121222525835037e-03"},
      {{payload_type::boolean, 1}, "true"},
      {{payload_type::boolean, 0}, "false"},
  };
  for (const auto& [value, expected] : cases) {
    hand_made made;
    made.launch("kernel").warp(0, 0, "", 0, 1000).work("x", 0, 10, value);
    made.add_point("mark", 5, value, false).add_point("counter", 5, value, true);
    const written trace = write(made.take());
    INFO(trace.text);
    CHECK(trace.text.find("\"payload\":" + expected + ",") != std::string::npos);
  }
}

TEST_CASE("counters of warps of a CTA have tracks of their own") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 1000).add_point("n", 1, i32(1), true);
  made.warp(0, 1, "", 0, 1000).add_point("n", 1, i32(2), true);
  made.add_point("n", 2, {payload_type::u64, ~std::uint64_t{0}}, true);
  const auto counters = events_of(write(made.take()).text, "C");
  CHECK(counters[0]["name"] == "n (warp 0)");
  CHECK(counters[1]["name"] == "n (warp 1)");
  CHECK(counters[2]["args"]["value"] == Approx(1.8446744073709552e19));
}

TEST_CASE("names of any bytes make a trace that opens") {
  const std::string names[] = {"",
                               "\"quotes\" and \\backslashes\\",
                               std::string("nul\0inside", 10),
                               "\x1b[31mred\x7f\r\n\t",
                               "\xff\xfe\x80 no utf-8 \xc3",
                               "\xed\xa0\x80 surrogate",
                               "\xc0\xaf overlong",
                               "\xf4\x90\x80\x80 too large",
                               "grüße 世界 \xf0\x9f\x9a\x80",
                               std::string(5000, 'x')};
  for (const std::string& name : names) {
    hand_made made;
    made.result.file = name;
    made.with_sources().launch(name).warp(0, 0, name.empty() ? "r" : name, 0, 1000).work(name, 0, 10);
    made.result.sources.back().file = name;
    made.add_point(name, 5, {}, false).add_point(name, 5, i32(1), true);
    made.token(stage_kind::wait, name, 1, 2);
    INFO(name);
    const written trace = write(made.take());
    CHECK(trace.seen.slices == 1);
    CHECK(nlohmann::json::parse(trace.text).is_object());
  }
}

TEST_CASE("progress counts the warps") {
  std::uint64_t last = 0;
  write_chrome_trace(
      sample_timeline(), [](const void*, std::size_t) {}, [&](std::uint64_t warps) { last = warps; });
  CHECK(last == 8);
}

}  // namespace
}  // namespace iket::test
