// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel with which a session measures its own cost and clocks, what that kernel writes, and what follows from it.
/// Plain C++17, no CUDA header.
///
/// The kernel is PTX text, which the driver compiles for the GPU at hand: so the session needs no nvcc, and translation
/// units of g++ and of nvcc hold the same definitions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

constexpr u32 calibration_warps = 8;         // two for each scheduler of the SM, as in many a tuned kernel
constexpr u32 calibration_rounds = 5;        // the first one loads the code, and is not looked at
constexpr u32 calibration_turns = 16;        // of the loops with FMAs
constexpr u32 calibration_events = 4;        // a turn, each behind 64 dependent FMAs (about 256 cycles)
constexpr u32 calibration_burst_turns = 32;  // of the loop with the events back to back
constexpr u32 calibration_burst = 16;        // events a turn of it: the turn itself adds less than a cycle to each
constexpr u32 calibration_capacity = 1024;   // records of a ring, the session's default

/// What the kernel writes at the start of its memory. Cycles are those that a warp took for all turns of a loop.
struct calibration_measurements {
  struct round {
    u32 plain_cycles[calibration_warps];       ///< FMAs alone
    u32 arithmetic_cycles[calibration_warps];  ///< FMAs and events
    u32 burst_cycles[calibration_warps];       ///< events alone
  };
  round rounds[calibration_rounds];
  u32 sums[calibration_warps];  ///< what the FMAs came to: keeps them from being optimised away
  u64 first_ns;                 ///< %globaltimer when it was first seen to step
  u64 first_cycles;             ///< %clock64 then
  u64 last_ns;                  ///< the same for the last step that was seen
  u64 last_cycles;              ///<
  u32 step_ns;                  ///< the smallest step seen
  u32 steps;                    ///< steps seen between two reads, one directly behind the other
};
static_assert(sizeof(calibration_measurements) == 552, "the kernel's text has these offsets as numbers");

// The rings lie behind the measurements, from the next multiple of their size on.
constexpr std::size_t calibration_ring_bytes = std::size_t{calibration_capacity} * 8;
constexpr std::size_t calibration_bytes =
    sizeof(calibration_measurements) + calibration_ring_bytes * (calibration_warps + 1);

/// How an event holds back its clock: IKET_DETAIL_HOLD in device_store.cuh says why. Each is its first architecture.
enum class calibration_target { sm_75 = 75, sm_80 = 80, sm_90 = 90 };

/// The target whose event is that of code compiled for this compute capability; none before 7.5.
[[nodiscard]] inline std::optional<calibration_target> calibration_target_of(int compute_major, int compute_minor) {
  const int capability = compute_major * 10 + compute_minor;
  if (capability >= 90) return calibration_target::sm_90;
  if (capability >= 80) return calibration_target::sm_80;
  if (capability >= 75) return calibration_target::sm_75;
  return std::nullopt;
}

// The instructions of `ring_cursor::event` and, in their order, of `device_store::clock`.
inline constexpr char calibration_event[] = R"({
  .reg .pred on;
  .reg .u32 now_low, low, high, tag;
  mov.b64 {low, high}, at;
  setp.ne.u32 on, high, 0;
  lop3.b32 low, bytes, low, mask, 0xe4;
  mov.b64 at, {low, high};
  mov.u32 tag, 23;
  <hold>
  mov.u32 now_low, %clock;
  @on st.relaxed.sys.global.v2.u32 [at], {now_low, tag};
  add.u32 bytes, bytes, 8;
}
)";

inline constexpr char calibration_end[] = R"(mov.u64 end, %clock64;
  sub.u64 end, end, begin;
  cvt.u32.u64 cycles, end;
  @leader st.global.u32 [out], cycles;
  add.u64 out, out, 32;)";

// One CTA of 8 warps, which `calibration_ptx` makes whole: words in angle brackets stand for what it puts in.
//
// The count of bytes comes from a register that differs between lanes, as a recorder's does: ptxas would keep one that
// starts at a constant in a uniform register. The tag is an immediate, as a recorder's is.
//
// The timer's steps are looked for between two reads that follow each other directly: that tells a step's time to 24
// cycles (H200), and its size even where the whole loop takes longer than a step. The search ends after 200 us and 100
// steps, and at the latest after 2^23 cycles, should the timer stand still or step once a millisecond.
inline constexpr char calibration_text[] = R"(.version 8.0
.target <target>
.address_size 64
.visible .entry iket_calibration(
  .param .u64 memory_parameter, .param .u32 mask_parameter)
.maxntid 256, 1, 1
.pragma "nounroll";
{
  .reg .pred leader, again, edge, first;
  .reg .u32 warp, lane, mask, bytes, round, turn, cycles, step, steps, least, delta;
  .reg .u64 memory, offset, at, out, begin, end, before, after, now, first_ns, first_cycles, last_ns, last_cycles;
  .reg .f32 x;

  ld.param.u64 memory, [memory_parameter];
  ld.param.u32 mask, [mask_parameter];
  mov.u32 warp, %tid.x;
  and.b32 lane, warp, 31;
  shr.u32 warp, warp, 5;
  setp.eq.u32 leader, lane, 0;
  add.u64 at, memory, <rings_from>;
  and.b64 at, at, -<ring_bytes>;
  mul.wide.u32 offset, warp, <ring_bytes>;
  add.u64 at, at, offset;
  selp.u64 at, at, 0, leader;
  mul.wide.u32 offset, warp, 4;
  add.u64 out, memory, offset;
  cvt.rn.f32.u32 x, lane;
  shl.b32 bytes, lane, 3;
  mov.u32 round, 0;

next_round:
  <begin>
plain_loop:
  <plain>
  add.u32 turn, turn, 1;
  setp.lt.u32 again, turn, <turns>;
  @again bra plain_loop;
  <end>

  <begin>
arithmetic_loop:
  <arithmetic>
  add.u32 turn, turn, 1;
  setp.lt.u32 again, turn, <turns>;
  @again bra arithmetic_loop;
  <end>

  <begin>
burst_loop:
  <burst>
  add.u32 turn, turn, 1;
  setp.lt.u32 again, turn, <burst_turns>;
  @again bra burst_loop;
  <end>

  add.u32 round, round, 1;
  setp.lt.u32 again, round, <rounds>;
  @again bra next_round;
  @leader st.global.f32 [out], x;
  setp.ne.u32 again, warp, 0;
  @again bra done;

  mov.u32 step, 0xffffffff;
  mov.u32 steps, 0;
  mov.u64 begin, %clock64;
next_read:
  mov.u64 before, %globaltimer;
  mov.u64 after, %globaltimer;
  mov.u64 now, %clock64;
  setp.eq.u64 edge, before, after;
  @edge bra no_step;
  setp.eq.u32 first, steps, 0;
  selp.u64 first_ns, after, first_ns, first;
  selp.u64 first_cycles, now, first_cycles, first;
  mov.u64 last_ns, after;
  mov.u64 last_cycles, now;
  add.u32 steps, steps, 1;
  sub.u64 offset, after, before;
  cvt.u32.u64 delta, offset;
  min.u32 step, step, delta;
  mul.lo.u32 least, step, 100;
  max.u32 least, least, 200000;
  sub.u64 offset, after, first_ns;
  cvt.u32.u64 delta, offset;
  setp.ge.u32 again, delta, least;
  @again bra report;
no_step:
  sub.u64 offset, now, begin;
  setp.lt.u64 again, offset, 8388608;
  @again bra next_read;
report:
  @leader st.global.v2.u64 [memory + 512], {first_ns, first_cycles};
  @leader st.global.v2.u64 [memory + 528], {last_ns, last_cycles};
  @leader st.global.v2.u32 [memory + 544], {step, steps};
done:
  ret;
}
)";

/// Puts `value` in place of each `word`.
inline void replace_all(std::string& text, const std::string& word, const std::string& value) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
    text.replace(at, word.size(), value);
}

/// The kernel's text for GPUs of `target` and newer. Entry iket_calibration(memory, mask): one CTA of
/// 32 * `calibration_warps` threads, `calibration_bytes` of memory, and a recorder's mask.
[[nodiscard]] inline std::string calibration_ptx(calibration_target target) {
  std::string hold;
  if (target == calibration_target::sm_80) hold = "{ .reg .u32 lanes; activemask.b32 lanes; bar.warp.sync lanes; }";
  if (target == calibration_target::sm_90) hold = "fence.mbarrier_init.release.cluster;";
  std::string fmas, plain, arithmetic, burst;
  for (int i = 0; i < 64; ++i) fmas += "fma.rn.f32 x, x, x, x;\n";
  for (u32 i = 0; i < calibration_events; ++i) {
    plain += fmas;
    arithmetic += fmas + calibration_event;
  }
  for (u32 i = 0; i < calibration_burst; ++i) burst += calibration_event;

  std::string text = calibration_text;
  replace_all(text, "<plain>", plain);
  replace_all(text, "<arithmetic>", arithmetic);
  replace_all(text, "<burst>", burst);
  replace_all(text, "<begin>", "bar.sync 0;\n  <hold>\n  mov.u32 turn, 0;\n  mov.u64 begin, %clock64;");
  replace_all(text, "<end>", calibration_end);
  replace_all(text, "<hold>", hold);
  replace_all(text, "<target>", "sm_" + std::to_string(static_cast<int>(target)));
  replace_all(text, "<ring_bytes>", std::to_string(calibration_ring_bytes));
  replace_all(text, "<rings_from>", std::to_string(sizeof(calibration_measurements) + calibration_ring_bytes - 1));
  replace_all(text, "<turns>", std::to_string(calibration_turns));
  replace_all(text, "<burst_turns>", std::to_string(calibration_burst_turns));
  replace_all(text, "<rounds>", std::to_string(calibration_rounds));
  return text;
}

/// What was measured, in the file's units; `device` is left to the caller. Nothing where the timer did not step twice,
/// or where a clock rate or an event's cost comes out that no GPU has.
[[nodiscard]] inline std::optional<file::calibration_info> evaluate(const calibration_measurements& measured) {
  using round = calibration_measurements::round;
  // An interrupted round, or a store that had to wait, is a few of the 32 values: the median does not see it.
  const auto median = [&](const u32(round::*cycles)[calibration_warps]) {
    std::vector<u32> all;
    for (u32 i = 1; i < calibration_rounds; ++i)
      all.insert(all.end(), measured.rounds[i].*cycles, measured.rounds[i].*cycles + calibration_warps);
    std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
    return u64{all[all.size() / 2]};
  };
  const auto millicycles = [](u64 cycles, u64 events) {
    return static_cast<u32>(std::min<u64>(cycles * 1000 / events, ~u32{0}));
  };
  const u64 plain = median(&round::plain_cycles);
  const u64 arithmetic = median(&round::arithmetic_cycles);
  const u64 burst = median(&round::burst_cycles);
  if (measured.steps < 2) return std::nullopt;
  const u64 ns = measured.last_ns - measured.first_ns;
  const u64 cycles = measured.last_cycles - measured.first_cycles;
  constexpr u64 longest = u64{1} << 40;  // far beyond the kernel's own bound
  if (ns == 0 || ns > longest || cycles > longest) return std::nullopt;
  const u64 khz = (cycles * 1000000 + ns / 2) / ns;

  file::calibration_info info{};
  info.fixed_bytes = sizeof(info);
  // Where all of an event hides behind the arithmetic, chance can make the difference negative. 0 would say that it
  // was not measured.
  info.event_millicycles =
      std::max(1u, millicycles(arithmetic - std::min(plain, arithmetic), u64{calibration_turns} * calibration_events));
  info.event_burst_millicycles = millicycles(burst, u64{calibration_burst_turns} * calibration_burst);
  info.timer_tick_ns = measured.step_ns;
  info.sm_clock_khz = static_cast<u32>(std::min<u64>(khz, ~u32{0}));
  constexpr u32 least_khz = 10000, most_khz = 10000000, most_millicycles = 10000000;
  if (info.sm_clock_khz < least_khz || info.sm_clock_khz > most_khz || info.event_burst_millicycles == 0 ||
      info.event_burst_millicycles > most_millicycles || info.event_millicycles > most_millicycles)
    return std::nullopt;
  return info;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
