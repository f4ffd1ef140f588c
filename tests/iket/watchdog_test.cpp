// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The watchdog, over a fake CUDA runtime. Built with a thread sanitizer as well; tests/gpu/hang_test.cu has kernels.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <iket/error.hpp>
#include <iket/launch.hpp>
#include <iket/session.hpp>
#include <iket/watchdog.hpp>

#include "captured_stderr.hpp"
#include "catch.hpp"
#include "fake_cuda.hpp"
#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "session_helpers.hpp"
#include "session_life.hpp"
#include "traced_kernel.hpp"

using namespace std::chrono_literals;

TEST_CASE("a kernel that hangs is told once, on time, and then where its snapshot is") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  {
    const captured_stderr captured(folder);
    const iket::watchdog watchdog(session, 200ms, folder / "hang.bin");
    const auto begin = std::chrono::steady_clock::now();
    launch_and_hang(session, "hangs");
    CHECK(captured.waits_for("iket-analyze"));
    CHECK(std::chrono::steady_clock::now() - begin >= 200ms);
    std::this_thread::sleep_for(400ms);
    const std::string text = captured.text();
    CAPTURE(text);
    const std::string path = folder / "hang.bin";
    CHECK(text == "iket: 'hangs' has not ended 0.2 s after it began\niket: where its warps stand is in '" + path +
                      "': iket-analyze " + path + "\n");
    CHECK(launches_in(folder / "hang.bin") == "hangs ");
    launch_and_hang(session, "waits behind");  // for the one before: it has not begun
    std::this_thread::sleep_for(400ms);
    CHECK(captured.text() == text);
    fake_cuda::end_hanging();
  }
  session.write(folder / "trace.bin");
  CHECK(launches_in(folder / "trace.bin") == "hangs waits behind ");
}

TEST_CASE("launches that end in time, and work that is not traced, are not told") {
  const clean_device clean;
  const scratch_folder folder;
  const own_stream stream;
  iket::session session(small());
  const captured_stderr captured(folder);
  {
    const iket::watchdog watchdog(session, 100ms, folder / "hang.bin");
    iket::trace_options named;
    named.stream = stream.stream;
    const auto end = std::chrono::steady_clock::now() + 500ms;
    fake_cuda::launch_hanging(nullptr, [] {});  // not traced
    launch(session, "ended", stream.stream);
    fake_cuda::launch_hanging(stream.stream, [] {});  // not traced, and behind one that is
    fake_cuda::advance();
    (void)session.trace("never launched", 1, 32 * warps);
    (void)session.trace("never launched", 1, 32 * warps, named);
    while (std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
  }
  CHECK(captured.text().empty());
  fake_cuda::end_hanging();
}

TEST_CASE("replays one after another are launches of their own, and one that hangs is told") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const captured_stderr captured(folder);
  iket::trace_options options;
  options.regions = 200;
  options.warps = 1;
  const iket::tracer tracer = session.trace("replayed", 1, 32, options);
  const iket::watchdog watchdog(session, 200ms, folder / "hang.bin");
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < 500ms) {
    fake_cuda::launch_hanging(nullptr, [&] { traced::run(tracer, marks, traced::stand::open); });
    fake_cuda::advance();
    std::this_thread::sleep_for(20ms);
    if (std::chrono::steady_clock::now() - begin < 450ms) fake_cuda::end_hanging();
  }
  CHECK(captured.text().empty());
  CHECK(captured.waits_for("'replayed' has not ended"));
  fake_cuda::end_hanging();
}

TEST_CASE("a watchdog ends at once, whatever its limit, and takes a limit above 0") {
  const clean_device clean;
  iket::session session(small());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    const iket::watchdog watchdog(session, 1h, "hang.bin");
    if (i % 2 == 0) std::this_thread::sleep_for(1ms);
  }
  CHECK(std::chrono::steady_clock::now() - begin < 400ms);  // it looks every 500 ms
  CHECK(has(error_of([&] { const iket::watchdog watchdog(session, 0s, "hang.bin"); }), "must be more than 0"));
}

TEST_CASE("a snapshot that fails is told once, and tried again until it is there") {
  const clean_device clean;
  const scratch_folder folder;
  const std::string path = folder / "a folder/hang.bin";
  iket::session session(small());
  const captured_stderr captured(folder);
  const iket::watchdog watchdog(session, 50ms, path);
  launch_and_hang(session, "first");
  CHECK(captured.waits_for("'first' has not ended"));
  CHECK(captured.waits_for("iket: no snapshot could be taken: cannot write '"));
  std::this_thread::sleep_for(100ms);
  CHECK(lines_of(captured.text()) == 2);
  std::filesystem::create_directory(folder / "a folder");
  CHECK(captured.waits_for("iket: where its warps stand is in '" + path + "': iket-analyze '" + path + "'\n"));
  CHECK(launches_in(path) == "first ");
  fake_cuda::end_hanging();
  session.drain();
  launch_and_hang(session, "second");
  CHECK(captured.waits_for("'second' has not ended"));
  fake_cuda::end_hanging();
}

TEST_CASE("signals go to the program's threads, not to the watchdog's") {
  const clean_device clean;
  static std::atomic<int> handled_elsewhere{0}, handled{0};
  static const auto main_thread = pthread_self();
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { (pthread_equal(pthread_self(), main_thread) != 0 ? handled : handled_elsewhere)++; };
  REQUIRE(sigaction(SIGUSR1, &action, &before) == 0);
  iket::session session(small());
  {
    const iket::watchdog watchdog(session, 40ms, "hang.bin");
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &one, nullptr) == 0);  // then only the watchdog could take it
    REQUIRE(kill(getpid(), SIGUSR1) == 0);
    std::this_thread::sleep_for(50ms);
    CHECK(handled_elsewhere == 0);
    REQUIRE(pthread_sigmask(SIG_UNBLOCK, &one, nullptr) == 0);
  }
  CHECK(handled == 1);
  REQUIRE(sigaction(SIGUSR1, &before, nullptr) == 0);
}

TEST_CASE("threads launch, trace, drain and write under a watchdog: each launch is in one file, once and whole") {
  const clean_device clean;
  const scratch_folder folder;
  constexpr int launching = 2, each = 40;
  std::map<std::string, int> found;
  {
    iket::session session(small());
    // Of a limit that no launch passes, and that lets it look as often as it may.
    const iket::watchdog first(session, 40ms, folder / "hang.bin"), second(session, 40ms, folder / "hang.bin");
    std::atomic<int> running{launching};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < launching; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
          iket::launch(session, "launched", config_in(nullptr, 1, 32 * warps), marking_kernel, marks);
          std::this_thread::sleep_for(1ms);
        }
        --running;
      });
    threads.emplace_back([&] {
      for (int i = 0; running != 0; ++i) session.write(folder / ("trace" + std::to_string(i) + ".bin"));
    });
    threads.emplace_back([&] {
      while (running != 0) session.snapshot(folder / "snapshot");
    });
    for (std::thread& thread : threads) thread.join();
    session.write(folder / "trace.bin");
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    const read_back file(content_of(entry.path().string()));
    CHECK(file.is_whole);
    if (entry.path().filename() == "snapshot" || entry.path().filename() == "hang.bin") continue;
    for (const auto& [id, launch] : file.launches) found[launch.name] += launch.records == warps * marks ? 1 : 1000;
  }
  CHECK(found == std::map<std::string, int>{{"launched", launching * each}});
}
