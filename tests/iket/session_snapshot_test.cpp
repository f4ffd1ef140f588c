// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Snapshots of kernels that run or hang. tests/gpu/hang_test.cu takes them on a GPU.
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>
#include <iket/watchdog.hpp>

#include "catch.hpp"
#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "session_helpers.hpp"
#include "session_life.hpp"
#include "traced_kernel.hpp"

namespace {

using iket::file::launch_running;

/// A launch of one CTA whose warps record `marks` marks each and hang.
iket::tracer launch_hanging(iket::session& session, const std::string& name,
                            std::optional<cudaStream_t> stream = std::nullopt) {
  iket::trace_options options;
  options.stream = stream;
  const iket::tracer tracer = session.trace(name, 1, 32 * warps, options);
  fake_cuda::launch_hanging(stream.value_or(nullptr), [tracer] { traced::run(tracer, marks, traced::stand::open); });
  fake_cuda::advance();
  return tracer;
}

/// Names of the launches in a snapshot, with "..." for those that run, and the records of each.
std::string standing_in(const std::string& path) {
  const read_back file(content_of(path));
  std::string text = file.is_whole ? "" : "not whole: ";
  for (const auto& [id, launch] : file.launches)
    text += launch.name + ((launch.info.flags & launch_running) != 0 ? "..." : "") + " " +
            std::to_string(launch.records) + " ";
  return text;
}

}  // namespace

TEST_CASE("while a thread waits in a drain for a kernel that hangs, others take snapshots, which consume nothing") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const iket::tracer tracer = launch_hanging(session, "hangs");
  fake_cuda::fail_no_call();
  std::thread draining([&] { session.drain(); });
  wait_for_call("cudaDeviceSynchronize");

  session.snapshot(folder / "first.bin");
  CHECK(standing_in(folder / "first.bin") == "hangs... 6 ");
  const read_back first(content_of(folder / "first.bin"));
  CHECK(first.sites == std::vector<std::string>{"mark"});
  REQUIRE(first.snapshots.size() == 1);
  CHECK(first.snapshots[0].host_begin_ns != 0);
  CHECK(first.snapshots[0].host_begin_ns <= first.snapshots[0].host_end_ns);
  CHECK(first.snapshots[0].realtime_offset_ns != 0);

  // From a thread that has called nothing of CUDA yet.
  const own_stream other;
  fake_cuda::launch(other.stream, [&] { traced::go_on(tracer, marks, 2); });
  fake_cuda::advance();
  std::thread([&] { session.snapshot(folder / "second.bin"); }).join();
  CHECK(standing_in(folder / "second.bin") == "hangs... 10 ");

  fake_cuda::end_hanging();
  draining.join();
  session.snapshot(folder / "drained.bin");
  CHECK(standing_in(folder / "drained.bin").empty());
  session.write(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") == "hangs 10 ");
  CHECK(read_back(content_of(folder / "trace.bin")).snapshots.empty());
}

TEST_CASE("while a thread's launch does not return, others take snapshots of what is in the host's memory") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(on_host());
  const own_stream stream;
  (void)launch_hanging(session, "hangs", stream.stream);
  fake_cuda::fail_no_call();
  fake_cuda::set_queue_full(true);
  std::thread launching(
      [&] { iket::launch(session, "behind", config_in(stream.stream, 1, 32 * warps), marking_kernel, marks); });
  wait_for_call("cudaLaunchKernelExC");
  session.snapshot(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") == "hangs... 6 behind... 0 ");
  fake_cuda::end_hanging();
  launching.join();
}

TEST_CASE("a snapshot neither makes nor loads nor waits for anything, but copies on the session's stream") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream stream;
  iket::session_options options = small();
  options.host_clock = true;
  iket::session session(options);
  (void)launch_hanging(session, "named", stream.stream);
  launch(session, "somewhere");
  fake_cuda::set_hanging(true);
  iket::launch(session, "timed", config_in(stream.stream, 1, 32 * warps), marking_kernel, marks);
  fake_cuda::fail_no_call();
  std::thread([&] { session.snapshot(folder / "trace.bin"); }).join();
  static const std::set<std::string> harmless = {"cudaThreadExchangeStreamCaptureMode",
                                                 "cudaGetDevice",
                                                 "cuCtxGetId",
                                                 "cuCtxGetCurrent",
                                                 "cuCtxPushCurrent",
                                                 "cuCtxPopCurrent",
                                                 "cuStreamQuery",
                                                 "cuEventQuery",
                                                 "cudaStreamIsCapturing",
                                                 "cudaMemcpyAsync",
                                                 "cudaMemcpy2DAsync",
                                                 "cudaStreamSynchronize",
                                                 "cuLaunchKernel"};
  for (const std::string& call : fake_cuda::calls()) {
    CAPTURE(call);
    CHECK(harmless.count(call) == 1);
  }
  CHECK(standing_in(folder / "trace.bin") == "named... 6 somewhere... 0 timed... 0 ");
  fake_cuda::end_hanging();
}

TEST_CASE("which launches have not ended is told by events, streams and warps, in this order") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream timed, idle, busy;
  iket::session session(small());
  iket::launch(session, "ended", config_in(timed.stream, 1, 32 * warps), marking_kernel, marks);
  fake_cuda::set_hanging(true);
  iket::launch(session, "all closed", config_in(timed.stream, 1, 32 * warps), marking_kernel, marks);
  iket::launch(session, "waits", config_in(timed.stream, 1, 32 * warps), marking_kernel, marks);
  iket::trace_options options;
  options.stream = idle.stream;
  const iket::tracer left_open = session.trace("left open", 1, 32 * warps, options);
  fake_cuda::launch(idle.stream, [&] { traced::run(left_open, marks, traced::stand::open); });
  launch(session, "before another", busy.stream);
  fake_cuda::launch_hanging(busy.stream, [] {});
  (void)launch_hanging(session, "open", busy.stream);
  launch(session, "anywhere");
  (void)session.trace("never launched", 1, 32 * warps);
  fake_cuda::advance();
  session.snapshot(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") ==
        "ended 6 all closed... 6 waits... 0 left open 6 before another 6 open... 0 anywhere 6 never launched... 0 ");
  const read_back file(content_of(folder / "trace.bin"));
  CHECK(file.launches.at(0).info.event_time_ns == 125'000);
  CHECK(file.launches.at(1).info.event_time_ns == 0);
  fake_cuda::end_hanging();
}

TEST_CASE("a launch that has not had all its CTAs has not ended, and of one without memory nobody can tell") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const iket::tracer half = session.trace("half", 2, 32 * warps);
  fake_cuda::launch(nullptr, [half] { traced::run_ctas(half, 1, marks); });
  iket::trace_options large;
  large.records_per_warp = 1 << 20;
  (void)session.trace("no memory", 1, 32 * warps, large);
  launch(session, "whole");
  fake_cuda::advance();
  session.snapshot(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") == "half... 6 no memory 0 whole 6 ");
}

TEST_CASE("no call of a thread that uses no device makes a context but the session's own") {
  const clean_device clean;
  const scratch_folder folder;
  REQUIRE(cudaSetDevice(1) == cudaSuccess);
  auto session = std::make_unique<iket::session>(small());
  (void)launch_hanging(*session, "hangs");
  std::thread([&] {
    iket::trace_options listed;
    listed.ctas = iket::ctas::list({0, 1});
    (void)session->trace("listed", 2, 32 * warps, listed);
    session->snapshot(folder / "trace.bin");
    (void)iket::detail::watch_access::running(*session);
    fake_cuda::end_hanging();
    session->end_replays();
    session.reset();
  }).join();
  CHECK(standing_in(folder / "trace.bin") == "hangs... 6 listed... 0 ");
  CHECK(fake_cuda::has_context(1));
  CHECK_FALSE(fake_cuda::has_context(0));
  REQUIRE(cudaSetDevice(0) == cudaSuccess);
}

TEST_CASE("a stream that is being captured is not asked, nor one that this thread knows under another name") {
  const clean_device clean;  // which looks for such questions
  const scratch_folder folder;
  const own_stream stream;
  iket::session session(small());
  (void)launch_hanging(session, "before", stream.stream);
  iket::trace_options own;
  own.stream = cudaStreamPerThread;
  (void)session.trace("own", 1, 32 * warps, own);
  fake_cuda::set_captured(stream.stream, true);
  session.snapshot(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") == "before... 6 own... 0 ");
  fake_cuda::set_captured(stream.stream, false);
  fake_cuda::end_hanging();
}

TEST_CASE("of a replayable tracer the launches before the last have ended, and a drain has them all again") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream stream;
  iket::session session(small());
  iket::trace_options options;
  options.regions = 4;
  options.replay_stream = stream.stream;
  const iket::tracer tracer = session.trace("replayed", 1, 32 * warps, options);
  const auto replay = [&] { fake_cuda::launch(stream.stream, [tracer] { traced::run(tracer, marks); }); };
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    replay();
    replay();
    fake_cuda::launch_hanging(stream.stream, [tracer] { traced::run(tracer, marks, traced::stand::open); });
    fake_cuda::advance();
    for (int i = 0; i < 2; ++i) {
      session.snapshot(folder / "hang.bin");
      CHECK(standing_in(folder / "hang.bin") == "replayed 6 replayed 6 replayed... 6 ");
    }
    fake_cuda::end_hanging();
    session.write(folder / "trace.bin");
    CHECK(launches_in(folder / "trace.bin") == "replayed replayed replayed ");
  }
}

TEST_CASE("a snapshot that fails changes nothing, and says what failed") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  (void)launch_hanging(session, "hangs");
  fake_cuda::fail_no_call();
  session.snapshot(folder / "trace.bin");
  const std::vector<std::string> calls = fake_cuda::calls();
  for (std::size_t call = 0; call < calls.size(); ++call) {
    CAPTURE(call, calls[call]);
    fake_cuda::fail_call(call, cudaErrorMemoryAllocation);
    const std::string text = error_of([&] { session.snapshot(folder / "trace.bin"); });
    if (!text.empty()) CHECK(has(text, calls[call] + " returned cudaErrorMemoryAllocation"));
    if (calls[call] == "cudaMemcpy2DAsync") CHECK_FALSE(text.empty());
    fake_cuda::fail_no_call();
    session.snapshot(folder / "again.bin");
    CHECK(standing_in(folder / "again.bin") == "hangs... 6 ");
  }
  CHECK(has(error_of([&] { session.snapshot(folder / "none/trace.bin"); }), "No such file or directory"));
  CHECK(cudaGetLastError() == cudaSuccess);
  fake_cuda::end_hanging();
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "hangs ");
}

TEST_CASE("an error that the program has not read stays for it, also where a launch is not ready") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  fake_cuda::set_hanging(true);
  iket::launch(session, "timed", config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
  REQUIRE(cudaSetDevice(99) != cudaSuccess);
  session.snapshot(folder / "trace.bin");
  CHECK(standing_in(folder / "trace.bin") == "timed... 6 ");
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  fake_cuda::end_hanging();
}

TEST_CASE("behind a failed kernel and behind its context a snapshot says what happened") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  launch(session, "lost");
  fake_cuda::launch_failing(nullptr);
  fake_cuda::advance();
  CHECK(has(error_of([&] { session.snapshot(folder / "trace.bin"); }), "A kernel of the program failed"));
  fake_cuda::reset_device();
  CHECK(has(error_of([&] { session.snapshot(folder / "trace.bin"); }), "has ended"));
  CHECK(folder.entries() == 0);
}
