// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel that tells the host what the device's timer shows, and the memory over which the two speak. Plain C++17,
/// no CUDA header.
#pragma once

#include <atomic>
#include <cstddef>

#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Questions of a run. One takes some microseconds, since question and answer each cross PCIe; of so many, some are
/// answered without a detour.
constexpr u32 host_clock_rounds = 64;

/// What the host asks for to end the kernel: more than any round.
constexpr u32 host_clock_cancel = 0xFFFFFFFF;

/// Pinned memory of the host that the device sees. The two sides write into cache lines of their own.
///
/// Each round has a place of its own for its answer, which is 0 before the kernel starts and written once: one store of
/// 8 bytes is the whole answer, so nothing has to be ordered with it, and no answer can be taken for that of another
/// round.
struct host_clock_mailbox {
  std::atomic<u32> question{0};                                ///< the round that the host asks for, from 1 on
  alignas(128) std::atomic<u64> answers[host_clock_rounds]{};  ///< %globaltimer [ns] of each round; 0: none yet

  /// As before a run. No kernel may be running.
  void clear() noexcept {
    question.store(0, std::memory_order_relaxed);
    for (std::atomic<u64>& answer : answers) answer.store(0, std::memory_order_relaxed);
  }
};
static_assert(sizeof(std::atomic<u32>) == 4 && sizeof(std::atomic<u64>) == 8, "the device knows no std::atomic");
static_assert(offsetof(host_clock_mailbox, answers) == 128, "the kernel's text has this offset as a number");

// One thread: entry iket_host_clock(mailbox). Ends after the last round, when the host cancels, or when no new question
// came for 2^24 cycles: about 10 ms, and even at the lowest clock of an idle GPU (about 0.2 GHz) below 0.1 s. It is the
// SM's clock that bounds it, so that %globaltimer is read in one place only, behind the branch that waits for the
// question: two reads that the compiler could make one would perhaps be made before the question was there.
inline constexpr char host_clock_ptx[] = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry iket_host_clock(
  .param .u64 mailbox_parameter)
.maxntid 1, 1, 1
.pragma "nounroll";
{
  .reg .pred is_asked, is_over, again;
  .reg .u32 asked, round;
  .reg .u64 mailbox, answer, since, waited, now;

  ld.param.u64 mailbox, [mailbox_parameter];
  add.u64 answer, mailbox, 128;
  mov.u32 round, 1;
next_round:
  mov.u64 since, %clock64;
wait:
  ld.relaxed.sys.global.u32 asked, [mailbox];
  setp.eq.u32 is_asked, asked, round;
  @is_asked bra reply;
  setp.eq.u32 is_over, asked, 0xffffffff;
  @is_over bra done;
  mov.u64 waited, %clock64;
  sub.u64 waited, waited, since;
  setp.lt.u64 again, waited, 16777216;
  @again bra wait;
  bra done;
reply:
  mov.u64 now, %globaltimer;
  st.relaxed.sys.global.u64 [answer], now;
  add.u64 answer, answer, 8;
  add.u32 round, round, 1;
  setp.le.u32 again, round, 64;
  @again bra next_round;
done:
  ret;
}
)";
static_assert(host_clock_rounds == 64, "the kernel's text has the number of rounds");

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
