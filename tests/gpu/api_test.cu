// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Tokens, clock pairs, the recorder's close and condition, and tracers in variables.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__device__ void spin_for(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// Each copy but the last ends in the iteration behind its own.
__global__ void overlapping(int tiles, iket::tracer tracer) {
  iket::recorder rec(tracer);
  iket::token in_flight;
  for (int t = 0; t < tiles; ++t) {
    const iket::token next = IKET_START(rec, "copy", t);
    IKET_END(rec, in_flight);  // the sentinel, at first
    in_flight = next;
  }
  IKET_END(rec, in_flight);
}

__global__ void other_branch(iket::tracer tracer) {
  iket::recorder rec(tracer);
  iket::token started;
  if (blockIdx.x % 2 == 0) {
    started = IKET_START(rec, "started in even CTAs");
  } else {
    started = IKET_START_WAIT(rec, "started in odd CTAs", 7ull);
  }
  if (threadIdx.x / 32 == 1) {
    IKET_MARK(rec, "between");
    IKET_END(rec, started);
  } else {
    IKET_RANGE(rec, "around the end");
    IKET_END(rec, started);
  }
}

__global__ void run_long(int turns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (int i = 0; i < turns; ++i) {
    {
      IKET_RANGE(rec, "turn", i);
      spin_for(200000);
    }
    IKET_SYNC(rec);
  }
}

__global__ void some_ctas(iket::tracer tracer) {
  iket::recorder rec(tracer, blockIdx.x % 3 == 0);
  IKET_ROLE(rec, "chosen");
  IKET_RANGE(rec, "range", blockIdx.x);
}

__global__ void close_twice(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "before the close");
  IKET_MARK(rec, "before the close");
  IKET_PUSH(rec, "left open");
  rec.close();
  IKET_POP(rec);
  IKET_ROLE(rec, "behind the close");
  IKET_MARK(rec, "behind the close", 1);
  IKET_COUNTER(rec, "behind the close", 2.0);
  IKET_SYNC(rec);
  { IKET_RANGE(rec, "behind the close"); }
  const iket::token started = IKET_START(rec, "started behind the close");
  IKET_END(rec, started);
  spin_for(100000);
  rec.close();
}

__constant__ iket::tracer constant_tracer;
__device__ iket::tracer device_tracer;

__global__ void by_constant(int count) {
  iket::recorder rec(constant_tracer);
  for (int i = 0; i < count; ++i) {
    IKET_RANGE(rec, "by constant", i);
  }
}

__global__ void by_device_variable(int count) {
  iket::recorder rec(device_tracer);
  for (int i = 0; i < count; ++i) {
    IKET_RANGE(rec, "by device variable", i);
  }
}

}  // namespace

TEST_CASE("token ranges overlap and cross iterations") {
  iket::session session(gpu_test::small_session());
  overlapping<<<3, 64>>>(10, session.trace("overlapping", 3, 64));
  overlapping<<<1, 32>>>(0, session.trace("nothing started", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.at(0).warps.size() == 6);
  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(warp.written == 40);
    CHECK(warp.events == 20);
    CHECK(warp.odd.empty());
    REQUIRE(warp.ranges.size() == 10);
    for (std::size_t i = 0; i < 10; ++i) {
      CHECK(warp.ranges[i].token);
      CHECK(warp.ranges[i].state == range_state::whole);
      CHECK(warp.ranges[i].payload().type == iket::payload_type::i32);
      CHECK(warp.ranges[i].payload().bits == i);
      if (i != 0) CHECK(warp.ranges[i].begin <= warp.ranges[i - 1].end);
      if (i > 1) CHECK(warp.ranges[i].begin >= warp.ranges[i - 2].end);
    }
  }
  REQUIRE(trace.launches.at(1).warps.size() == 1);
  CHECK(trace.launches[1].warps[0].written == 0);
}

TEST_CASE("a token range ends in another branch than it began in") {
  iket::session session(gpu_test::small_session());
  other_branch<<<6, 64>>>(session.trace("other_branch", 6, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.at(0).warps.size() == 12);
  for (const warp_timeline& warp : trace.launches[0].warps) {
    const bool even = warp.cta_linear % 2 == 0;
    CHECK(warp.written == (even ? 3u : 5u) + (warp.warp == 1 ? 1u : 2u));
    CHECK(warp.odd.empty());
    REQUIRE(warp.ranges.size() == (warp.warp == 1 ? 1 : 2));
    CHECK(warp.ranges[0].token);
    CHECK(warp.ranges[0].state == range_state::whole);
    const stage& stage = trace.stages.at(warp.ranges[0].stage);
    CHECK(stage.name == (even ? "started in even CTAs" : "started in odd CTAs"));
    CHECK(stage.kind == (even ? stage_kind::work : stage_kind::wait));
    CHECK(warp.ranges[0].payload().type == (even ? iket::payload_type::none : iket::payload_type::u64));
    CHECK(warp.ranges[0].payload().bits == (even ? 0 : 7));
  }
}

TEST_CASE("extra clock pairs take three records each and decode without a warning") {
  iket::session session(gpu_test::small_session());
  run_long<<<8, 64>>>(10, session.trace("run_long", 8, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  INFO(gpu_test::warnings_of(trace));
  CHECK(trace.warnings.empty());
  REQUIRE(trace.launches.at(0).warps.size() == 16);
  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(warp.written == 10 * (2 + 1 + 3));
    CHECK(warp.events == 10 * 3);
    CHECK(warp.ranges.size() == 10);
    CHECK(warp.points.empty());
    CHECK(warp.odd.empty());
  }
}

TEST_CASE("a recorder whose condition does not hold is inert") {
  iket::session session(gpu_test::small_session());
  some_ctas<<<10, 64>>>(session.trace("some_ctas", 10, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  CHECK(launch.ctas_traced == 10);
  CHECK(launch.recorders_refused == 0);
  REQUIRE(launch.warps.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(launch.warps[i].cta_linear == i / 2 * 3);
    CHECK(launch.warps[i].warp == i % 2);
    CHECK(launch.warps[i].written == 3);
    REQUIRE(launch.warps[i].ranges.size() == 1);
    CHECK(launch.warps[i].ranges[0].payload().bits == launch.warps[i].cta_linear);
  }
}

TEST_CASE("behind its close a recorder records nothing, and a second close does nothing") {
  iket::session session(gpu_test::small_session());
  close_twice<<<2, 64>>>(session.trace("close_twice", 2, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.at(0).warps.size() == 4);
  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(warp.closed);
    CHECK(warp.written == 2);
    CHECK(warp.events == 2);
    CHECK(trace.roles.at(warp.role) == "before the close");
    CHECK(gpu_test::odd_events_of(warp).open == 1);
    CHECK(warp.points.size() == 1);
    CHECK(warp.cycles < 100000);  // the first close is the one that counts
  }
}

TEST_CASE("a tracer in a constant or a device variable does as well as a parameter") {
  iket::session session(gpu_test::small_session());
  const iket::tracer first = session.trace("by constant", 4, 96);
  const iket::tracer second = session.trace("by device variable", 4, 96);
  REQUIRE(cudaMemcpyToSymbol(constant_tracer, &first, sizeof(first)) == cudaSuccess);
  REQUIRE(cudaMemcpyToSymbol(device_tracer, &second, sizeof(second)) == cudaSuccess);
  by_constant<<<4, 96>>>(5);
  by_device_variable<<<4, 96>>>(7);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  CHECK(trace.launches.at(0).warps_opened == 12);
  CHECK(gpu_test::ranges_of(trace, trace.launches[0], "by constant").size() == 60);
  CHECK(trace.launches.at(1).warps_opened == 12);
  CHECK(gpu_test::ranges_of(trace, trace.launches[1], "by device variable").size() == 84);
}
