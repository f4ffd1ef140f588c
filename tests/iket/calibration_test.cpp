// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// From what the calibration kernel measured to what the file states; and that kernel's text. ptxas and a GPU try the
// text itself: tests/compile/calibration_sass, tests/gpu/calibration_test.cu.
#include <iket/detail/calibration_ptx.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "catch.hpp"

using namespace iket::detail;

namespace {

/// Loops of so many cycles, and a clock of `ghz` over 200 us of a timer that ticks every 32 ns.
calibration_measurements measured(std::uint32_t plain, std::uint32_t arithmetic, std::uint32_t burst, double ghz) {
  calibration_measurements made{};
  for (auto& round : made.rounds)
    for (std::size_t warp = 0; warp < calibration_warps; ++warp) {
      round.plain_cycles[warp] = plain;
      round.arithmetic_cycles[warp] = arithmetic;
      round.burst_cycles[warp] = burst;
    }
  made.first_ns = 1'700'000'000'000'000'032;
  made.last_ns = made.first_ns + 200'000;
  made.first_cycles = 123'456'789'012;
  made.last_cycles = made.first_cycles + static_cast<std::uint64_t>(ghz * 200'000 + 0.5);
  made.step_ns = 32;
  made.steps = 1900;
  return made;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("figures follow from the loops' cycles and the timer's steps") {
  const auto info = evaluate(measured(64 * 262, 64 * 272 + 26, 512 * 20, 1.98));
  REQUIRE(info.has_value());
  CHECK(info->fixed_bytes == 32);
  CHECK(info->device == 0);
  CHECK(info->event_millicycles == 10406);
  CHECK(info->event_burst_millicycles == 20000);
  CHECK(info->timer_tick_ns == 32);
  CHECK(info->sm_clock_khz == 1980000);
  CHECK(info->reserved[0] == 0);
  CHECK(info->reserved[1] == 0);
}

TEST_CASE("neither the first round nor a few interrupted warps count") {
  calibration_measurements made = measured(64 * 262, 64 * 272, 512 * 20, 1.98);
  for (std::size_t warp = 0; warp < calibration_warps; ++warp) {
    made.rounds[0].plain_cycles[warp] = 50000;
    made.rounds[0].burst_cycles[warp] = 90000;
    made.rounds[2].arithmetic_cycles[warp] = 4000000000;
  }
  made.rounds[3].plain_cycles[5] = 100000;
  made.rounds[4].burst_cycles[0] = 1;
  const auto info = evaluate(made);
  REQUIRE(info.has_value());
  CHECK(info->event_millicycles == 10000);
  CHECK(info->event_burst_millicycles == 20000);
}

TEST_CASE("an event that hides behind the arithmetic costs next to nothing, which is not \"not measured\"") {
  const auto info = evaluate(measured(64 * 262, 64 * 262 - 5, 512 * 20, 1.98));
  REQUIRE(info.has_value());
  CHECK(info->event_millicycles == 1);
}

TEST_CASE("a rate is rounded, and may come from a slow clock or a timer that ticks every microsecond") {
  calibration_measurements made = measured(64 * 262, 64 * 272, 512 * 20, 0.21);
  made.first_ns = 1000;
  made.last_ns = 1000 + 300'032;
  made.last_cycles = made.first_cycles + 63'007;
  made.step_ns = 1024;
  made.steps = 2;
  const auto info = evaluate(made);
  REQUIRE(info.has_value());
  CHECK(info->sm_clock_khz == 210001);  // 63007 / 300032 = 0.21000093
  CHECK(info->timer_tick_ns == 1024);
}

TEST_CASE("what no GPU can have measured is no calibration") {
  const calibration_measurements good = measured(64 * 262, 64 * 272, 512 * 20, 1.98);
  REQUIRE(evaluate(good).has_value());
  calibration_measurements made = good;
  SECTION("nothing was measured") { made = {}; }
  SECTION("the timer stood still") {
    made.steps = 0;
    made.step_ns = 0xFFFFFFFF;
  }
  SECTION("the timer stepped once") {
    made.steps = 1;
    made.last_ns = made.first_ns;
    made.last_cycles = made.first_cycles;
  }
  SECTION("two steps at one time") { made.last_ns = made.first_ns; }
  SECTION("the timer went back") { made.last_ns = made.first_ns - 200'000; }
  SECTION("the clock went back") { made.last_cycles = made.first_cycles - 1; }
  SECTION("the clock stood still") { made.last_cycles = made.first_cycles; }
  SECTION("a rate of 20 GHz") { made.last_cycles = made.first_cycles + 4'000'000; }
  SECTION("all bits set") {
    made.last_cycles = std::numeric_limits<std::uint64_t>::max();
    made.last_ns = std::numeric_limits<std::uint64_t>::max();
  }
  SECTION("events for nothing") { made = measured(64 * 262, 64 * 272, 0, 1.98); }
  SECTION("events for millions of cycles") { made = measured(0, 0xFFFFFFFF, 512 * 20, 1.98); }
  CHECK_FALSE(evaluate(made).has_value());
}

TEST_CASE("a GPU gets the event of the architecture that its code was compiled for") {
  CHECK_FALSE(calibration_target_of(0, 0).has_value());
  CHECK_FALSE(calibration_target_of(7, 0).has_value());
  CHECK(calibration_target_of(7, 5) == calibration_target::sm_75);
  CHECK(calibration_target_of(8, 0) == calibration_target::sm_80);
  CHECK(calibration_target_of(8, 9) == calibration_target::sm_80);
  CHECK(calibration_target_of(9, 0) == calibration_target::sm_90);
  CHECK(calibration_target_of(10, 3) == calibration_target::sm_90);
  CHECK(calibration_target_of(12, 1) == calibration_target::sm_90);
}

TEST_CASE("the kernel's text is whole for each target") {
  for (const auto target : {calibration_target::sm_75, calibration_target::sm_80, calibration_target::sm_90}) {
    const std::string text = calibration_ptx(target);
    CAPTURE(text);
    CHECK(count(text, "<") == 0);  // nothing is left to be put in
    CHECK(count(text, ".target sm_" + std::to_string(static_cast<int>(target)) + "\n") == 1);
    CHECK(count(text, "fma.rn.f32") == 2 * 64 * calibration_events);
    CHECK(count(text, "@on st.relaxed.sys.global.v2.u32 [at], {now_low, tag};") ==
          calibration_burst + calibration_events);
    // Before each event, and before the clock's read at the start of each of the three loops.
    const std::size_t holds = calibration_burst + calibration_events + 3;
    CHECK(count(text, "bar.warp.sync") == (target == calibration_target::sm_80 ? holds : 0));
    CHECK(count(text, "fence.mbarrier_init") == (target == calibration_target::sm_90 ? holds : 0));
  }
}

// The text has them as numbers.
TEST_CASE("the kernel writes where the host reads") {
  CHECK(offsetof(calibration_measurements, sums) == std::size_t{calibration_rounds} * 3 * 32);
  CHECK(offsetof(calibration_measurements, first_ns) == 512);
  CHECK(offsetof(calibration_measurements, first_cycles) == 520);
  CHECK(offsetof(calibration_measurements, last_ns) == 528);
  CHECK(offsetof(calibration_measurements, step_ns) == 544);
  // Wherever the memory begins, the rings lie behind the measurements and inside.
  for (std::size_t memory = 0; memory < calibration_ring_bytes; memory += 16) {
    const std::size_t first =
        (memory + sizeof(calibration_measurements) + calibration_ring_bytes - 1) & ~(calibration_ring_bytes - 1);
    CHECK(first >= memory + sizeof(calibration_measurements));
    CHECK(first + calibration_warps * calibration_ring_bytes <= memory + calibration_bytes);
  }
}
