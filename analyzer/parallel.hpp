// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Work that is spread over the machine's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace iket::analysis {

/// Threads of a program that sets no limit, where the process may run on so many cores: more of them would take memory
/// for little.
inline constexpr unsigned most_threads = 32;

/// What malloc takes from the system at a time for each thread [bytes], after `prepare_memory`.
inline constexpr int malloc_piece_bytes = 64 << 20;

/// Lets the program use at most `count` threads from now on; 0: as many as the process may run on, 32 at most, which it
/// does at first.
void limit_threads(unsigned count) noexcept;

/// How many threads `for_each_job` uses for so many jobs, the caller's among them; 1 at least.
[[nodiscard]] unsigned threads_for(std::size_t jobs) noexcept;

/// What one thread works with, apart in memory from what the next one does: neighbours would take cache lines from each
/// other with every write.
template <class Value>
struct alignas(128) of_thread {
  Value value{};
};

/// Makes malloc take memory from the system in large pieces and keep it. For programs whose threads fill memory:
/// growing it bit by bit, they would wait for each other in the kernel (a fifth of the time of a large trace). glibc
/// only.
void prepare_memory() noexcept;

/// Calls `job(number, thread)` once for each number below `count`, on several threads and in no order; `thread` is
/// below `threads_for(count)`, and no two calls with the same one run at a time. Returns when all are done.
///
/// What a job throws is thrown again, the one of the lowest number that ran; then later jobs may not have run. Where
/// the system gives no thread, those that there are do all.
void for_each_job(std::size_t count, const std::function<void(std::size_t number, unsigned thread)>& job);

}  // namespace iket::analysis
