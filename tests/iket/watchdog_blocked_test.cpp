// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The watchdog where the driver does not answer, over a fake CUDA runtime.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <iket/session.hpp>
#include <iket/watchdog.hpp>

#include "captured_stderr.hpp"
#include "catch.hpp"
#include "child_process.hpp"
#include "fake_cuda.hpp"
#include "scratch_folder.hpp"
#include "session_helpers.hpp"
#include "traced_kernel.hpp"

using namespace std::chrono_literals;

TEST_CASE("what is in a snapshot's way is told behind the launch that hangs, and the snapshot when it comes") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const captured_stderr captured(folder);
  auto watchdog = std::make_unique<iket::watchdog>(session, 100ms, folder / "hang.bin");
  launch_and_hang(session, "hangs");
  copying_thread copying;
  CHECK(captured.waits_for("iket: 'hangs' has not ended 0.1 s after it began\n"));
  std::atomic<bool> has_ended{false};
  std::thread ending([&] {
    watchdog.reset();
    has_ended = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  CHECK(captured.waits_for("iket: no snapshot could be taken: nothing was copied for 2.0 s: a thread may be inside"));
  CHECK(std::chrono::steady_clock::now() - begin < 4s);
  CHECK(lines_of(captured.text()) == 2);
  CHECK_FALSE(has_ended);
  fake_cuda::end_hanging();
  ending.join();
  CHECK(lines_of(captured.text()) == 3);
  CHECK(has(captured.text(), "iket: where its warps stand is in '"));
  CHECK(launches_in(folder / "hang.bin") == "hangs ");
}

TEST_CASE("what keeps launches from being looked at is told once") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const captured_stderr captured(folder);
  const iket::watchdog watchdog(session, 100ms, folder / "hang.bin");
  for (int i = 0; i < 2; ++i) {
    const iket::tracer tracer = session.trace("hangs", 1, 32 * warps);
    fake_cuda::launch_hanging(nullptr, [tracer] { traced::run(tracer, marks); });
    copying_thread copying;
    if (i == 0)
      CHECK(captured.waits_for("iket: whether a launch hangs cannot be told: nothing was read for 2.0 s"));
    else
      std::this_thread::sleep_for(2200ms);
    fake_cuda::end_hanging();
  }
  CHECK(lines_of(captured.text()) == 1);
}

TEST_CASE("with records in the host's memory, a thread that copies behind the kernel is in nobody's way") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(on_host());
  const captured_stderr captured(folder);
  const iket::watchdog watchdog(session, 100ms, folder / "hang.bin");
  const iket::tracer tracer = session.trace("hangs", 1, 32 * warps);
  fake_cuda::launch_hanging(nullptr, [tracer] { traced::run(tracer, marks, traced::stand::open); });
  copying_thread copying;
  CHECK(captured.waits_for("iket: where its warps stand is in '"));
  CHECK(lines_of(captured.text()) == 2);
  CHECK(launches_in(folder / "hang.bin") == "hangs ");
  fake_cuda::end_hanging();
}

TEST_CASE("a watchdog that is told to ends the process with its exit code, whatever becomes of the snapshot") {
  const clean_device clean;
  const scratch_folder folder;
  enum class snapshot { comes, fails, never_comes };
  const snapshot outcome = GENERATE(snapshot::comes, snapshot::fails, snapshot::never_comes);
  const std::string path = folder / (outcome == snapshot::fails ? "none/hang.bin" : "hang.bin");
  const pid_t child = in_child([&] {
    const captured_stderr captured(folder);
    iket::session session(small());
    const iket::watchdog watchdog(session, 50ms, path, iket::after_hang::exit_process);
    launch_and_hang(session, "hangs");
    std::optional<copying_thread> copying;
    if (outcome == snapshot::never_comes) copying.emplace();
    session.drain();
  });
  const int status = status_of(child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == iket::hang_exit_code);
  const std::string text = content_of(folder / "stderr");
  CAPTURE(text);
  CHECK(has(text, "iket: 'hangs' has not ended"));
  CHECK(lines_of(text) == 2);
  CHECK(has(text, "no snapshot could be taken") == (outcome != snapshot::comes));
  CHECK(std::filesystem::exists(path) == (outcome == snapshot::comes));
}
