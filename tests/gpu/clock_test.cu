// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Durations against what the kernel did for how long.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void spin(long long cycles, iket::tracer tracer) {
  iket::recorder rec(tracer);
  {
    IKET_RANGE(rec, "spin", cycles);
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
  }
}

}  // namespace

// A sanitizer makes events take longer than the bounds below.
TEST_CASE("a spin of a known number of cycles is reported as long as it was", "[no sanitizer]") {
  iket::session session;
  const std::vector<long long> lengths = {2000, 20000, 200000, 2000000, 20000000};
  for (const long long cycles : lengths) spin<<<132, 128>>>(cycles, session.trace("spin", 132, 128));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const launch& launch = trace.launches[i];
    CHECK(launch.clock.sm_ghz > 0.2);
    CHECK(launch.clock.sm_ghz < 4.0);
    CHECK_FALSE(launch.clock.rate_assumed);
    const auto spins = gpu_test::ranges_of(trace, launch, "spin");
    REQUIRE(spins.size() == 132 * 4);
    for (const range* spin : spins) {
      // Beyond the spin: the last turn of its loop, and the events themselves.
      CHECK(spin->cycles >= static_cast<std::uint64_t>(lengths[i]));
      CHECK(spin->cycles < static_cast<std::uint64_t>(lengths[i]) + 400);
      const double ns = static_cast<double>(spin->end - spin->begin) / 1000;
      CHECK(ns == Approx(static_cast<double>(spin->cycles) / launch.clock.sm_ghz).epsilon(0.005));
    }
  }
}

TEST_CASE("a launch lasts about as long inside as CUDA events say outside", "[no sanitizer]") {
  iket::session session;
  cudaEvent_t begin, end;
  REQUIRE(cudaEventCreate(&begin) == cudaSuccess);
  REQUIRE(cudaEventCreate(&end) == cudaSuccess);
  spin<<<1, 32>>>(1000, iket::tracer{});  // loads the module
  const iket::tracer tracer = session.trace("spin", 132, 128);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  cudaEventRecord(begin);
  spin<<<132, 128>>>(4000000, tracer);
  cudaEventRecord(end);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  float milliseconds = 0;
  REQUIRE(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  const double inside_ms = static_cast<double>(trace.launches[0].end - trace.launches[0].begin) / 1e9;
  CHECK(inside_ms <= milliseconds * 1.002);
  CHECK(inside_ms > milliseconds * 0.97);
  CHECK(cudaEventDestroy(begin) == cudaSuccess);
  CHECK(cudaEventDestroy(end) == cudaSuccess);
}

TEST_CASE("events of a warp lie between its opening and its close, in order") {
  iket::session session;
  spin<<<264, 64>>>(3000, session.trace("spin", 264, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  for (const warp_timeline& warp : trace.launches.at(0).warps)
    for (const range& range : warp.ranges) {
      CHECK(range.begin >= warp.open);
      CHECK(range.end >= range.begin);
      CHECK(range.end <= warp.close);
      CHECK(warp.open >= 0);
    }
  for (const std::string& warning : trace.warnings) FAIL_CHECK(warning);
}
