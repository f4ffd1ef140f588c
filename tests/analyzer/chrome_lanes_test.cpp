// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_lanes.hpp"

#include <catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <perfetto/rules.hpp>

#include "chrome_trace.hpp"
#include "hand_made.hpp"
#include "random_timeline.hpp"
#include "sample_timeline.hpp"

namespace iket::test {
namespace {

std::string on_sms(const timeline& trace, chrome_trace_counts* counts = nullptr) {
  std::string text;
  const chrome_trace_counts found = write_chrome_trace(
      trace, [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }, {},
      {.group_by = track_grouping::sm});
  if (counts != nullptr) *counts = found;
  return text;
}

/// A timeline at random whose CTAs share two SMs.
timeline on_two_sms(std::uint32_t seed) {
  timeline trace = random_timeline(seed, 5000, 700).make();
  for (launch& one : trace.launches)
    for (warp_timeline& warp : one.warps) warp.sm = warp.cta_linear % 2;
  return trace;
}

TEST_CASE("CTAs of one lane never overlap, and there are no more lanes than CTAs at a time") {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const timeline trace = on_two_sms(seed);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<lane_cta>> lanes;
    std::map<std::uint32_t, std::vector<lane_cta>> sms;
    for (const lane_cta& one : lanes_of(trace, scale_of(trace))) {
      lanes[{one.sm, one.lane}].push_back(one);
      sms[one.sm].push_back(one);
    }
    for (auto& [place, ctas] : lanes) {
      std::sort(ctas.begin(), ctas.end(), [](const lane_cta& a, const lane_cta& b) { return a.begin_ns < b.begin_ns; });
      for (std::size_t i = 1; i < ctas.size(); ++i) CHECK(ctas[i].begin_ns > ctas[i - 1].end_ns);
    }
    for (const auto& [sm, ctas] : sms) {
      std::ptrdiff_t most = 0;
      for (const lane_cta& one : ctas)
        most = std::max(most, std::count_if(ctas.begin(), ctas.end(), [&](const lane_cta& other) {
                          return other.begin_ns <= one.begin_ns && other.end_ns >= one.begin_ns;
                        }));
      for (const lane_cta& one : ctas) CHECK(one.lane < static_cast<std::uint32_t>(most));
    }
  }
}

TEST_CASE("Perfetto shows every slice on SMs") {
  std::vector<timeline> traces{sample_timeline()};
  for (std::uint32_t seed = 1; seed <= 40; ++seed) traces.push_back(on_two_sms(seed));
  for (const timeline& trace : traces) {
    chrome_trace_counts counts;
    perfetto::statistics seen;
    CHECK(perfetto::check(on_sms(trace, &counts), &seen) == perfetto::violations{});
    CHECK(seen.slices == counts.slices + counts.lost + lanes_of(trace, scale_of(trace)).size());
    CHECK(seen.async_pairs == counts.asyncs);
    CHECK(seen.counters == counts.counters);
    CHECK(seen.instants == counts.instants);
  }
}

TEST_CASE("lanes say which CTA and role they have at a time") {
  hand_made made;
  made.launch("gemm", 3);
  made.warp(0, 0, "producer", 0, 5000).work("a", 1000, 4000);
  made.warp(1, 0, "producer", 0, 7000).work("a", 1000, 4000);
  made.warp(2, 0, "consumer", 9000, 12'000).work("b", 10'000, 11'000);
  timeline trace = made.take();
  for (warp_timeline& warp : trace.launches[0].warps) warp.sm = 12;
  const std::string text = on_sms(trace);
  perfetto::statistics seen;
  CHECK(perfetto::check(text, &seen) == perfetto::violations{});
  CHECK(seen.processes == 1);
  CHECK(seen.threads == 4);
  for (const char* part :
       {R"("name":"SM 12")", R"("name":"lane 0")", R"("name":"lane 1 warp 0")",
        R"x("name":"gemm CTA (2,0,0)","cat":"cta")x", R"x("args":{"cta":"(2,0,0)","launch":1,"role":"consumer",)x"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(text.find("lane 2") == std::string::npos);
}

TEST_CASE("CTAs that are left out take no lane") {
  hand_made made;
  made.launch("gemm", 2);
  made.warp(0, 0, "", 0, 5000).work("a", 1000, 4000);
  made.warp(1, 0, "", 0, 5000).work("a", 1000, 4000);
  timeline trace = made.take();
  trace.launches[0].warps[0].left_out = true;
  CHECK(lanes_of(trace, scale_of(trace)).size() == 1);
  CHECK(on_sms(trace).find("(0,0,0)") == std::string::npos);
}

}  // namespace
}  // namespace iket::test
