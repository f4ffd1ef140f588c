// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "draw_limit.hpp"

#include <catch.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <perfetto/rules.hpp>

#include "hand_made.hpp"
#include "slice_summary.hpp"

namespace iket::test {
namespace {

/// CTAs of two warps; the n-th has some ranges more than the one before, where `growth` is not 0.
timeline many_ctas(std::uint32_t ctas, picoseconds ranges, picoseconds growth = 0) {
  hand_made made;
  made.launch("gemm", ctas);
  for (std::uint32_t cta = 0; cta < ctas; ++cta)
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      const picoseconds count = ranges + growth * cta;
      made.warp(cta, warp, "role", 0, 10'000 * count);
      for (picoseconds i = 0; i < count; ++i) made.work("stage", 10'000 * i, 10'000 * i + 5000, i32(7));
    }
  return made.take();
}

std::uint64_t bytes_of(const timeline& trace, const chrome_options& options = {}) {
  std::uint64_t bytes = 0;
  write_chrome_trace(
      trace, [&](const void*, std::size_t size) { bytes += size; }, {}, options);
  return bytes;
}

std::vector<std::uint32_t> drawn_ctas(const timeline& trace) {
  std::vector<std::uint32_t> ctas;
  for (const warp_timeline& warp : trace.launches[0].warps)
    if (!warp.left_out && (ctas.empty() || ctas.back() != warp.cta_linear)) ctas.push_back(warp.cta_linear);
  return ctas;
}

TEST_CASE("what fits is drawn whole") {
  timeline trace = many_ctas(64, 20);
  const std::uint64_t all = bytes_of(trace);
  limit_drawing(trace, all, {});
  CHECK(counts_of(trace).ctas == 64);
  limit_drawing(trace, all - 1, {});
  CHECK(counts_of(trace).ctas < 64);
}

TEST_CASE("a limit is kept, and most of it used") {
  for (const track_grouping group_by : {track_grouping::cta, track_grouping::sm})
    for (const picoseconds growth : {0, 1})
      for (const std::uint64_t part : {2u, 3u, 10u, 40u}) {
        timeline trace = many_ctas(300, 10, growth);
        const std::uint64_t limit = bytes_of(trace, {.group_by = group_by}) / part;
        limit_drawing(trace, limit, {.group_by = group_by});
        INFO(part);
        CHECK(bytes_of(trace, {.group_by = group_by}) <= limit);
        CHECK(bytes_of(trace, {.group_by = group_by}) > limit / 2);
      }
}

TEST_CASE("CTAs are drawn at even distances, the first among them") {
  timeline trace = many_ctas(1000, 10);
  limit_drawing(trace, bytes_of(trace) / 7, {});
  const std::vector<std::uint32_t> ctas = drawn_ctas(trace);
  REQUIRE(ctas.size() > 100);
  CHECK(ctas.front() == 0);
  const auto distance = static_cast<std::uint32_t>(1000 / ctas.size());
  for (std::size_t i = 1; i < ctas.size(); ++i) {
    CHECK(ctas[i] - ctas[i - 1] >= distance);
    CHECK(ctas[i] - ctas[i - 1] <= distance + 1);
  }
  CHECK(1000 - ctas.back() <= distance + 1);
}

TEST_CASE("one CTA is drawn however large it is") {
  timeline trace = many_ctas(10, 100);
  limit_drawing(trace, 1000, {});
  CHECK(drawn_ctas(trace) == std::vector<std::uint32_t>{0});
  timeline single = many_ctas(1, 100);
  limit_drawing(single, 1000, {});
  CHECK(drawn_ctas(single).size() == 1);
}

TEST_CASE("the file says what was left out") {
  const timeline trace = many_ctas(2, 3);
  std::string text;
  write_chrome_trace(trace,
                     [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }, {},
                     {.slice_json = slice_json({})});
  CHECK(perfetto::check(text) == perfetto::violations{});
  CHECK(text.find(R"("slice":{"asked":{"launch":[],)") > text.find(R"("otherData":{)"));
}

TEST_CASE("clusters are drawn whole") {
  timeline trace = many_ctas(64, 50);
  trace.launches[0].cluster = {2, 2, 1};
  // A grid of 8 x 8: the CTAs of a cluster are no neighbours in linear order.
  for (warp_timeline& warp : trace.launches[0].warps) warp.cta = {warp.cta_linear % 8, warp.cta_linear / 8, 0};
  limit_drawing(trace, bytes_of(trace) / 4, {});
  std::vector<int> drawn(16);
  for (const warp_timeline& warp : trace.launches[0].warps)
    if (!warp.left_out) ++drawn[warp.cta[1] / 2 * 4 + warp.cta[0] / 2];
  int whole = 0;
  for (const int warps : drawn) {
    CHECK((warps == 0 || warps == 8));
    whole += warps == 8;
  }
  CHECK(whole >= 2);
  CHECK(whole <= 4);
}

}  // namespace
}  // namespace iket::test
