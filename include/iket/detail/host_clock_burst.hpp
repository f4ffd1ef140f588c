// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The host's half of reading a device's timer: its clocks, its questions, and which answers are kept. Plain C++17, no
/// CUDA header.
#pragma once

#include <time.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <iket/detail/host_clock_ptx.hpp>
#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Readings that are kept of one burst.
constexpr u32 host_clock_kept = 4;

/// Readings that a session keeps at most (128 KiB).
constexpr std::size_t host_clock_pairs_at_most = 4096;

/// How long the host waits for the end of a kernel that has given its last answer [ns].
constexpr u64 host_clock_end_ns = 1'000'000;

/// How long the host waits for all answers of a burst [ns]: far more than they take, unless the GPU is occupied.
constexpr u64 host_clock_patience_ns = 10'000'000;

[[nodiscard]] inline u64 read_clock_ns(clockid_t clock) noexcept {
  timespec now{};
  (void)clock_gettime(clock, &now);
  return static_cast<u64>(now.tv_sec) * 1'000'000'000 + static_cast<u64>(now.tv_nsec);
}

/// The host's clock in a trace [ns]. CLOCK_MONOTONIC: the same for all processes of one boot, and it never steps, as
/// the time of day may. What disciplines that one (NTP) turns both by some parts per million.
[[nodiscard]] inline u64 host_clock_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

/// CLOCK_REALTIME less CLOCK_MONOTONIC [ns], to half the time of two readings: some 20 ns, of the best of a few.
[[nodiscard]] inline i64 realtime_offset_ns() noexcept {
  i64 offset = 0;
  u64 least = ~u64{0};
  for (int i = 0; i < 4; ++i) {
    const u64 before = host_clock_ns();
    const u64 realtime = read_clock_ns(CLOCK_REALTIME);
    const u64 took = host_clock_ns() - before;
    if (took >= least) continue;
    least = took;
    offset = static_cast<i64>(realtime - before - took / 2);
  }
  return offset;
}

/// The 16 bytes of "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; zero where `text` is something else.
[[nodiscard]] inline std::array<u8, 16> uuid_bytes(const char* text) noexcept {
  std::array<u8, 16> bytes{};
  std::size_t digits = 0;
  for (; *text != '\0' && *text != '\n'; ++text) {
    if (*text == '-') continue;
    const char* const hex = "0123456789abcdef";
    const char* const digit = std::strchr(hex, *text);
    if (digit == nullptr || digits == 2 * bytes.size()) return {};
    u8& byte = bytes[digits++ / 2];
    byte = static_cast<u8>(u32{byte} * 16 + static_cast<u32>(digit - hex));
  }
  if (digits != 2 * bytes.size()) return {};
  return bytes;
}

/// Which boot of which host this is: of two files with the same, the host clock is the same. Zero where unknown. A
/// container has that of its host; a time namespace, which may shift CLOCK_MONOTONIC, does not show in it.
[[nodiscard]] inline std::array<u8, 16> boot_id() noexcept {
  std::FILE* const from = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (from == nullptr) return {};
  char text[64] = {};
  const bool is_read = std::fgets(text, sizeof(text), from) != nullptr;
  (void)std::fclose(from);
  if (!is_read) return {};
  return uuid_bytes(text);
}

/// Answers of one run of the kernel.
struct host_clock_burst {
  std::array<file::host_clock_pair, host_clock_rounds> pairs{};
  u32 answered = 0;  ///< pairs that there are
};

/// Asks round after round. Ends after the last one, or when `patience_ns` are over; then the kernel is cancelled, so
/// that it ends as soon as it runs, even if that is later. Allocates nothing.
///
/// The clock is read before the question is stored and after the answer was seen, and the kernel reads the timer after
/// it saw the question and before it answers: so the timer was read in between. What detains either side makes that
/// longer, never wrong.
[[nodiscard]] inline host_clock_burst ask(host_clock_mailbox& mailbox, u64 patience_ns) noexcept {
  host_clock_burst burst;
  const u64 begin_ns = host_clock_ns();
  for (u32 round = 1; round <= host_clock_rounds; ++round) {
    const std::atomic<u64>& answer = mailbox.answers[round - 1];
    file::host_clock_pair& pair = burst.pairs[burst.answered];
    pair.host_before_ns = host_clock_ns();
    mailbox.question.store(round, std::memory_order_release);
    u64 timer_ns = answer.load(std::memory_order_acquire);
    while (timer_ns == 0 && host_clock_ns() - begin_ns < patience_ns) timer_ns = answer.load(std::memory_order_acquire);
    if (timer_ns == 0) break;
    pair.host_after_ns = host_clock_ns();
    pair.globaltimer_ns = timer_ns;
    ++burst.answered;
  }
  mailbox.question.store(host_clock_cancel, std::memory_order_release);
  return burst;
}

/// The shortest bracket of each quarter of the burst, in order; of the part of the burst that there is.
[[nodiscard]] inline std::vector<file::host_clock_pair> tightest(const host_clock_burst& burst) {
  std::vector<file::host_clock_pair> kept;
  for (u32 part = 0; part < host_clock_kept; ++part) {
    const u32 first = burst.answered * part / host_clock_kept;
    const u32 last = burst.answered * (part + 1) / host_clock_kept;
    if (first == last) continue;
    const auto width_ns = [&](u32 i) { return burst.pairs[i].host_after_ns - burst.pairs[i].host_before_ns; };
    u32 best = first;
    for (u32 i = first + 1; i < last; ++i)
      if (width_ns(i) < width_ns(best)) best = i;
    kept.push_back(burst.pairs[best]);
  }
  return kept;
}

/// Appends a burst. Beyond `at_most` pairs every second burst goes first, but never the first one of all: what is far
/// back has to tell of the clocks' rates only.
inline void append(std::vector<file::host_clock_pair>& pairs, const std::vector<file::host_clock_pair>& burst,
                   std::size_t at_most = host_clock_pairs_at_most) {
  if (pairs.size() + burst.size() > at_most) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (i / host_clock_kept % 2 == 0) pairs[left++] = pairs[i];
    pairs.resize(left);
  }
  pairs.insert(pairs.end(), burst.begin(), burst.end());
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
