// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a session measures about itself, against kernels that measure the same in another way; and that it neither fails
// nor hangs where it cannot measure.
#include <iket/detail/calibration.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "busy_gpu.cuh"
#include "device_values.hpp"
#include "support.hpp"

using namespace gpu_test;

namespace {

// May run on several threads, so it asserts nothing.
std::optional<iket::file::calibration_info> measure(iket::detail::calibration_run& run) {
  int compute_major = 0, compute_minor = 0;
  (void)cudaDeviceGetAttribute(&compute_major, cudaDevAttrComputeCapabilityMajor, 0);
  (void)cudaDeviceGetAttribute(&compute_minor, cudaDevAttrComputeCapabilityMinor, 0);
  return run.measure(compute_major, compute_minor);
}

std::optional<iket::file::calibration_info> calibrate() {
  iket::detail::calibration_run run;
  return measure(run);
}

// The smallest step of the timer between any two reads that follow each other.
__global__ void find_step(unsigned* step) {
  unsigned smallest = ~0u;
  for (int i = 0; i < 200000; ++i) {
    const unsigned long long before = read_globaltimer();
    const auto difference = static_cast<unsigned>(read_globaltimer() - before);
    if (difference != 0) smallest = min(smallest, difference);
  }
  *step = smallest;
}

// Cycles and nanoseconds between two steps of the timer, 20 ms apart.
__global__ void find_rate(unsigned long long* cycles_and_ns) {
  unsigned long long cycles[2], ns[2];
  for (int i = 0; i < 2; ++i) {
    const unsigned long long not_before = i == 0 ? 0 : ns[0] + 20'000'000;
    unsigned long long last = read_globaltimer();
    while ((ns[i] = read_globaltimer()) == last || ns[i] < not_before) last = ns[i];
    cycles[i] = static_cast<unsigned long long>(clock64());
  }
  cycles_and_ns[0] = cycles[1] - cycles[0];
  cycles_and_ns[1] = ns[1] - ns[0];
}

enum class work { nothing, marks, arithmetic, arithmetic_and_mark };
constexpr int turns = 16;
constexpr int events_per_turn = 4;
constexpr int marks_per_turn = 16;

// Cycles of each thread for all turns; the second of two rounds, whose code is loaded.
template <work What>
__global__ void run_loop(unsigned* cycles, float* sums, iket::tracer tracer) {
  iket::recorder rec(tracer);
  auto x = static_cast<float>(threadIdx.x % 32);
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    // A memory access: behind the barrier alone, the clock's read would not wait for it.
    *static_cast<volatile float*>(sums + threadIdx.x) = x;
    const long long begin = clock64();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
      asm volatile("" ::: "memory");
      if constexpr (What == work::arithmetic || What == work::arithmetic_and_mark) {
#pragma unroll
        for (int event = 0; event < events_per_turn; ++event) {
#pragma unroll
          for (int i = 0; i < 64; ++i) x = fmaf(x, x, x);
          if constexpr (What == work::arithmetic_and_mark) IKET_MARK(rec, "one");
        }
      }
      if constexpr (What == work::marks) {
#pragma unroll
        for (int i = 0; i < marks_per_turn; ++i) IKET_MARK(rec, "back to back");
      }
    }
    cycles[threadIdx.x] = static_cast<unsigned>(clock64() - begin);
  }
  sums[threadIdx.x] = x;
}

template <work What>
double median_cycles() {
  iket::session session;
  device_values<unsigned> cycles(256);
  device_values<float> sums(256);
  run_loop<What><<<1, 256>>>(cycles.get(), sums.get(), session.trace("loop", 1, 256));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  std::vector<unsigned> all = cycles.copy();
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

// A sanitizer runs one kernel after another. The driver loads code only while no kernel runs, so that a process's first
// calibration waits for those that do.
TEST_CASE("beside a kernel that does not end, the calibration works or gives up", "[no sanitizer]") {
  REQUIRE(calibrate().has_value());
  SECTION("it leaves room") {
    busy_gpu busy(1);
    const auto begin = clock_type::now();
    iket::detail::calibration_run run;
    const bool calibrated = measure(run).has_value();
    const double seconds = seconds_since(begin);
    CHECK(seconds < 1.5);
    WARN((calibrated ? "calibrated in " : "gave up after ") << seconds << " s");
    busy.finish();  // the run's end waits for every kernel
  }
  SECTION("it fills the GPU") {
    busy_gpu busy(ctas_that_fill_the_gpu());
    iket::detail::calibration_run run;
    const auto begin = clock_type::now();
    CHECK_FALSE(measure(run).has_value());
    CHECK(seconds_since(begin) < 1.5);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    busy.finish();
  }
  CHECK(gpu_test::finish() == cudaSuccess);
  CHECK(calibrate().has_value());
}

TEST_CASE("a calibration is fast and leaves no error", "[no sanitizer]") {
  (void)calibrate();  // loads the kernel
  const auto begin = clock_type::now();
  const auto info = calibrate();
  CHECK(seconds_since(begin) < 0.3);
  REQUIRE(info.has_value());
  CHECK(info->fixed_bytes == 32);
  CHECK(info->event_burst_millicycles >= 1000);
  CHECK(info->event_burst_millicycles <= 2000000);
  CHECK(gpu_test::finish() == cudaSuccess);
}

TEST_CASE("an error of the program stays for the program to read, calibration or not", "[no sanitizer]") {
  occupy<<<1, 2048>>>(nullptr);  // too many threads
  const cudaError_t failed = cudaPeekAtLastError();
  REQUIRE(failed != cudaSuccess);
  CHECK(calibrate().has_value());
  CHECK(cudaGetLastError() == failed);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("the timer's tick is the smallest step that any kernel sees", "[no sanitizer]") {
  const auto info = calibrate();
  REQUIRE(info.has_value());
  device_values<unsigned> step(1);
  find_step<<<1, 1>>>(step.get());
  REQUIRE(gpu_test::finish() == cudaSuccess);
  CHECK(info->timer_tick_ns >= 1);
  CHECK(info->timer_tick_ns <= 2000);
  CHECK(info->timer_tick_ns == step.copy()[0]);
}

TEST_CASE("the clock's rate is what 20 ms of it show", "[no sanitizer]") {
  const auto info = calibrate();
  REQUIRE(info.has_value());
  device_values<unsigned long long> values(2);
  find_rate<<<1, 1>>>(values.get());
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const auto measured = values.copy();
  const double khz = static_cast<double>(measured[0]) / static_cast<double>(measured[1]) * 1e6;
  CHECK(static_cast<double>(info->sm_clock_khz) == Approx(khz).epsilon(0.02));
}

TEST_CASE("an event costs what the macros cost", "[no sanitizer]") {
  const auto info = calibrate();
  REQUIRE(info.has_value());
  const double burst = (median_cycles<work::marks>() - median_cycles<work::nothing>()) / (turns * marks_per_turn);
  const double among_arithmetic =
      (median_cycles<work::arithmetic_and_mark>() - median_cycles<work::arithmetic>()) / (turns * events_per_turn);
  INFO("macros: " << burst << " and " << among_arithmetic << " cycles; calibration: "
                  << info->event_burst_millicycles / 1000.0 << " and " << info->event_millicycles / 1000.0);
  CHECK(info->event_burst_millicycles / 1000.0 == Approx(burst).epsilon(0.3));
  // A few cycles more or less, according to where ptxas puts the event's instructions between the others.
  CHECK(info->event_millicycles / 1000.0 == Approx(among_arithmetic).epsilon(0.3).margin(3));
}

TEST_CASE("calibrating breaks no other thread's stream capture") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  bool calibrated = false;
  std::thread([&] { calibrated = calibrate().has_value(); }).join();
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  CHECK(calibrated);
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(gpu_test::finish() == cudaSuccess);
}

TEST_CASE("several threads calibrate at once") {
  std::atomic<int> calibrated = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      // Where other processes use the GPU a measurement may find its loops interrupted, and give nothing.
      bool has_measured = false;
      for (int tries = 0; tries < 5 && !has_measured; ++tries) has_measured = calibrate().has_value();
      if (has_measured) ++calibrated;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(calibrated == 4);
}
