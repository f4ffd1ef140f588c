// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Snapshots of kernels that do not end by themselves. All threads' findings are checked by the one that runs the test.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "graph.hpp"
#include "hang_flags.hpp"
#include "hang_kernel.cuh"
#include "iket/read_back.hpp"
#include "iket/scratch_folder.hpp"
#include "support.hpp"

using namespace gpu_test;
using namespace iket::analysis;
using namespace std::chrono_literals;

namespace {

/// Records without pause.
__global__ void record(const volatile int* flags, iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (int i = 0; __shfl_sync(~0U, flags[0], 0) == 0; ++i) {
    IKET_RANGE(rec, "round", i);
  }
}

__global__ void nothing() {}

/// A snapshot in a file that is gone at the end, and how long it took.
struct looked {
  gpu_test::dump_path path;
  std::string error;
  double took_s = 0;

  void look(iket::session& session) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      session.snapshot(path.string());
    } catch (const iket::error& failure) {
      error = failure.what();
    }
    took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

/// Every warp of the one launch stands in its wait.
void check_standing(const looked& at, int ctas, std::uint64_t records_per_warp) {
  CAPTURE(at.error, at.took_s);
  REQUIRE(at.error.empty());
  CHECK(at.took_s < 2);
  const std::uint64_t warps = std::uint64_t{static_cast<unsigned>(ctas)} * warps_per_cta;
  const read_back file(content_of(at.path.string()));
  REQUIRE(file.is_whole);
  CHECK(file.snapshots.size() == 1);
  CHECK(file.host_clocks == 1);
  REQUIRE(file.launches.size() == 1);
  CHECK(file.launches.begin()->second.info.flags == iket::file::launch_running);
  CHECK(file.launches.begin()->second.records == warps * records_per_warp);
  const load_result result = load_timeline(at.path.string());
  REQUIRE(result.trace.has_value());
  CHECK_FALSE(result.damaged);
  const launch& hung = result.trace->launches.at(0);
  REQUIRE(hung.warps.size() == warps);
  CHECK(gpu_test::ranges_of(*result.trace, hung, "work").size() == warps * works);
  for (const warp_timeline& warp : hung.warps) {
    REQUIRE(gpu_test::odd_events_of(warp).open == 1);
    REQUIRE(result.trace->roles.at(warp.role) == (warp.warp == 0 ? "producer" : "consumer"));
  }
}

/// Hangs a kernel that fills the GPU, waits for it in this thread by `wait`, and looks at it from another one.
void look_while(iket::storage storage, const std::function<void(iket::session&)>& wait) {
  const int ctas = ctas_that_fill_the_gpu();
  iket::session session(options_of(storage));
  read_sites(session);
  gpu_test::hang_flags flags;
  looked first, second;
  hang<<<ctas, threads>>>(flags.on_device(), session.trace("hang", ctas, threads));
  REQUIRE(cudaGetLastError() == cudaSuccess);
  std::thread looking([&] {
    std::this_thread::sleep_for(200ms);
    first.look(session);
    flags.go_on();
    std::this_thread::sleep_for(100ms);
    second.look(session);
    flags.end();
  });
  wait(session);
  looking.join();
  CHECK_FALSE(flags.is_impatient());
  check_standing(first, ctas, records_at_first);
  check_standing(second, ctas, records_at_first + records_of_more);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(gpu_test::ranges_of(trace, trace.launches[0], "wait for ever").size() ==
        static_cast<std::size_t>(ctas) * warps_per_cta);
}

}  // namespace

TEST_CASE("a kernel that fills the GPU and hangs is looked at while the program waits for the device") {
  const iket::storage storage = GENERATE(iket::storage::device, iket::storage::host);
  look_while(storage, [](iket::session&) { CHECK(cudaDeviceSynchronize() == cudaSuccess); });
}

TEST_CASE("it is looked at while a drain waits for it") {
  const iket::storage storage = GENERATE(iket::storage::device, iket::storage::host);
  look_while(storage, [](iket::session& session) { session.drain(); });
}

TEST_CASE("it is looked at while the program waits for the legacy default stream") {
  look_while(iket::storage::device,
             [](iket::session&) { CHECK(cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess); });
}

TEST_CASE("with records in the host's memory it is looked at while the program copies behind it") {
  const device_word word;
  look_while(iket::storage::host, [&](iket::session&) { CHECK(word.copy() == cudaSuccess); });
}

TEST_CASE(
    "what a snapshot asks of events and streams is answered while the program copies behind a kernel that hangs") {
  const gpu_test::own_stream stream;
  const device_word word;
  iket::session session(options_of(iket::storage::host));
  gpu_test::hang_flags ended, flags;
  ended.end();
  launch_timed(session, ended, 1);
  iket::trace_options options;
  options.stream = stream.get();
  hang<<<1, threads, 0, stream.get()>>>(ended.on_device(), session.trace("named", 1, threads, options));
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  hang<<<1, threads>>>(flags.on_device(), session.trace("hangs", 1, threads));
  looked at;
  std::thread looking([&] {
    std::this_thread::sleep_for(200ms);
    at.look(session);
    flags.end();
  });
  CHECK(word.copy() == cudaSuccess);
  looking.join();
  CHECK_FALSE(flags.is_impatient());
  CAPTURE(at.error, at.took_s);
  REQUIRE(at.error.empty());
  CHECK(at.took_s < 2);
  const read_back file(content_of(at.path.string()));
  REQUIRE(file.launches.size() == 3);
  CHECK(file.launches.at(0).info.event_time_ns != 0);
  for (const auto& [id, launch] : file.launches)
    CHECK(((launch.info.flags & iket::file::launch_running) != 0) == (launch.name == "hangs"));
}

TEST_CASE("a drain of what has ended in a named stream ends beside a kernel that hangs in another one") {
  const gpu_test::own_stream named, other;
  iket::session session(gpu_test::small_session());
  gpu_test::hang_flags ended, flags(8s);
  ended.end();
  iket::trace_options options;
  options.stream = named.get();
  hang<<<1, threads, 0, named.get()>>>(ended.on_device(), session.trace("ends", 1, threads, options));
  REQUIRE(cudaStreamSynchronize(named.get()) == cudaSuccess);
  hang<<<ctas_that_fill_the_gpu(), threads, 0, other.get()>>>(flags.on_device(), {});
  REQUIRE(cudaGetLastError() == cudaSuccess);
  std::this_thread::sleep_for(50ms);
  session.drain();
  CHECK_FALSE(flags.is_impatient());
  flags.end();
  CHECK(gpu_test::finish() == cudaSuccess);
}

TEST_CASE("rings that have wrapped show where their warps stand") {
  iket::session_options options = options_of(iket::storage::device);
  options.records_per_warp = 16;
  iket::session session(options);
  gpu_test::hang_flags flags;
  looked at;
  hang<<<3, threads>>>(flags.on_device(), session.trace("hang", 3, threads));
  std::this_thread::sleep_for(100ms);
  at.look(session);
  flags.end();
  REQUIRE(at.error.empty());
  const load_result result = load_timeline(at.path.string());
  REQUIRE(result.trace.has_value());
  REQUIRE(result.trace->launches.at(0).warps.size() == 3 * warps_per_cta);
  for (const warp_timeline& warp : result.trace->launches.at(0).warps) {
    REQUIRE_FALSE(warp.ranges.empty());
    CHECK(result.trace->stages.at(warp.ranges.back().stage).name == "wait for ever");
    CHECK(warp.ranges.back().state == range_state::open);
  }
}

TEST_CASE("warps that record while they are looked at show nothing that was not") {
  iket::session session(options_of(iket::storage::device));
  gpu_test::hang_flags flags;
  record<<<sm_count(), 256>>>(flags.on_device(), session.trace("record", sm_count(), 256));
  looked at[8];
  for (looked& now : at) {
    std::this_thread::sleep_for(5ms);
    now.look(session);
  }
  flags.end();
  CHECK(gpu_test::finish() == cudaSuccess);
  for (const looked& now : at) {
    REQUIRE(now.error.empty());
    const load_result result = load_timeline(now.path.string());
    REQUIRE(result.trace.has_value());
    CHECK_FALSE(result.damaged);
    for (const warp_timeline& warp : result.trace->launches.at(0).warps) {
      std::uint64_t last = 0;
      for (const range& round : warp.ranges) {
        if (round.state != range_state::whole) continue;
        CAPTURE(warp.cta_linear, warp.warp, round.payload_bits, last);
        REQUIRE((round.payload_bits > last || &round == &warp.ranges.front()));
        last = round.payload_bits;
      }
    }
  }
}

TEST_CASE("a snapshot of another thread does not break a capture, nor asks the stream that is captured") {
  const gpu_test::own_stream stream;
  iket::session session(gpu_test::small_session());
  iket::trace_options options;
  options.stream = stream.get();
  gpu_test::hang_flags ended;
  ended.end();
  hang<<<1, threads, 0, stream.get()>>>(ended.on_device(), session.trace("before", 1, threads, options));
  REQUIRE(cudaStreamSynchronize(stream.get()) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  nothing<<<1, 1, 0, stream.get()>>>();
  looked at;
  std::thread([&] { at.look(session); }).join();
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(at.error.empty());
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
