// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace iket::analysis {
namespace {

std::atomic<unsigned> thread_limit{0};

/// Jobs that several threads take one by one.
class job_queue {
 public:
  job_queue(std::size_t count, const std::function<void(std::size_t, unsigned)>& job) : count_(count), job_(job) {}

  void work(unsigned thread) noexcept {
    while (!failed_.load(std::memory_order_relaxed)) {
      const std::size_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= count_) return;
      try {
        job_(number, thread);
      } catch (...) {
        note_failure(number);
      }
    }
  }

  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void note_failure(std::size_t number) noexcept {
    const std::lock_guard lock(mutex_);
    if (failure_ == nullptr || number < failed_number_) {
      failure_ = std::current_exception();
      failed_number_ = number;
    }
    failed_.store(true, std::memory_order_relaxed);
  }

  std::size_t count_;
  const std::function<void(std::size_t, unsigned)>& job_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_number_ = 0;
};

}  // namespace

void limit_threads(unsigned count) noexcept { thread_limit = count; }

unsigned threads_for(std::size_t jobs) noexcept {
  const unsigned limit = thread_limit;
  const unsigned most = limit != 0 ? limit : std::clamp(std::thread::hardware_concurrency(), 1u, most_threads);
  return static_cast<unsigned>(std::clamp<std::size_t>(jobs, 1, most));
}

void prepare_memory() noexcept {
#if defined(__GLIBC__)
  mallopt(M_TOP_PAD, malloc_piece_bytes);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

void for_each_job(std::size_t count, const std::function<void(std::size_t number, unsigned thread)>& job) {
  job_queue queue(count, job);
  std::vector<std::thread> threads;
  const unsigned wanted = threads_for(count);
  threads.reserve(wanted - 1);
  for (unsigned thread = 1; thread < wanted; ++thread) {
    try {
      threads.emplace_back([&queue, thread] { queue.work(thread); });
    } catch (const std::system_error&) {
      break;
    }
  }
  queue.work(0);
  for (std::thread& thread : threads) thread.join();
  queue.rethrow();
}

}  // namespace iket::analysis
