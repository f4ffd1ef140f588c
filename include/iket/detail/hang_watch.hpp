// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The two threads of a watchdog.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <iket/detail/quiet_thread.hpp>
#include <iket/detail/running_launches.hpp>
#include <iket/detail/shell_word.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/watch_times.hpp>
#include <iket/detail/write_trace.hpp>
#include <iket/session_options.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The way of a watchdog into a session.
struct watch_access {
  template <class Session>
  static std::vector<running_launch> running(Session& session) {
    return session.running();
  }
  /// Calls `begin` when no other call of the session is in the way any more.
  template <class Session, class Begin>
  static trace_content snapshot(Session& session, Begin begin) {
    return session.content_of_snapshot(begin);
  }
  template <class Session>
  static std::size_t memory_bytes(const Session& session) {
    return session.options_.memory_limit;
  }
  template <class Session>
  static bool is_on_host(const Session& session) {
    return session.options_.storage == storage::host;
  }
};

/// One thread looks at a session, and takes the snapshots; the driver may keep it waiting for as long as a kernel
/// hangs. The other one asks nobody, sees how long the first one takes, and says what is in its way.
template <class Session>
class hang_watch {
 public:
  /// Ends the process with `exit_code`, where there is one, when it has told of a launch that hangs.
  /// @throws std::system_error if there can be no further threads
  hang_watch(Session& session, std::chrono::nanoseconds limit, std::string path, std::optional<int> exit_code)
      : session_(session),
        path_(std::move(path)),
        exit_code_(exit_code),
        is_on_host_(watch_access::is_on_host(session)),
        pause_(std::clamp<std::chrono::nanoseconds>(limit / 8, std::chrono::milliseconds(5),
                                                    std::chrono::milliseconds(500))),
        overdue_(limit),
        tries_(exit_code.has_value() ? 3 : 16),
        timer_(limit, watch_access::memory_bytes(session)) {
    try {
      timing_.start([this] { keep_time(); });
      looking_.start([this] { watch(); });
    } catch (...) {
      end();
      throw;
    }
  }
  hang_watch(const hang_watch&) = delete;
  hang_watch& operator=(const hang_watch&) = delete;
  ~hang_watch() { end(); }

 private:
  // What is in the way is told until the looking thread has come back.
  void end() {
    set(is_ending_);
    looking_.join();
    set(has_ended_);
    timing_.join();
  }

  void set(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    ending_.notify_all();
  }

  void watch() noexcept {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, pause_, [this] { return is_ending_; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  }

  // What fails is tried again at the next look: the program's own calls tell of it.
  void look() noexcept {
    try {
      begin(watch_step::looking);
      const std::vector<running_launch> running = watch_access::running(session_);
      end_step();
      if (const auto found = overdue_.look(running, std::chrono::steady_clock::now()); !found.empty()) {
        tell(found);
        tries_.begin();
      } else if (!overdue_.is_any_left()) {
        tries_.end();
      }
      if (tries_.is_due()) take_snapshot();
    } catch (const std::exception&) {
      end_step();
    }
  }

  // Before the snapshot, which may never come.
  void tell(const std::vector<overdue_launches::overdue>& found) {
    const std::string more = found.size() == 1 ? "" : " (and " + std::to_string(found.size() - 1) + " more)";
    std::fprintf(stderr, "iket: '%s'%s has not ended %.1f s after it began\n", found.front().name.c_str(), more.c_str(),
                 std::chrono::duration<double>(found.front().since).count());
  }

  void take_snapshot() {
    try {
      begin(watch_step::waiting);
      const trace_content content = watch_access::snapshot(session_, [this] { begin(watch_step::copying); });
      begin(watch_step::writing);
      write_trace(content, path_);
      end_step();
      tries_.end();
      std::fprintf(stderr, "iket: where its warps stand is in '%s': iket-analyze %s\n", path_.c_str(),
                   shell_word(path_).c_str());
    } catch (const std::exception& failure) {
      end_step();
      if (tries_.fail()) std::fprintf(stderr, "iket: no snapshot could be taken: %s\n", without_prefix(failure.what()));
    }
    if (tries_.is_over()) end_process();
  }

  // Where that was asked for.
  void end_process() const {
    if (!exit_code_.has_value()) return;
    std::fprintf(stderr, "iket: the process ends, with exit code %d\n", *exit_code_);
    std::_Exit(*exit_code_);
  }

  [[nodiscard]] static const char* without_prefix(const char* text) {
    return std::string(text).rfind("iket: ", 0) == 0 ? text + 6 : text;
  }

  void begin(watch_step step) {
    const std::lock_guard lock(mutex_);
    timer_.begin(step, std::chrono::steady_clock::now());
  }
  void end_step() {
    const std::lock_guard lock(mutex_);
    timer_.end();
  }

  void keep_time() noexcept {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, pause_, [this] { return has_ended_; })) {
      const watch_step step = timer_.overrun(std::chrono::steady_clock::now());
      if (step == watch_step::none) continue;
      tell_overrun(step);
      // With the lock, so that a file that was just begun is not cut off. Where only looking takes so long, it may be
      // that nothing hangs.
      if (step != watch_step::looking) end_process();
    }
  }

  void tell_overrun(watch_step step) const {
    const double bound_s = std::chrono::duration<double>(timer_.bound(step)).count();
    if (step == watch_step::writing) {
      std::fprintf(stderr, "iket: no snapshot could be taken: '%s' is not written after %.1f s\n", path_.c_str(),
                   bound_s);
      return;
    }
    const char* const what = step == watch_step::looking ? "whether a launch hangs cannot be told: nothing was read for"
                                                         : "no snapshot could be taken: nothing was copied for";
    std::fprintf(stderr, "iket: %s %.1f s: %s\n", what, bound_s, cause_of(step).c_str());
  }

  // Only waiting and looking wait for the session's other calls.
  [[nodiscard]] std::string cause_of(watch_step step) const {
    const std::string call = "another call of the session may be at work";
    if (is_on_host_) return step == watch_step::copying ? "the driver may not answer" : call;
    return (step == watch_step::copying ? "" : call + ", or ") +
           "a thread may be inside cudaMemcpy, cudaMalloc, cudaFree or a launch behind the kernel, and the driver lets "
           "nobody else copy meanwhile. Call cudaStreamSynchronize before that, or use iket::storage::host "
           "(docs/host.md)";
  }

  Session& session_;
  const std::string path_;
  const std::optional<int> exit_code_;
  const bool is_on_host_;
  const std::chrono::nanoseconds pause_;  // between two looks
  overdue_launches overdue_;              // these two are the looking thread's alone
  snapshot_tries tries_;
  std::mutex mutex_;  // guards all below
  std::condition_variable ending_;
  step_timer timer_;
  bool is_ending_ = false;
  bool has_ended_ = false;
  quiet_thread timing_, looking_;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
