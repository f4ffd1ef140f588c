// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The traces that speed is measured on are traces as kernels leave them.

#include "bench/analyzer/large_trace.hpp"

#include <catch.hpp>

#include <string>
#include <variant>

#include "build_timeline.hpp"

#include "synthetic.hpp"
#include "trace_reader.hpp"

using namespace iket::analysis;

namespace {

std::string large(std::uint64_t records, std::uint64_t seed = 1) {
  std::string bytes;
  iket::bench::write_large_trace(
      {.records = records, .records_per_warp = 256, .seed = seed},
      [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); });
  return bytes;
}

timeline timeline_of(const std::string& bytes) {
  const std::variant<trace_view, read_error> read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  REQUIRE(std::get<trace_view>(read).damages.empty());
  return build_timeline(std::get<trace_view>(read), "large.bin");
}

}  // namespace

TEST_CASE("A generated trace has as many records as were asked for, and the same bytes each time") {
  for (const std::uint64_t records : {1u, 1000u, 700'001u}) {
    std::uint64_t kept = 0;
    for (const launch& one : timeline_of(large(records)).launches)
      for (const warp_timeline& warp : one.warps) kept += warp.kept;
    CHECK(kept == records);
  }
  CHECK(large(50'000) == large(50'000));
  CHECK(large(50'000) != large(50'000, 2));
}

TEST_CASE("A generated trace has a bit of all that kernels record, and nothing to warn of") {
  const timeline trace = timeline_of(large(1'200'000));
  CHECK(trace.warnings.empty());
  CHECK(trace.launches.size() == 2);
  CHECK(trace.launches.front().clock.domains->size() == 8);
  CHECK(trace.launches.front().clock.uncertainty_ns < 200);
  std::uint64_t unmatched = 0, lost = 0, nested = 0, tokens = 0, with_payload = 0, counters = 0, marks = 0, open = 0;
  for (const launch& one : trace.launches)
    for (const warp_timeline& warp : one.warps) {
      lost += warp.lost;
      for (const odd_events& odd : warp.odd) {
        unmatched += odd.unmatched;
        open += odd.open;
      }
      for (const range& of : warp.ranges) {
        nested += of.depth != 0;
        tokens += of.token;
        with_payload += of.payload().type != iket::payload_type::none;
      }
      for (const point& of : warp.points) ++(of.counter ? counters : marks);
    }
  CHECK(unmatched == 0);
  CHECK(open < 10);  // of the last warp, which ends where the records do
  CHECK(lost > 1000);
  for (const std::uint64_t count : {nested, tokens, with_payload, counters, marks}) CHECK(count > 1000);
}
