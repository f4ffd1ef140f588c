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

#include <iket/detail/maker_only.hpp>
#include <iket/detail/quiet_thread.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One reading at a time. What it has read can be taken before it has come to its end. The destructor waits for that,
/// as the thread uses what the session has. In a process that was forked meanwhile none is under way, none can be
/// started, and nothing was read.
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
    shared* const of = shared_.get();
    if (of == nullptr) return false;
    of->thread.join();
    of->set_under_way(true);
    try {
      of->thread.start([this, of, read = std::move(read)]() noexcept {
        try {
          read(*this);
        } catch (const std::exception&) {  // host memory ran out: there is less
        }
        of->set_under_way(false);
      });
    } catch (const std::exception&) {
      of->set_under_way(false);
      return false;
    }
    return true;
  }

  void add(site_content site) {
    shared* const of = shared_.get();
    if (of == nullptr) return;
    const std::lock_guard lock(of->mutex);
    of->found.sites.push_back(std::move(site));
  }
  void add(const std::vector<file::host_clock_pair>& pairs) {
    shared* const of = shared_.get();
    if (of == nullptr) return;
    const std::lock_guard lock(of->mutex);
    of->found.clock_pairs.insert(of->found.clock_pairs.end(), pairs.begin(), pairs.end());
  }

  /// Waits until none is under way, or until `deadline`; whether none is. Then its thread has gone. Not beside `start`.
  [[nodiscard]] bool wait_until(time deadline) {
    shared* const of = shared_.get();
    if (of == nullptr) return true;
    {
      std::unique_lock lock(of->mutex);
      if (!of->ended.wait_until(lock, deadline, [of] { return !of->is_under_way; })) return false;
    }
    of->thread.join();
    return true;
  }
  /// Whether one is. Not beside `start`.
  [[nodiscard]] bool is_under_way() { return !wait_until(time{}); }
  /// Waits until none is under way. Not beside `start`.
  void wait() {
    if (shared* const of = shared_.get(); of != nullptr) of->thread.join();
  }

  [[nodiscard]] findings take() {
    shared* const of = shared_.get();
    if (of == nullptr) return {};
    const std::lock_guard lock(of->mutex);
    return std::exchange(of->found, {});
  }

 private:
  struct shared {
    void set_under_way(bool is) {
      const std::lock_guard lock(mutex);
      is_under_way = is;
      ended.notify_all();
    }

    std::mutex mutex;
    std::condition_variable ended;
    bool is_under_way = false;
    findings found;
    quiet_thread thread;
  };

  maker_only<shared> shared_{std::in_place};
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
