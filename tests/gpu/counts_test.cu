// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Every count in the report equals what the kernel must have made: for every shape of grid and block, and for rings
// that hold everything or wrap many times.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

// What a warp does: the number of its iterations, which differs from warp to warp.
__host__ __device__ unsigned iterations_of(unsigned cta, unsigned warp, unsigned least) {
  return least + (cta * 7 + warp * 3) % 5;
}

// One iteration writes 11 records; these are no payload.
enum position { outer_begin = 0, inner_begin = 2, inner_end = 3, mark = 4, outer_end = 7, push = 8, pop = 10 };
constexpr std::uint64_t records = 11;

__global__ void trace_iterations(unsigned least, iket::tracer tracer) {
  iket::recorder rec(tracer);
  const unsigned cta = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned warp = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
  if (warp % 2 == 0) {
    IKET_ROLE(rec, "even");
  } else {
    IKET_ROLE(rec, "odd");
  }
  const unsigned count = iterations_of(cta, warp, least);
  for (unsigned i = 0; i < count; ++i) {
    {
      IKET_RANGE(rec, "outer", i);
      { IKET_WAIT(rec, "inner"); }
      IKET_MARK(rec, "mark", static_cast<unsigned long long>(cta) << 32 | warp);
    }
    IKET_PUSH(rec, "pushed", static_cast<float>(i));
    IKET_POP(rec);
  }
}

struct expected_counts {
  std::uint64_t written = 0, kept = 0, events = 0;
  std::uint64_t outer = 0, inner = 0, pushed = 0, marks = 0;
  std::uint64_t outer_cut = 0, inner_cut = 0, pop_cut = 0;

  void operator+=(const expected_counts& other) {
    written += other.written;
    kept += other.kept;
    events += other.events;
    outer += other.outer;
    inner += other.inner;
    pushed += other.pushed;
    marks += other.marks;
    outer_cut += other.outer_cut;
    inner_cut += other.inner_cut;
    pop_cut += other.pop_cut;
  }
  bool operator==(const expected_counts&) const = default;
};

// Follows from the positions alone: a record is kept if its count is at least `first`.
expected_counts expected_of_warp(unsigned iterations, std::uint64_t capacity) {
  expected_counts expected;
  expected.written = iterations * records;
  expected.kept = std::min(expected.written, capacity);
  const std::uint64_t first = expected.written - expected.kept;
  for (unsigned i = 0; i < iterations; ++i) {
    const std::uint64_t base = i * records;
    const auto kept = [&](position p) { return base + p >= first ? 1u : 0u; };
    for (const position p : {outer_begin, inner_begin, inner_end, mark, outer_end, push, pop})
      expected.events += kept(p);
    expected.outer += kept(outer_begin);
    expected.inner += kept(inner_begin);
    expected.pushed += kept(push);
    expected.marks += kept(mark);
    expected.outer_cut += kept(outer_end) - kept(outer_begin);
    expected.inner_cut += kept(inner_end) - kept(inner_begin);
    expected.pop_cut += kept(pop) - kept(push);
  }
  return expected;
}

expected_counts counted_in_warp(const timeline& trace, const warp_timeline& warp) {
  expected_counts counted;
  counted.written = warp.written;
  counted.kept = warp.kept;
  counted.events = warp.events;
  for (const range& range : warp.ranges) {
    if (range.state != range_state::whole) return {};
    const std::string& name = trace.stages.at(range.stage).name;
    (name == "outer" ? counted.outer : name == "inner" ? counted.inner : counted.pushed) += 1;
  }
  counted.marks = warp.points.size();
  for (const odd_events& odd : warp.odd) {
    if (odd.unmatched != 0 || odd.open != 0) return {};
    if (odd.stage == none)
      counted.pop_cut += odd.cut;
    else
      (trace.stages.at(odd.stage).name == "outer" ? counted.outer_cut : counted.inner_cut) += odd.cut;
  }
  return counted;
}

// Payloads of the kept ranges count up to the last iteration, and the marks say which warp they are from.
bool payloads_are_right(const timeline& trace, const warp_timeline& warp, unsigned iterations) {
  std::uint64_t outer = 0;
  for (const range& range : warp.ranges) outer += trace.stages.at(range.stage).name == "outer" ? 1 : 0;
  std::uint64_t next = iterations - outer;
  for (const range& range : warp.ranges) {
    if (trace.stages.at(range.stage).name != "outer") continue;
    if (range.payload().type != iket::payload_type::u32 || range.payload().bits != next++) return false;
  }
  for (const point& mark : warp.points)
    if (mark.payload().type != iket::payload_type::u64 ||
        mark.payload().bits != (std::uint64_t{warp.cta_linear} << 32 | warp.warp))
      return false;
  return next == iterations;
}

void check_launch(const timeline& trace, const launch& launch, unsigned least) {
  const std::uint64_t ctas = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const std::uint64_t warps = (std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2] + 31) / 32;
  REQUIRE(launch.ctas_traced == ctas);
  REQUIRE(launch.warps_per_cta == warps);
  REQUIRE(launch.warps_opened == ctas * warps);
  REQUIRE(launch.warps.size() == ctas * warps);
  CHECK(launch.recorders_refused == 0);

  expected_counts all_expected, all_counted;
  std::uint64_t wrong_warps = 0;
  for (std::size_t i = 0; i < launch.warps.size(); ++i) {
    const warp_timeline& warp = launch.warps[i];
    const unsigned cta = warp.cta[0] + launch.grid[0] * (warp.cta[1] + launch.grid[1] * warp.cta[2]);
    const unsigned iterations = iterations_of(cta, warp.warp, least);
    const expected_counts expected = expected_of_warp(iterations, launch.records_per_warp);
    const expected_counts counted = counted_in_warp(trace, warp);
    const bool right = warp.cta_linear * warps + warp.warp == i && cta == warp.cta_linear && warp.closed &&
                       warp.lost == warp.written - warp.kept && expected == counted && warp.close >= warp.open &&
                       trace.roles.at(warp.role) == (warp.warp % 2 == 0 ? "even" : "odd") &&
                       payloads_are_right(trace, warp, iterations);
    wrong_warps += right ? 0 : 1;
    all_expected += expected;
    all_counted += counted;
  }
  CHECK(wrong_warps == 0);
  CHECK(all_expected.written == all_counted.written);
  CHECK(all_expected.events == all_counted.events);

  // What the report prints.
  const std::vector<stage_statistics> stages = stage_statistics_of(trace, {&launch});
  for (const stage_statistics& stage : stages) {
    const std::uint64_t expected = stage.name == "outer"   ? all_expected.outer
                                   : stage.name == "inner" ? all_expected.inner
                                                           : all_expected.pushed;
    CHECK(stage.count == expected);
    CHECK(stage.open == 0);
    CHECK(stage.unmatched == 0);
    if (stage.name != "pushed")
      CHECK(stage.cut == (stage.name == "outer" ? all_expected.outer_cut : all_expected.inner_cut));
  }
}

void run(dim3 grid, dim3 block, std::uint32_t records_per_warp, unsigned least, std::size_t memory_limit) {
  INFO("grid " << grid.x << "x" << grid.y << "x" << grid.z << ", block " << block.x << "x" << block.y << "x" << block.z
               << ", ring " << records_per_warp << ", least " << least);
  iket::session_options options;
  options.memory_limit = memory_limit;
  options.records_per_warp = records_per_warp;
  iket::session session(options);
  trace_iterations<<<grid, block>>>(least, session.trace("trace_iterations", grid, block));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  check_launch(trace, trace.launches[0], least);
}

constexpr std::size_t mebibyte = std::size_t{1} << 20;

}  // namespace

TEST_CASE("counts are exact for every shape of grid and block") {
  for (const dim3 grid : {dim3(1), dim3(7), dim3(1, 1, 9), dim3(2, 3, 5), dim3(1, 200), dim3(333)})
    for (const dim3 block :
         {dim3(1), dim3(32), dim3(33), dim3(16, 2), dim3(5, 7, 3), dim3(8, 8, 4), dim3(1, 1, 64), dim3(1024)})
      run(grid, block, 256, 3, 32 * mebibyte);
}

TEST_CASE("counts are exact for 1 to 32 warps") {
  for (unsigned warps = 1; warps <= 32; ++warps) run(dim3(5), dim3(warps * 32), 256, 2, mebibyte);
}

TEST_CASE("counts are exact when small rings wrap many times") {
  for (const std::uint32_t capacity : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (const unsigned least : {1u, 2u, 5u, 40u}) run(dim3(3, 2), dim3(96), capacity, least, mebibyte);
}

TEST_CASE("counts are exact for 20,000 CTAs", "[large]") {
  run(dim3(20000), dim3(32), 128, 5, 1024 * mebibyte);
  run(dim3(100, 200), dim3(1024), 128, 5, 1024 * mebibyte);
  run(dim3(20, 100, 10), dim3(256), 16, 9, 1024 * mebibyte);
}
