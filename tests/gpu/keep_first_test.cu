// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiled with IKET_KEEP_FIRST: a full ring holds the warp's first events, whole ones alone, and all else is counted.
#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void mixed_events(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "mixed");
  const unsigned iterations = blockIdx.x * blockIdx.x * blockIdx.x;
  for (unsigned i = 0; i < iterations; ++i) {
    {
      IKET_RANGE(rec, "outer", i);
      IKET_MARK(rec, "mark", static_cast<unsigned long long>(i));
      { IKET_WAIT(rec, "inner"); }
    }
    IKET_PUSH(rec, "pushed", 1.5f);
    IKET_POP(rec);
    const iket::token started = IKET_START(rec, "token");
    IKET_COUNTER(rec, "counter", 0.5);
    IKET_END(rec, started);
  }
}
constexpr unsigned grid = 7;  // the last CTA has 216 iterations

__global__ void marks(unsigned count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (unsigned i = 0; i < count; ++i) IKET_MARK(rec, "mark", i);
}

/// One iteration of mixed_events in order: records of an event, and what it is.
struct step {
  unsigned records;
  enum { begin, end, point } what;
};
constexpr step steps[] = {
    {2, step::begin}, {3, step::point}, {1, step::begin}, {1, step::end},   {1, step::end},
    {2, step::begin}, {1, step::end},   {1, step::begin}, {3, step::point}, {2, step::end},
};

struct expected_counts {
  std::uint64_t written = 0, kept = 0, events = 0, begins = 0, ends = 0, points = 0;
};

expected_counts expected_of(unsigned iterations, std::uint64_t capacity) {
  expected_counts expected;
  for (unsigned i = 0; i < iterations; ++i)
    for (const step& step : steps) {
      if (expected.written + step.records <= capacity) {
        expected.kept += step.records;
        ++expected.events;
        ++(step.what == step::begin ? expected.begins : step.what == step::end ? expected.ends : expected.points);
      }
      expected.written += step.records;
    }
  return expected;
}

bool is_right(const timeline& trace, const warp_timeline& warp, std::uint64_t capacity) {
  const unsigned iterations = warp.cta_linear * warp.cta_linear * warp.cta_linear;
  const expected_counts expected = expected_of(iterations, capacity);
  std::uint64_t whole = 0, cut = 0, marks = 0;
  for (const range& range : warp.ranges) {
    whole += range.state == range_state::whole ? 1 : 0;
    cut += range.state == range_state::cut ? 1 : 0;
  }
  // Marks and counters take turns, and the marks count up from 0.
  for (std::size_t i = 0; i < warp.points.size(); ++i) {
    const point& point = warp.points[i];
    if (point.counter != (i % 2 == 1)) return false;
    if (!point.counter && point.payload().bits != marks++) return false;
    if (point.counter && point.payload().bits != 0x3FE0000000000000ull) return false;
  }
  const odd_events odd = gpu_test::odd_events_of(warp);
  return warp.closed && warp.written == expected.written && warp.kept == expected.kept &&
         warp.lost == expected.written - expected.kept && warp.events == expected.events &&
         warp.ranges.size() == expected.begins && whole == expected.ends && cut == expected.begins - expected.ends &&
         odd.cut == cut && odd.unmatched == 0 && odd.open == 0 && warp.points.size() == expected.points &&
         trace.roles.at(warp.role) == "mixed";
}

}  // namespace

TEST_CASE("a ring of any size keeps the first events, whole") {
  iket::session session(gpu_test::small_session(std::size_t{64} << 20));
  for (std::uint32_t records = 1; records <= 128; ++records) {
    iket::trace_options options;
    options.records_per_warp = records;
    mixed_events<<<grid, 96>>>(session.trace("mixed_events", grid, 96, options));
  }
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  INFO(gpu_test::warnings_of(trace));
  CHECK(gpu_test::warnings_of(trace).find("records") == std::string::npos);
  REQUIRE(trace.launches.size() == 128);
  std::uint32_t capacity = 1;
  for (std::uint32_t records = 1; records <= 128; ++records) {
    if (capacity < records) capacity *= 2;
    const launch& launch = trace.launches[records - 1];
    INFO(records << " records");
    CHECK(launch.keep_first);
    CHECK(launch.records_per_warp == capacity);
    REQUIRE(launch.warps.size() == grid * 3);
    std::uint64_t wrong = 0;
    for (const warp_timeline& warp : launch.warps) wrong += is_right(trace, warp, capacity) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("the payloads of the kept marks are the first ones") {
  iket::session session(gpu_test::small_session());
  const unsigned counts[] = {0, 1, 31, 32, 33, 100, 100000};
  iket::trace_options options;
  options.records_per_warp = 64;  // 32 marks
  for (const unsigned count : counts) marks<<<2, 64>>>(count, session.trace("marks", 2, 64, options));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == std::size(counts));
  for (std::size_t i = 0; i < std::size(counts); ++i) {
    const unsigned kept = counts[i] < 32 ? counts[i] : 32;
    REQUIRE(trace.launches[i].warps.size() == 4);
    for (const warp_timeline& warp : trace.launches[i].warps) {
      CHECK(warp.written == 2ull * counts[i]);
      CHECK(warp.kept == 2 * kept);
      CHECK(warp.lost == 2ull * (counts[i] - kept));
      REQUIRE(warp.points.size() == kept);
      for (unsigned k = 0; k < kept; ++k) CHECK(warp.points[k].payload().bits == k);
    }
  }
}

TEST_CASE("memory that was drained shows nothing of the launch before") {
  iket::session session(gpu_test::small_session());
  iket::trace_options options;
  options.records_per_warp = 64;
  for (const unsigned count : {100u, 3u}) {
    marks<<<2, 64>>>(count, session.trace("marks", 2, 64, options));
    session.drain();
  }
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 2);
  for (const warp_timeline& warp : trace.launches[1].warps) {
    CHECK(warp.kept == 6);
    CHECK(warp.lost == 0);
    CHECK(warp.points.size() == 3);
  }
}
