// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a kernel's author can get wrong, and what is legal but unusual: counted, never a crash, never silent.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void one_range(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "range");
}

__global__ void unbalanced(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_POP(rec);  // nothing was pushed
  IKET_PUSH(rec, "left open");
  IKET_RANGE(rec, "around");  // ends before the pushed range does
  IKET_PUSH(rec, "skipped");
}

__global__ void two_recorders(iket::tracer tracer) {
  {
    iket::recorder rec(tracer);
    IKET_RANGE(rec, "first");
  }
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "second");
}

__global__ void elected_lane(iket::tracer tracer) {
  if (threadIdx.x % 32 != 5) return;
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "elected");
  IKET_RANGE(rec, "alone", threadIdx.x);
}

__global__ void early_exit(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "everyone");
  if (blockIdx.x % 2 == 1) return;
  IKET_MARK(rec, "those who stayed");
}

__global__ void some_warps(iket::tracer tracer) {
  if (threadIdx.x / 32 == 1) return;
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "range");
}

}  // namespace

TEST_CASE("an inert tracer is safe to pass to any launch") {
  one_range<<<dim3(3, 4, 5), dim3(7, 8, 9)>>>(iket::tracer{});
  CHECK(gpu_test::finish() == cudaSuccess);
}

TEST_CASE("a launch with another grid or block than announced records nothing and is counted") {
  struct shapes {
    dim3 announced_grid, announced_block, grid, block;
  };
  for (const shapes& shape :
       {shapes{8, 64, 9, 64}, shapes{8, 64, 4, 64}, shapes{8, 64, 8, 96}, shapes{8, 64, 8, 32},
        shapes{dim3(8, 1, 1), 64, dim3(1, 8, 1), 64}, shapes{8, dim3(64, 1, 1), 8, dim3(8, 8, 1)}}) {
    iket::session session;
    one_range<<<shape.grid, shape.block>>>(session.trace("one_range", shape.announced_grid, shape.announced_block));
    REQUIRE(gpu_test::finish() == cudaSuccess);
    const timeline trace = gpu_test::written_by(session);
    const launch& launch = trace.launches.at(0);
    CHECK(launch.warps_opened == 0);
    const unsigned warps = (shape.block.x * shape.block.y * shape.block.z + 31) / 32;
    CHECK(launch.recorders_refused == shape.grid.x * shape.grid.y * shape.grid.z * warps);
    CHECK(launch.refused_grid == std::array<std::uint32_t, 3>{shape.grid.x, shape.grid.y, shape.grid.z});
    CHECK(launch.refused_block == std::array<std::uint32_t, 3>{shape.block.x, shape.block.y, shape.block.z});
  }
}

TEST_CASE("unbalanced pushes and pops are counted where they happened") {
  iket::session session;
  unbalanced<<<2, 32>>>(session.trace("unbalanced", 2, 32));
  const timeline trace = gpu_test::written_by(session);
  for (const warp_timeline& warp : trace.launches.at(0).warps) {
    std::uint64_t unmatched_pops = 0, unmatched_skipped = 0, open = 0;
    for (const odd_events& odd : warp.odd) {
      CHECK(odd.cut == 0);
      open += odd.open;
      if (odd.stage == none)
        unmatched_pops += odd.unmatched;
      else if (trace.stages.at(odd.stage).name == "skipped")
        unmatched_skipped += odd.unmatched;
    }
    CHECK(unmatched_pops == 1);
    CHECK(unmatched_skipped == 1);
    CHECK(open == 1);
  }
}

TEST_CASE("two recorders on one warp are reported") {
  iket::session session;
  two_recorders<<<3, 32>>>(session.trace("two_recorders", 3, 32));
  const timeline trace = gpu_test::written_by(session);
  std::string warnings;
  for (const std::string& warning : trace.warnings) warnings += warning + "\n";
  INFO(warnings);
  CHECK(warnings.find("3 warps") != std::string::npos);
  CHECK(warnings.find("more than one recorder") != std::string::npos);
}

TEST_CASE("a role on one elected lane records from that lane") {
  iket::session session;
  elected_lane<<<4, 96>>>(session.trace("elected_lane", 4, 96));
  const timeline trace = gpu_test::written_by(session);
  const auto ranges = gpu_test::ranges_of(trace, trace.launches.at(0), "alone");
  REQUIRE(ranges.size() == 12);
  for (const range* range : ranges) CHECK(range->payload().bits % 32 == 5);
  for (const warp_timeline& warp : trace.launches[0].warps) CHECK(warp.closed);
}

TEST_CASE("a kernel that returns early closes its recorder at every exit") {
  iket::session session;
  early_exit<<<6, 64>>>(session.trace("early_exit", 6, 64));
  const timeline trace = gpu_test::written_by(session);
  CHECK(gpu_test::ranges_of(trace, trace.launches.at(0), "everyone").size() == 12);
  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(warp.closed);
    CHECK(warp.points.size() == (warp.cta_linear % 2 == 1 ? 0 : 1));
  }
}

TEST_CASE("warps without a recorder are no part of the trace") {
  iket::session session;
  some_warps<<<5, 96>>>(session.trace("some_warps", 5, 96));
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  CHECK(launch.warps_per_cta == 3);
  CHECK(launch.warps_opened == 10);
  REQUIRE(launch.warps.size() == 10);
  for (const warp_timeline& warp : launch.warps) CHECK(warp.warp != 1);
}

TEST_CASE("a tracer that was handed out and never launched has no warp") {
  iket::session session;
  (void)session.trace("never", 4, 64);
  const timeline trace = gpu_test::written_by(session);
  CHECK(trace.launches.at(0).warps_opened == 0);
}
