// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Notices kernels that hang.
#pragma once

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <iket/config.hpp>
#include <iket/detail/running_launches.hpp>
#include <iket/error.hpp>
#include <iket/session.hpp>

namespace iket {
inline namespace abi_1 {

/// What a watchdog does when it has told of a launch that hangs.
enum class after_hang {
  go_on,         ///< watches on
  exit_process,  ///< ends the process with `hang_exit_code`, by std::_Exit: no destructors, no flushing of streams
};

/// With which `after_hang::exit_process` ends the process: EX_SOFTWARE of sysexits.h.
constexpr int hang_exit_code = 70;

namespace detail {

/// The way of a watchdog into a session.
struct watch_access {
  template <class Session>
  static std::vector<running_launch> running(Session& session) {
    return session.running();
  }
};

/// Which launches run for too long. Without a clock of its own, so that tests can be exact.
class overdue_launches {
 public:
  using time = std::chrono::steady_clock::time_point;

  explicit overdue_launches(std::chrono::nanoseconds limit) : limit_(limit) {}

  struct overdue {
    std::string name;
    std::chrono::nanoseconds since;  ///< it was first seen to run
  };

  /// Of those that run `now`, those that do so for the limit or longer, each once. The clock of one begins when it is
  /// first seen, and again where it was not seen for once.
  [[nodiscard]] std::vector<overdue> look(const std::vector<running_launch>& running, time now) {
    std::map<launch_key, time> seen;
    std::vector<overdue> found;
    for (const running_launch& launch : running) {
      const auto before = first_seen_.find(launch.key);
      const time first = before == first_seen_.end() ? now : before->second;
      seen[launch.key] = first;
      if (now - first >= limit_ && told_.insert(launch.key).second) found.push_back({launch.name, now - first});
    }
    first_seen_ = std::move(seen);
    return found;
  }

 private:
  std::chrono::nanoseconds limit_;
  std::map<launch_key, time> first_seen_;  // of those that run
  std::set<launch_key> told_;
};

}  // namespace detail
}  // namespace abi_1

inline namespace IKET_DETAIL_ABI {

/// Watches a session's launches from a thread of its own. When one has not ended within `limit` after it began, the
/// watchdog takes a `session::snapshot` and says so on stderr, in one line that names the kernel, the file and how to
/// read it:
///
///     iket::session session;
///     iket::watchdog watchdog(session, 5s, "hang.bin");  // using namespace std::chrono_literals
///     kernel<<<grid, block>>>(arguments..., session.trace("kernel", grid, block));
///     session.write("trace.bin");  // hangs with the kernel; the watchdog does not
///
/// *When*: it looks every eighth of the limit, at least every 500 ms and at most every 5 ms, so it is late by up to two
/// such times. A launch of `iket::launch` begins and ends by its CUDA events. Others have begun when a warp of theirs
/// has made its recorder, and have ended when the stream that was named for them has nothing to do any more, or all
/// recorders that were made are closed: a kernel that hangs without an open recorder is seen by events alone. Once for
/// each launch; a later hang overwrites the file, with all that still runs.
///
/// *Cost*: a thread that sleeps; for each launch in flight a query of an event or a stream. For launches without events
/// whose stream is busy, or was not named, a copy of 128 bytes for each traced warp, over the session's own stream;
/// during it a `trace` of another thread waits. Nothing on the kernel's side. `iket::launch` is the cheap way.
///
/// *Errors*: throws nothing out of its thread. A snapshot that fails is told on stderr. It blocks all signals, which go
/// to the program's other threads.
///
/// *Lifetime*: declare it behind its session, so that it ends first. Its destructor waits for a snapshot that is being
/// taken, else for nothing. It does not end the kernel: the session's destructor, and the program's end by `return` or
/// `std::exit`, wait for a kernel that hangs for ever. `after_hang::exit_process` ends such a process, and with it the
/// kernel; what the session had drained and not written is lost then, and the streams of stdio are not flushed.
///
/// With glibc before 2.34, link with -pthread.
///
/// Under IKET_DISABLE there is no thread, and nothing is told.
class watchdog {
 public:
  /// @throws iket::error if `limit` is not positive; std::system_error if there can be no further thread
  watchdog(session& watched, std::chrono::nanoseconds limit, std::string path, after_hang then = after_hang::go_on)
      : session_(watched), limit_(limit), path_(std::move(path)), then_(then), overdue_(limit) {
    if (limit.count() <= 0) throw error("iket: the limit of a watchdog must be more than 0");
    if constexpr (IKET_ENABLED != 0) start();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    ending_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    const bool is_masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;  // the thread inherits it
    try {
      thread_ = std::thread([this] { watch(); });
    } catch (...) {
      if (is_masked) (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    if (is_masked) (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void watch() noexcept {
    using std::chrono::milliseconds;
    const std::chrono::nanoseconds pause =
        std::clamp<std::chrono::nanoseconds>(limit_ / 8, milliseconds(5), milliseconds(500));
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, pause, [this] { return is_ending_; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  }

  // What fails is tried again at the next look: the program's own calls tell of it.
  void look() noexcept {
    try {
      const auto running = detail::watch_access::running(session_);
      const auto found = overdue_.look(running, std::chrono::steady_clock::now());
      if (!found.empty()) tell(found);
    } catch (const std::exception&) {
    }
  }

  void tell(const std::vector<detail::overdue_launches::overdue>& found) {
    const std::string more = found.size() == 1 ? "" : " (and " + std::to_string(found.size() - 1) + " more)";
    std::string outcome = ": where its warps stand is in '" + path_ + "': iket-analyze " + path_;
    try {
      session_.snapshot(path_);
    } catch (const std::exception& failure) {
      outcome = std::string(", and no snapshot could be taken: ") + failure.what();
    }
    std::fprintf(stderr, "iket: '%s'%s has not ended %.1f s after it began%s\n", found.front().name.c_str(),
                 more.c_str(), std::chrono::duration<double>(found.front().since).count(), outcome.c_str());
    if (then_ == after_hang::exit_process) std::_Exit(hang_exit_code);
  }

  session& session_;
  std::chrono::nanoseconds limit_;
  std::string path_;
  after_hang then_;
  detail::overdue_launches overdue_;  // the thread's alone
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket
