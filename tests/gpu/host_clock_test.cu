// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The device's timer by the host's clock: readings, what follows from them, and that neither a busy GPU nor anything
// else makes the session hang or leaves something behind.
#include <iket/detail/host_clock.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "busy_gpu.cuh"
#include "host_clock.hpp"
#include "mapped_file.hpp"
#include "support.hpp"
#include "trace_reader.hpp"

using namespace gpu_test;
using iket::file::host_clock_pair;

namespace {

__global__ void note_time(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "now", read_globaltimer());
}

/// What the file of a session has of its first device, and the file's time line.
struct written {
  iket::analysis::timeline trace;
  std::optional<iket::analysis::host_clock_view> readings;
};

written write(iket::session& session) {
  const dump_path path;
  session.write(path.string());
  const auto file = iket::analysis::mapped_file::open(path.string());
  REQUIRE(std::holds_alternative<iket::analysis::mapped_file>(file));
  const auto read = iket::analysis::read_trace(std::get<iket::analysis::mapped_file>(file).bytes());
  REQUIRE(std::holds_alternative<iket::analysis::trace_view>(read));
  const auto& view = std::get<iket::analysis::trace_view>(read);
  CHECK(view.damages.empty());
  REQUIRE(view.devices.size() == 1);
  return {iket::analysis::build_timeline(view, "test"), view.devices[0].host_clock};
}

iket::session_options with_readings() {
  iket::session_options options = small_session();
  options.host_clock = true;
  return options;
}

std::uint64_t width_ns(const host_clock_pair& pair) { return pair.host_after_ns - pair.host_before_ns; }

void launch_note(iket::session& session, std::optional<cudaStream_t> stream = {}) {
  iket::trace_options options;
  options.stream = stream;
  note_time<<<1, 32, 0, stream.value_or(nullptr)>>>(session.trace("note_time", 1, 32, options));
  CHECK(cudaGetLastError() == cudaSuccess);
}

/// Readings after one more burst.
std::size_t measured(iket::detail::host_clock& clock) {
  clock.measure();
  return clock.content().pairs.size();
}

}  // namespace

// A sanitizer makes a launch wait for its kernel, and that one then waits for questions in vain.
TEST_CASE("a session reads the timer when it is made, and at the end of each drain", "[no sanitizer]") {
  iket::session session(with_readings());
  for (std::size_t drains = 1; drains <= 5; ++drains) {
    launch_note(session);
    const written found = write(session);
    REQUIRE(found.readings.has_value());
    const std::vector<host_clock_pair>& pairs = found.readings->pairs;
    REQUIRE(pairs.size() == 4 * (drains + 1));
    std::uint64_t tightest_ns = ~0ull;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      CHECK(width_ns(pairs[i]) < 100'000);
      tightest_ns = std::min(tightest_ns, width_ns(pairs[i]));
      const auto offset_ns = static_cast<std::int64_t>(iket::detail::realtime_offset_ns());
      CHECK(std::abs(pairs[i].realtime_offset_ns - offset_ns) < 1'000'000'000);
      if (i == 0) continue;
      CHECK(pairs[i - 1].host_after_ns <= pairs[i].host_before_ns);
      CHECK(pairs[i - 1].globaltimer_ns < pairs[i].globaltimer_ns);
    }
    CHECK(tightest_ns < 20'000);
    if (drains == 5) WARN("tightest bracket: " << tightest_ns << " ns");
    const std::array<unsigned char, 16> boot = iket::detail::boot_id();
    CHECK(std::equal(boot.begin(), boot.end(), found.readings->info.boot_id));
  }
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("a session that shall not read the timer does not") {
  iket::session session(small_session());
  launch_note(session);
  const written found = write(session);
  CHECK_FALSE(found.readings.has_value());
  CHECK_FALSE(found.trace.devices.at(0).host_clock.has_value());
  CHECK_FALSE(found.trace.launches.at(0).host_begin_error_ns.has_value());
  CHECK(found.trace.launches.at(0).host_begin_ns != 0);
}

TEST_CASE("what a kernel saw on the timer lies between what the host saw around the launch", "[no sanitizer]") {
  iket::session_options options = with_readings();
  options.calibrate = true;  // for the timer's tick
  iket::session session(options);
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before_ns = iket::detail::host_clock_ns();
    const std::uint64_t realtime_before_ns = iket::detail::read_clock_ns(CLOCK_REALTIME);
    launch_note(session);
    REQUIRE(finish() == cudaSuccess);
    const std::uint64_t after_ns = iket::detail::host_clock_ns();
    const std::uint64_t realtime_after_ns = iket::detail::read_clock_ns(CLOCK_REALTIME);
    const written found = write(session);
    const iket::analysis::launch& launch = found.trace.launches.at(0);
    REQUIRE(launch.warps.at(0).points.size() == 1);
    const std::uint64_t timer_ns = launch.warps[0].points[0].payload().bits;
    const double tick_ns = found.trace.devices.at(0).calibration.value().timer_tick_ns;
    const auto fit = iket::analysis::host_clock_fit::of(found.readings.value().pairs, tick_ns);
    REQUIRE(fit.has_value());
    const iket::analysis::host_instant seen = fit->at(timer_ns);
    const auto error_ns = static_cast<std::uint64_t>(seen.error_ns + tick_ns) + 1;
    CHECK(before_ns <= seen.ns + error_ns);
    CHECK(seen.ns <= after_ns + error_ns);
    CHECK(error_ns < 20'000);
    // The same by the time of day.
    const auto begin_error_ns = static_cast<std::uint64_t>(launch.host_begin_error_ns.value()) + 100;
    CHECK(realtime_before_ns <= launch.host_begin_ns + begin_error_ns);
    CHECK(launch.host_begin_ns <= realtime_after_ns + begin_error_ns);
    if (i != 19) continue;
    const iket::analysis::host_clock& clock = found.trace.devices[0].host_clock.value();
    WARN("error " << clock.error_ns << " ns, drift " << clock.drift_ppm << " ± " << clock.drift_error_ppm
                  << " ppm, slack " << fit->slack_ns() << " ns, left out " << fit->left_out());
  }
}

TEST_CASE("readings of a second and more agree with one rate", "[no sanitizer]") {
  iket::detail::host_clock clock;
  clock.measure();  // loads the kernel
  double longest_s = 0;
  for (int i = 0; i < 30; ++i) {
    const auto begin = clock_type::now();
    clock.measure();
    longest_s = std::max(longest_s, seconds_since(begin));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const auto fit = iket::analysis::host_clock_fit::of(clock.content().pairs, 1024);
  REQUIRE(fit.has_value());
  CHECK(longest_s < 0.01);
  CHECK(fit->slack_ns() == 0);
  CHECK(fit->drift_error_ppm() < 20);
  WARN("drift " << fit->drift_ppm() << " ± " << fit->drift_error_ppm() << " ppm, left out " << fit->left_out()
                << "; a burst takes " << longest_s * 1e6 << " us at most");
}

TEST_CASE("beside a kernel that fills the GPU, the host gives up soon, and works afterwards", "[no sanitizer]") {
  iket::detail::host_clock clock;
  REQUIRE(measured(clock) == 4);  // loads the kernel
  {
    busy_gpu busy(ctas_that_fill_the_gpu());
    auto begin = clock_type::now();
    CHECK(measured(clock) == 4);
    CHECK(seconds_since(begin) < 0.1);
    // That one still waits for its place: there is no second one.
    begin = clock_type::now();
    CHECK(measured(clock) == 4);
    CHECK(seconds_since(begin) < 0.005);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
  }
  // It ends as soon as it has its place.
  const auto begin = clock_type::now();
  while (measured(clock) == 4 && seconds_since(begin) < 1) {
  }
  CHECK(seconds_since(begin) < 0.1);
  CHECK(clock.content().pairs.size() == 8);
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("what was given up is waited for when it ends, and no memory goes before", "[no sanitizer]") {
  std::optional<iket::detail::host_clock> clock;
  clock.emplace();
  REQUIRE(measured(*clock) == 4);
  {
    busy_gpu busy(ctas_that_fill_the_gpu(), 0.5);
    CHECK(measured(*clock) == 4);
    const auto begin = clock_type::now();
    clock.reset();
    CHECK(seconds_since(begin) < 2);
  }
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("beside a kernel that leaves room, the timer is read as ever", "[no sanitizer]") {
  iket::detail::host_clock clock;
  REQUIRE(measured(clock) == 4);
  busy_gpu busy(1);
  const auto begin = clock_type::now();
  CHECK(measured(clock) == 8);
  CHECK(seconds_since(begin) < 0.1);
}

TEST_CASE("a session beside a kernel that fills the GPU comes back and works afterwards", "[no sanitizer]") {
  iket::session first(with_readings());  // loads the kernel
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  launch_note(first, stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  std::optional<iket::session> second;
  {
    // What else a session does may wait for a place on the GPU; the reading adds no more than its own bound.
    constexpr double busy_seconds = 1;
    busy_gpu busy(ctas_that_fill_the_gpu(), busy_seconds);
    auto begin = clock_type::now();
    first.drain();
    WARN("drain: " << seconds_since(begin) << " s");
    CHECK(seconds_since(begin) < busy_seconds + 1);
    begin = clock_type::now();
    second.emplace(with_readings());
    WARN("constructor: " << seconds_since(begin) << " s");
    CHECK(seconds_since(begin) < busy_seconds + 1);
  }
  for (iket::session* const session : {&first, &*second}) {
    launch_note(*session, stream);
    const written found = write(*session);
    REQUIRE(found.readings.has_value());
    CHECK(found.readings->pairs.size() % 4 == 0);
    CHECK(found.trace.launches.back().warps.at(0).points.size() == 1);
    CHECK(found.trace.launches.back().host_begin_error_ns.has_value());
  }
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("an error of the program stays for the program to read, whatever the timer says", "[no sanitizer]") {
  iket::detail::host_clock clock;
  occupy<<<1, 2048>>>(nullptr);  // too many threads
  const cudaError_t failed = cudaPeekAtLastError();
  REQUIRE(failed != cudaSuccess);
  clock.measure();
  CHECK(cudaGetLastError() == failed);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("reading the timer breaks no other thread's stream capture") {
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  std::thread([] {
    iket::detail::host_clock clock;
    clock.measure();
  }).join();
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("a kernel that the host leaves alone ends by itself") {
  const iket::detail::driver_kernel& kernel = iket::detail::loaded_host_clock_kernel();
  REQUIRE(kernel.kernel != nullptr);
  void* memory = nullptr;
  REQUIRE(cudaHostAlloc(&memory, sizeof(iket::detail::host_clock_mailbox), cudaHostAllocMapped) == cudaSuccess);
  auto* const mailbox = new (memory) iket::detail::host_clock_mailbox;
  void* on_device = nullptr;
  REQUIRE(cudaHostGetDevicePointer(&on_device, memory, 0) == cudaSuccess);
  void* arguments[] = {&on_device};
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  const auto run = [&] {
    const auto begin = clock_type::now();
    CHECK(kernel.launch(kernel.kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr) == 0);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    return seconds_since(begin);
  };
  (void)run();  // loads it
  CHECK(run() < 0.5);
  CHECK(mailbox->answers[0] == 0);
  // And at once where it is cancelled before it starts.
  mailbox->question = iket::detail::host_clock_cancel;
  CHECK(run() < 0.1);
  CHECK(mailbox->answers[0] == 0);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaFreeHost(memory) == cudaSuccess);
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("several threads read the timer at once", "[no sanitizer]") {
  std::atomic<std::size_t> pairs = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      iket::detail::host_clock clock;
      for (int burst = 0; burst < 10; ++burst) clock.measure();
      pairs += clock.content().pairs.size();
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(pairs == 4 * 10 * 4);
  CHECK(finish() == cudaSuccess);
}
