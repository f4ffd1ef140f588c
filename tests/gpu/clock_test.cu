// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Durations against what the kernel did for how long.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__device__ unsigned long long read_globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

// Spins for so many cycles, and notes for each warp how long that took by the global timer [ns].
__global__ void spin(long long cycles, unsigned long long* measured_ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  unsigned long long before = 0, after = 0;
  {
    IKET_RANGE(rec, "spin", cycles);
    before = read_globaltimer();
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    after = read_globaltimer();
  }
  if (measured_ns != nullptr && threadIdx.x % 32 == 0)
    measured_ns[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = after - before;
}

constexpr long long hold_cycles = 50000;

__device__ void spin_for(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

enum class barrier { cta, named, cluster };

template <barrier Kind>
__device__ void pass() {
  if constexpr (Kind == barrier::cta) __syncthreads();
  if constexpr (Kind == barrier::named) asm volatile("bar.sync 1, 64;" ::: "memory");
#if __CUDA_ARCH__ >= 900
  if constexpr (Kind == barrier::cluster)
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// Warp 1 comes to each barrier at once, warp 0 hold_cycles later.
template <barrier Kind>
__global__ void meet(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const bool late = threadIdx.x < 32;
  for (int i = 0; i < 8; ++i) {
    if (late) spin_for(hold_cycles);
    {
      IKET_WAIT(rec, "scoped wait", i);
      pass<Kind>();
    }
    if (late) spin_for(hold_cycles);
    IKET_PUSH_WAIT(rec, "pushed wait", i);
    pass<Kind>();
    IKET_POP(rec);
    if (late) spin_for(hold_cycles);
    IKET_MARK(rec, "before");
    pass<Kind>();
    IKET_MARK(rec, "after");
  }
  if (late) spin_for(hold_cycles);
  IKET_MARK(rec, "last");
  pass<Kind>();
  rec.close();
}

template <barrier Kind>
void check_barrier(const char* name) {
  INFO(name);
  iket::session session;
  meet<Kind><<<4, 64>>>(session.trace(name, 4, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  const double hold_ps = static_cast<double>(hold_cycles) / launch.clock.sm_ghz * 1000 * 0.98;
  for (const warp_timeline& warp : launch.warps) {
    if (warp.warp == 0) continue;
    REQUIRE(warp.ranges.size() == 16);
    for (const range& range : warp.ranges) CHECK(range.cycles + 200 >= static_cast<std::uint64_t>(hold_cycles));
    REQUIRE(warp.points.size() == 17);
    for (std::size_t i = 0; i + 1 < warp.points.size(); i += 2)
      CHECK(static_cast<double>(warp.points[i + 1].time - warp.points[i].time) >= hold_ps);
    CHECK(static_cast<double>(warp.close - warp.points.back().time) >= hold_ps);
  }
}

}  // namespace

// Without what holds the clock back, the first two fail.
TEST_CASE("an event behind a barrier is timed when the barrier has let its warp go") {
  check_barrier<barrier::cta>("__syncthreads");
  check_barrier<barrier::named>("named barrier");
  cudaFuncAttributes attributes{};
  REQUIRE(cudaFuncGetAttributes(&attributes, meet<barrier::cluster>) == cudaSuccess);
  if (attributes.ptxVersion >= 90) check_barrier<barrier::cluster>("cluster barrier");
}

// A sanitizer makes events take longer than the bounds below.
TEST_CASE("a spin of a known number of cycles is reported as long as it was", "[no sanitizer]") {
  constexpr std::size_t warps = 132 * 4;
  const std::vector<long long> lengths = {2000, 20000, 200000, 2000000, 20000000};
  unsigned long long* device_ns = nullptr;
  REQUIRE(cudaMalloc(&device_ns, lengths.size() * warps * sizeof(*device_ns)) == cudaSuccess);
  iket::session session;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    spin<<<132, 128>>>(lengths[i], device_ns + i * warps, session.trace("spin", 132, 128));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  std::vector<unsigned long long> measured_ns(lengths.size() * warps);
  REQUIRE(cudaMemcpy(measured_ns.data(), device_ns, measured_ns.size() * sizeof(*device_ns), cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  CHECK(cudaFree(device_ns) == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const launch& launch = trace.launches[i];
    CHECK(launch.clock.sm_ghz > 0.2);
    CHECK(launch.clock.sm_ghz < 4.0);
    CHECK_FALSE(launch.clock.rate_assumed);
    REQUIRE(launch.warps.size() == warps);
    for (const warp_timeline& warp : launch.warps) {
      REQUIRE(warp.ranges.size() == 1);
      const range& spin = warp.ranges[0];
      // Beyond the spin: the last turn of its loop, the events and the timer's reads.
      CHECK(spin.cycles >= static_cast<std::uint64_t>(lengths[i]));
      CHECK(spin.cycles < static_cast<std::uint64_t>(lengths[i]) + 500);
      // The clock's rate may change from launch to launch; the global timer, read in the kernel, says how long it took.
      const double ns = static_cast<double>(spin.end - spin.begin) / 1000;
      const auto timer_ns = static_cast<double>(measured_ns[i * warps + warp.cta_linear * 4 + warp.warp]);
      const double slack_ns = 2 * launch.clock.uncertainty_ns + launch.clock.tick_ns;
      CHECK(ns >= timer_ns - slack_ns);
      CHECK(ns <= timer_ns + slack_ns + 200);
    }
    CHECK(launch.clock.uncertainty_ns < 200);
  }
}

TEST_CASE("a launch lasts about as long inside as CUDA events say outside", "[no sanitizer]") {
  iket::session session;
  cudaEvent_t begin, end;
  REQUIRE(cudaEventCreate(&begin) == cudaSuccess);
  REQUIRE(cudaEventCreate(&end) == cudaSuccess);
  spin<<<1, 32>>>(1000, nullptr, iket::tracer{});  // loads the module
  const iket::tracer tracer = session.trace("spin", 132, 128);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  cudaEventRecord(begin);
  spin<<<132, 128>>>(4000000, nullptr, tracer);
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
  spin<<<264, 64>>>(3000, nullptr, session.trace("spin", 264, 64));
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
