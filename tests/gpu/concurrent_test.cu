// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What real programs do at once: launches in flight on several streams, programmatic dependent launch, cooperative and
// cluster launches, captures beside drains.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <cooperative_groups.h>

#include "graph.hpp"
#include "support.hpp"

using namespace iket::analysis;
using namespace gpu_test;

namespace {

__device__ unsigned long long read_globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__device__ void spin(unsigned long long ns) {
  const unsigned long long begin = read_globaltimer();
  while (read_globaltimer() - begin < ns) {
  }
}

__global__ void busy(unsigned long long ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "busy");
  spin(ns);
}

// Lets the next kernel begin at once, and goes on for a while.
__global__ void first_of_two(unsigned long long ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  IKET_RANGE(rec, "tail");
  spin(ns);
}

__global__ void second_of_two(unsigned long long ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  {
    IKET_RANGE(rec, "prologue");
    spin(ns);
  }
#if __CUDA_ARCH__ >= 900
  IKET_WAIT(rec, "wait for the kernel before");
  cudaGridDependencySynchronize();
#endif
}

__global__ void meet(iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (int i = 0; i < 3; ++i) {
    IKET_WAIT(rec, "wait for the grid", i);
    cooperative_groups::this_grid().sync();
  }
}

cudaLaunchConfig_t config_of(dim3 grid, dim3 block, cudaStream_t stream, cudaLaunchAttribute* attribute = nullptr) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = attribute == nullptr ? 0 : 1;
  return config;
}

cudaLaunchAttribute programmatic() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

constexpr unsigned long long spin_ns = 50'000;

void launch_two(iket::session& session, cudaStream_t stream) {
  iket::trace_options untimed;
  untimed.timed = false;
  untimed.regions = 10;
  cudaLaunchAttribute attribute = programmatic();
  iket::launch(session, "first", config_of(8, 64, stream), untimed, first_of_two, 2 * spin_ns);
  iket::launch(session, "second", config_of(8, 64, stream, &attribute), untimed, second_of_two, spin_ns / 2);
}

// The prologue of each second kernel lies under the tail of its first.
void check_overlap(const timeline& trace, std::size_t rounds) {
  std::vector<const launch*> firsts, seconds;
  for (const launch& one : trace.launches) (one.kernel == "first" ? firsts : seconds).push_back(&one);
  REQUIRE(firsts.size() == rounds);
  REQUIRE(seconds.size() == rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    CAPTURE(i, firsts[i]->begin, firsts[i]->end, seconds[i]->begin, seconds[i]->end);
    CHECK(firsts[i]->warps.size() == 16);
    CHECK(seconds[i]->warps.size() == 16);
    CHECK(seconds[i]->begin > firsts[i]->begin);
    CHECK(seconds[i]->begin < firsts[i]->end);
    CHECK(seconds[i]->end > firsts[i]->end);
    if (i != 0) CHECK(firsts[i]->begin > firsts[i - 1]->end);
  }
}

}  // namespace

TEST_CASE("launches in flight on several streams overlap in the trace, and every one is whole", "[no sanitizer]") {
  iket::session session(small_session(std::size_t{64} << 20));
  constexpr unsigned count = 6;
  const own_stream streams[count];
  busy<<<1, 32>>>(0, iket::tracer{});
  REQUIRE(finish() == cudaSuccess);
  for (int round = 0; round < 4; ++round)
    for (const own_stream& stream : streams) {
      iket::trace_options options;
      options.stream = stream.get();
      busy<<<2, 64, 0, stream.get()>>>(4 * spin_ns, session.trace("busy", 2, 64, options));
    }
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 4 * count);
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    CHECK(ranges_of(trace, trace.launches[i], "busy").size() == 4);
    if (i != 0) overlapping += trace.launches[i].begin < trace.launches[i - 1].end ? 1 : 0;
  }
  CHECK(overlapping >= count);
}

TEST_CASE("a programmatic dependent launch overlaps the one before it, traced or replayed", "[no sanitizer]") {
  int major = 0;
  REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
  if (major < 9) return;
  iket::session session(small_session(std::size_t{64} << 20));
  const own_stream stream;
  first_of_two<<<1, 32>>>(0, iket::tracer{});
  second_of_two<<<1, 32>>>(0, iket::tracer{});
  REQUIRE(finish() == cudaSuccess);
  launch_two(session, stream.get());
  REQUIRE(finish() == cudaSuccess);
  check_overlap(written_by(session), 1);
  session.end_replays();

  executable_graph graph = capture([&](cudaStream_t captured) { launch_two(session, captured); });
  CHECK(graph.nodes() == 2);
  for (int i = 0; i < 10; ++i) graph.launch(stream.get());
  REQUIRE(finish() == cudaSuccess);
  check_overlap(written_by(session), 10);
}

TEST_CASE("a cooperative launch is traced as any other") {
  iket::session session(small_session());
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  iket::launch(session, "meet", config_of(16, 64, nullptr, &attribute), meet);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.size() == 32);
  const auto waits = ranges_of(trace, trace.launches[0], "wait for the grid");
  REQUIRE(waits.size() == 96);
  // Nobody leaves a round before all have come.
  for (std::uint64_t round = 0; round < 3; ++round) {
    picoseconds last_come = 0, first_gone = INT64_MAX;
    for (const range* wait : waits) {
      if (wait->payload().bits != round) continue;
      last_come = std::max(last_come, wait->begin);
      first_gone = std::min(first_gone, wait->end);
    }
    CHECK(first_gone > last_come);
  }
}

TEST_CASE("a drain in one thread does not disturb a capture in another") {
  constexpr int failed = 1 << 20;
  for (const cudaStreamCaptureMode mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    CAPTURE(mode);
    iket::session session(small_session());
    const own_stream drained;
    busy<<<1, 32>>>(0, iket::tracer{});
    REQUIRE(finish() == cudaSuccess);
    std::atomic<bool> captured = false;
    std::atomic<int> drains = 0;
    std::string failure;
    std::thread other([&] {
      try {
        while (!captured || drains == 0) {
          iket::trace_options options;
          options.stream = drained.get();
          busy<<<2, 64, 0, drained.get()>>>(1000, session.trace("drained", 2, 64, options));
          session.drain();
          ++drains;
        }
      } catch (const iket::error& error) {
        failure = error.what();
        drains = failed;
      }
    });
    const auto take_part = [&](cudaStream_t stream) {
      for (int i = 0; i < 50; ++i) {
        const int before = drains;
        iket::trace_options options;
        options.stream = stream;
        options.replay_stream = drained.get();
        options.regions = 2;
        options.records_per_warp = 16;
        busy<<<1, 32, 0, stream>>>(100, session.trace("captured", 1, 32, options));
        while (drains == before && drains < failed) std::this_thread::yield();
      }
    };
    cudaGraph_t graph = nullptr;
    const cudaError_t status = try_capture(take_part, mode, graph);
    captured = true;
    other.join();
    INFO(failure);
    CHECK(failure.empty());
    REQUIRE(status == cudaSuccess);
    const executable_graph executable(graph);
    REQUIRE(executable.nodes() == 50);
    (void)written_by(session);
    executable.launch(drained.get());
    const timeline trace = written_by(session);
    CHECK(trace.launches.size() == 50);
    for (const launch& one : trace.launches) CHECK(one.warps.size() == 1);
  }
}
