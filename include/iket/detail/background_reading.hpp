// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Reads what only the driver can give in a thread of its own, so that nobody has to wait for a driver that does not
/// answer. Plain C++17, no CUDA header.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include <iket/detail/quiet_thread.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One reading at a time. What it has read can be taken before it has come to its end. The destructor waits for that,
/// as the thread uses what the session has.
class background_reading {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// What was read since it was taken last.
  struct findings {
    std::vector<site_content> sites;
    std::vector<file::host_clock_pair> clock_pairs;
  };

  /// Runs `read(*this)` in a thread, which calls `add` for what it finds; what it throws ends it. None must be under
  /// way. False where the system gives no thread.
  template <class Read>
  [[nodiscard]] bool start(Read read) {
    thread_.join();
    set_under_way(true);
    try {
      thread_.start([this, read = std::move(read)]() noexcept {
        try {
          read(*this);
        } catch (const std::exception&) {  // host memory ran out: there is less
        }
        set_under_way(false);
      });
    } catch (const std::exception&) {
      set_under_way(false);
      return false;
    }
    return true;
  }

  void add(site_content site) {
    const std::lock_guard lock(mutex_);
    found_.sites.push_back(std::move(site));
  }
  void add(const std::vector<file::host_clock_pair>& pairs) {
    const std::lock_guard lock(mutex_);
    found_.clock_pairs.insert(found_.clock_pairs.end(), pairs.begin(), pairs.end());
  }

  /// Waits until none is under way, or until `deadline`; whether none is.
  [[nodiscard]] bool wait_until(time deadline) {
    std::unique_lock lock(mutex_);
    return ended_.wait_until(lock, deadline, [this] { return !is_under_way_; });
  }
  /// Waits until none is under way. Not beside `start`. Nothing is in a process that was forked meanwhile.
  void wait() { thread_.join(); }

  [[nodiscard]] findings take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(found_, {});
  }

 private:
  void set_under_way(bool is_under_way) {
    const std::lock_guard lock(mutex_);
    is_under_way_ = is_under_way;
    ended_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_under_way_ = false;
  findings found_;
  quiet_thread thread_;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
