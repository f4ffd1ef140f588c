// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Work on many things that have nothing to do with each other, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace iket::analysis {

/// Calls `work(worker, i)` once for each i below `count`, on as many threads as there are workers, each with its own;
/// with one worker, or one thing to do, on this thread. Which worker gets which i is left open: what the workers gather
/// must not depend on it. Throws what `work` throws.
template <class Worker, class Work>
void for_each_parallel(std::vector<Worker>& workers, std::size_t count, const Work& work) {
  constexpr std::size_t at_once = 4;  // few enough that the last thread to end is not late
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(workers.size());
  const auto run = [&](std::size_t number) {
    try {
      for (std::size_t first = next.fetch_add(at_once); first < count; first = next.fetch_add(at_once))
        for (std::size_t i = first; i < std::min(first + at_once, count); ++i) work(workers[number], i);
    } catch (...) {
      failures[number] = std::current_exception();
      next = count;
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t number = 1; number < workers.size() && number * at_once < count; ++number)
    threads.emplace_back(run, number);
  run(0);
  threads.clear();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Threads that the machine runs at once, 1 to 16.
[[nodiscard]] inline unsigned hardware_threads() { return std::clamp(std::thread::hardware_concurrency(), 1u, 16u); }

}  // namespace iket::analysis
