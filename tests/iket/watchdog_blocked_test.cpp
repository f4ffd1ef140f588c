// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The watchdog where the driver does not answer, over a fake CUDA runtime.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <iket/detail/hang_watch.hpp>
#include <iket/detail/running_launches.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/error.hpp>
#include <iket/session.hpp>
#include <iket/session_options.hpp>
#include <iket/watchdog.hpp>

#include "captured_stderr.hpp"
#include "catch.hpp"
#include "child_process.hpp"
#include "fake_cuda.hpp"
#include "scratch_folder.hpp"
#include "session_helpers.hpp"
#include "traced_kernel.hpp"

using namespace std::chrono_literals;

namespace {

/// A session with one launch that hangs, and in which a watchdog comes no further than to one place, until `go_on`.
class stuck_session {
 public:
  enum class place { looking, waiting, copying };

  stuck_session(place at, iket::storage storage) : at_(at) { options_.storage = storage; }

  void go_on() {
    const std::lock_guard lock(mutex_);
    goes_on_ = true;
    changed_.notify_all();
  }

 private:
  friend iket::detail::watch_access;

  std::vector<iket::detail::running_launch> running() {
    come_to(place::looking);
    return {{{0, 0, 0}, "hangs"}};
  }
  template <class Begin>
  iket::detail::trace_content content_of_snapshot(Begin begin) {
    come_to(place::waiting);
    begin();
    come_to(place::copying);
    throw iket::error("iket: none");
  }
  void come_to(place at) {
    std::unique_lock lock(mutex_);
    if (at == at_) changed_.wait(lock, [this] { return goes_on_; });
  }

  iket::session_options options_ = small();
  const place at_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool goes_on_ = false;
};

/// What stands before and behind the time in the line that a watchdog then says.
std::string told_of(stuck_session::place at, iket::storage storage) {
  const std::string call = "another call of the session may be at work";
  const std::string copying =
      "a thread may be inside cudaMemcpy, cudaMalloc, cudaFree or a launch behind the kernel, and the driver lets "
      "nobody "
      "else copy meanwhile. Call cudaStreamSynchronize before that, or use iket::storage::host (docs/host.md)";
  std::string line = at == stuck_session::place::looking
                         ? "iket: whether a launch hangs cannot be told: nothing was read for 2.0 s: "
                         : "iket: no snapshot could be taken: nothing was copied for 2.0 s: ";
  if (at != stuck_session::place::copying)
    line += storage == iket::storage::host ? call : call + ", or " + copying;
  else
    line += storage == iket::storage::host ? "the driver may not answer" : copying;
  return line + "\n";
}

}  // namespace

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

TEST_CASE("what may be in the way is told for where the watchdog stands, and no advice that is followed already") {
  const scratch_folder folder;
  std::list<stuck_session> sessions;
  std::list<iket::detail::hang_watch<stuck_session>> watches;
  std::vector<std::string> expected;
  for (const stuck_session::place at :
       {stuck_session::place::looking, stuck_session::place::waiting, stuck_session::place::copying})
    for (const iket::storage storage : {iket::storage::device, iket::storage::host}) {
      sessions.emplace_back(at, storage);
      expected.push_back(told_of(at, storage));
    }
  const captured_stderr captured(folder);
  for (stuck_session& session : sessions) watches.emplace_back(session, 20ms, folder / "hang.bin", std::nullopt);
  for (const std::string& line : expected) {
    CAPTURE(line);
    CHECK(captured.waits_for(line));
  }
  CHECK(lines_of(captured.text()) == expected.size() + 4);  // four launches that hang
  for (stuck_session& session : sessions) session.go_on();
  watches.clear();
}

#if FORKS_BESIDE_THREADS
TEST_CASE("in a process that was forked, a watchdog ends at once, and the parent's watches on") {
  const clean_device clean;
  const scratch_folder folder;
  iket::session session(small());
  const captured_stderr captured(folder);
  auto watchdog = std::make_unique<iket::watchdog>(session, 100ms, folder / "hang.bin");
  std::this_thread::sleep_for(50ms);
  const pid_t child = in_child([&] {
    alarm(10);
    watchdog.reset();
    // Another program: valgrind would miss in this one what threads that are not there would have freed.
    execl("/bin/true", "true", nullptr);
  });
  CHECK(status_of(child) == 0);
  launch_and_hang(session, "hangs");
  CHECK(captured.waits_for("iket: where its warps stand is in '"));
  fake_cuda::end_hanging();
}
#endif

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
  CHECK(has(text, "\niket: the process ends, with exit code 70\n"));
  CHECK(lines_of(text) == 3);
  CHECK_FALSE(has(text, "write()"));  // there will be none
  CHECK(has(text, "no snapshot could be taken") == (outcome != snapshot::comes));
  CHECK(std::filesystem::exists(path) == (outcome == snapshot::comes));
}
