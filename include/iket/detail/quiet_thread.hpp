// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Threads of the library's own. Plain C++17, no CUDA header.
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <new>
#include <thread>
#include <utility>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A thread, or none, that takes no signals: they go to the program's own threads.
///
/// With glibc before 2.34, a program that starts one links with -pthread.
class quiet_thread {
 public:
  quiet_thread() = default;
  quiet_thread(const quiet_thread&) = delete;
  quiet_thread& operator=(const quiet_thread&) = delete;
  ~quiet_thread() { join(); }

  /// Runs `body`, which throws nothing, in a thread. There must be none.
  /// @throws std::system_error where the system gives no thread
  template <class Body>
  void start(Body body) {
    sigset_t all, before;
    sigfillset(&all);
    const bool is_masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;  // the thread inherits it
    try {
      thread_ = std::thread(std::move(body));
      process_ = getpid();
    } catch (...) {
      if (is_masked) (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    if (is_masked) (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// Waits for its end. In a process that was forked meanwhile there is no such thread, and nothing to wait for.
  void join() {
    if (!thread_.joinable()) return;
    if (getpid() == process_) {
      thread_.join();
      return;
    }
    // Over the old one, which is not destroyed: its handle is the parent's, and may be that of another thread here.
    new (static_cast<void*>(&thread_)) std::thread();
  }

 private:
  std::thread thread_;
  pid_t process_ = 0;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
