// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Records in memory of the host, which outlive a failed kernel. tests/gpu/trap_test.cu has such kernels.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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

using iket::file::launch_failed;

/// A launch whose warps record and leave their recorders open when the kernel fails.
void launch_failing(iket::session& session, const std::string& name) {
  const iket::tracer tracer = session.trace(name, 1, 32 * warps);
  fake_cuda::launch_failing(nullptr, [tracer] { traced::run(tracer, marks, traced::stand::open); });
}

/// Names of the launches in a file, with "!" for those that are marked as failed, the records of each, and the sites.
std::string failed_in(const std::string& path) {
  const read_back file(content_of(path));
  std::string text = file.is_whole ? "" : "not whole: ";
  for (const auto& [id, launch] : file.launches)
    text +=
        launch.name + ((launch.info.flags & launch_failed) != 0 ? "! " : " ") + std::to_string(launch.records) + " ";
  for (const std::string& site : file.sites) text += "[" + site + "]";
  return text;
}

}  // namespace

TEST_CASE("a life in the host's memory: all is in the files, and nothing of CUDA is left") {
  const clean_device clean;
  const own_stream stream;
  session_life life;
  fake_cuda::fail_no_call();
  life.live(on_host(), stream.stream);
  CHECK(life.errors.empty());
  std::size_t launches = 0;
  for (const read_back& file : life.files()) {
    CHECK(file.is_whole);
    for (const auto& [id, launch] : file.launches) {
      CHECK(launch.records == session_life::ctas * session_life::warps * session_life::marks);
      CHECK((launch.info.flags & launch_failed) == 0);
      ++launches;
    }
  }
  CHECK(launches == life.launched);
  for (const char* const name : {"cudaMalloc", "cudaMemcpy2DAsync", "cudaMemsetAsync"}) CHECK_FALSE(was_called(name));
}

TEST_CASE("what warps recorded before a kernel failed is written, marked, and with the names that were known") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(on_host());
    launch(session, "first");
    session.drain();
    launch(session, "ended");
    launch_failing(session, "failed");
    launch(session, "behind");
    const std::string text = error_of([&] { session.write(folder / "trace.bin"); });
    CAPTURE(text);
    CHECK(has(text, "A kernel of the program failed"));
    CHECK(has(text, ". What was recorded up to then is in '" + folder / "trace.bin" + "'"));
    CHECK(failed_in(folder / "trace.bin") == "first 6 ended 6 failed! 6 behind! 0 [mark][mark]");
    CHECK(read_back(content_of(folder / "trace.bin")).snapshots.empty());
  }
  fake_cuda::reset_device();
}

TEST_CASE("a first launch that fails is written without names, and a snapshot of it takes nothing away") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(on_host());
    launch_failing(session, "failed");
    fake_cuda::advance();
    for (int i = 0; i < 2; ++i) {
      session.snapshot(folder / "snapshot.bin");
      CHECK(failed_in(folder / "snapshot.bin") == "failed! 6 ");
    }
    CHECK(has(error_of([&] { session.drain(); }), "A kernel of the program failed"));
    session.write(folder / "trace.bin");  // nothing is left to wait for
    CHECK(failed_in(folder / "trace.bin") == "failed! 6 ");
  }
  fake_cuda::reset_device();
}

TEST_CASE("a drain that fails in a thread without a context does not take what runs for failed") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(on_host());
  const auto drain_in_thread = [&](std::size_t failing_call) {
    std::string text;
    std::thread([&] {
      fake_cuda::fail_call(failing_call, cudaErrorStreamCaptureUnsupported);
      text = error_of([&] { session.drain(); });
    }).join();
    return text;
  };
  launch(session, "first");
  CHECK(drain_in_thread(SIZE_MAX).empty());
  const std::vector<std::string> calls = fake_cuda::calls();
  const auto wait = std::find(calls.begin(), calls.end(), "cudaDeviceSynchronize");
  REQUIRE(wait != calls.end());
  const iket::tracer tracer = session.trace("runs", 1, 32 * warps);
  fake_cuda::launch_hanging(nullptr, [tracer] { traced::run(tracer, marks); });
  CHECK(has(drain_in_thread(static_cast<std::size_t>(wait - calls.begin())), "cudaDeviceSynchronize returned"));
  fake_cuda::fail_no_call();
  fake_cuda::end_hanging();
  session.write(folder / "trace.bin");
  CHECK(failed_in(folder / "trace.bin") == "first 6 runs 6 [mark][mark]");
}

TEST_CASE("where all warps had closed before a kernel failed, each launch may be the one") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(on_host());
    launch(session, "a");
    launch(session, "b");
    fake_cuda::launch_failing(nullptr);
    CHECK_FALSE(error_of([&] { session.write(folder / "trace.bin"); }).empty());
    CHECK(failed_in(folder / "trace.bin") == "a! 6 b! 6 ");
  }
  fake_cuda::reset_device();
}

TEST_CASE("replays before a failed one are found, also where their count did not come to the host") {
  const clean_device clean;
  const scratch_folder folder;
  {
    iket::session session(on_host());
    iket::trace_options options;
    options.regions = 4;
    const iket::tracer tracer = session.trace("replayed", 1, 32 * warps, options);
    fake_cuda::launch(nullptr, [tracer] { traced::run(tracer, marks); });
    fake_cuda::launch_failing(nullptr, [tracer] {
      traced::run(tracer, marks, traced::stand::open);
      for (iket::detail::u32 warp = 0; warp < warps; ++warp)
        *reinterpret_cast<iket::detail::u32*>(iket::detail::launch_count_of(tracer.head, warp)) = 0;
    });
    CHECK_FALSE(error_of([&] { session.write(folder / "trace.bin"); }).empty());
    CHECK(failed_in(folder / "trace.bin") == "replayed 6 replayed! 6 ");
  }
  fake_cuda::reset_device();
}

TEST_CASE("a warp's opening counts by what it wrote, not by an addition that did not come to the host") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(on_host());
  const iket::tracer tracer = session.trace("traced", 1, 32 * warps);
  fake_cuda::launch(nullptr, [tracer] {
    traced::run(tracer, marks);
    auto* const headers = reinterpret_cast<iket::detail::device_header*>(tracer.first_header);
    headers[0].opened = 0;
    headers[1].open.globaltimer_ns = 0;  // the last of what an opening writes has not come
  });
  session.write(folder / "trace.bin");
  CHECK(failed_in(folder / "trace.bin") == "traced 3 [mark]");
}

TEST_CASE(
    "while a thread copies behind a kernel that hangs, a snapshot has all records, with the names that were known") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session_options options = on_host();
  options.host_clock = true;
  iket::session session(options);
  const bool is_known = GENERATE(true, false);
  if (is_known) {
    launch(session, "first");
    session.drain();
  }
  const std::string names = is_known ? "[mark]" : "";
  const iket::tracer tracer = session.trace("hangs", 1, 32 * warps);
  fake_cuda::launch_hanging(nullptr, [tracer] { traced::run(tracer, marks, traced::stand::open); });
  copying_thread copying;
  CHECK(iket::detail::watch_access::running(session).size() == 1);
  for (int i = 0; i < 2; ++i) {  // the second beside what the first one waits for
    const auto begin = std::chrono::steady_clock::now();
    session.snapshot(folder / "hang.bin");
    CHECK(std::chrono::steady_clock::now() - begin < 2 * iket::detail::driver_patience);
    CHECK(failed_in(folder / "hang.bin") == "hangs 6 " + names);
    const read_back file(content_of(folder / "hang.bin"));
    CHECK((file.launches.begin()->second.info.flags & iket::file::launch_running) != 0);
    CHECK(file.snapshots.size() == 1);
  }
  // The program goes on meanwhile.
  (void)session.trace("never launched", 1, 32 * warps);
  fake_cuda::end_hanging();
  copying.end();
  session.snapshot(folder / "hang.bin");
  CHECK(failed_in(folder / "hang.bin") == "hangs 6 never launched 0 [mark]");
  session.write(folder / "trace.bin");
  CHECK(failed_in(folder / "trace.bin") ==
        (is_known ? "first 6 " : "") + std::string("hangs 6 never launched 0 [mark]") + names);
}

TEST_CASE(
    "while a thread copies behind somebody else's kernel, a drain has all records, with the names that were known") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream stream;
  iket::session_options options = on_host();
  options.host_clock = true;
  iket::session session(options);
  launch(session, "first", stream.stream);
  session.write(folder / "trace.bin");
  launch(session, "second", stream.stream);
  fake_cuda::launch_hanging(nullptr, [] {});  // not traced
  copying_thread copying;
  if (GENERATE(true, false)) session.snapshot(folder / "snapshot.bin");  // which goes on reading
  std::atomic<bool> has_written{false};
  std::thread writing([&] {
    session.write(folder / "trace.bin");
    has_written = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  while (!has_written && std::chrono::steady_clock::now() - begin < 3 * iket::detail::driver_patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(has_written);
  if (has_written) {
    session.snapshot(folder / "snapshot.bin");
    CHECK(failed_in(folder / "trace.bin") == "second 6 [mark]");
  }
  fake_cuda::end_hanging();
  writing.join();
  launch(session, "third", stream.stream);
  session.write(folder / "trace.bin");
  CHECK(failed_in(folder / "trace.bin") == "third 6 [mark]");
}

TEST_CASE("what a snapshot reads in the background is waited for by a session's end") {
  const clean_device clean;
  const scratch_folder folder;
  auto session = std::make_unique<iket::session>(on_host());
  const iket::tracer tracer = session->trace("hangs", 1, 32 * warps);
  fake_cuda::launch_hanging(nullptr, [tracer] { traced::run(tracer, marks, traced::stand::open); });
  copying_thread copying;
  session->snapshot(folder / "hang.bin");
  std::atomic<bool> has_ended{false};
  std::thread ending([&] {
    session.reset();
    has_ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(has_ended);
  CHECK_FALSE(was_called("cudaFreeHost"));
  fake_cuda::end_hanging();
  ending.join();
}

TEST_CASE("memory that moves between host and device is no place for records") {
  const clean_device clean;
  fake_cuda::set_managed(true);
  CHECK(has(error_of([] { const iket::session session(on_host()); }), "as under Confidential Computing"));
  fake_cuda::set_managed(false);
}

TEST_CASE("behind the end of its context the host's memory is gone as well, and is not touched") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(on_host());
  launch(session, "lost");
  fake_cuda::reset_device();
  CHECK(has(error_of([&] { session.write(folder / "trace.bin"); }), "has ended"));
  CHECK(has(error_of([&] { session.snapshot(folder / "trace.bin"); }), "has ended"));
}
