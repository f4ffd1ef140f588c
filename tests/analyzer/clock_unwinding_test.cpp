// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_unwinding.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::record_kind;
using iket::analysis::cycle_rates;
using iket::analysis::decoded_ring;
using iket::analysis::record_view;

namespace {

constexpr std::uint64_t wrap = std::uint64_t{1} << 32;
constexpr std::uint64_t open_ns = 1'700'000'000'000'000'000;
constexpr std::uint64_t open_cycles = 0x123'FFFF'0000;
constexpr cycle_rates rates{1.9, 2.1};

/// A clock of 2 cycles per ns, of which the timer shows every 32 ns.
std::uint64_t ns_at(std::uint64_t cycles) { return open_ns + (cycles - open_cycles) / 2 / 32 * 32; }

/// A warp that records at these times [cycles after its opening]; odd places are syncs where `syncs`.
struct recorded_warp {
  synthetic::warp warp;
  std::vector<std::uint64_t> truth;  // of every event

  recorded_warp() { warp.open = {open_cycles, ns_at(open_cycles)}; }

  void mark(std::uint64_t after) {
    truth.push_back(open_cycles + after);
    warp.log.event(record_kind::mark, 16, truth.back());
  }
  void sync(std::uint64_t after) {
    truth.push_back(open_cycles + after);
    warp.log.sync(truth.back(), ns_at(truth.back()));
  }
  void close(std::uint64_t after) { warp.close = {open_cycles + after, ns_at(open_cycles + after)}; }

  [[nodiscard]] decoded_ring decode(std::uint32_t capacity, bool keep_first = false, cycle_rates by = rates) const {
    const synthetic::drained from = synthetic::drain(warp, capacity, keep_first);
    decoded_ring ring;
    decode_ring(from.header, record_view(reinterpret_cast<const std::byte*>(from.ring.data()), from.ring.size()),
                {capacity, keep_first}, by, ring);
    return ring;
  }
};

/// Events that are not where they were. `first`: of the truth, the oldest that was kept.
std::size_t wrong_events(const decoded_ring& ring, const recorded_warp& from) {
  const std::size_t first = ring.keeps_first ? 0 : from.truth.size() - ring.events.size();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < ring.events.size(); ++i) wrong += ring.events[i].cycles != from.truth[first + i];
  return wrong;
}

}  // namespace

TEST_CASE("a sync behind a gap of several wraps places it; what lies between pairs stays ambiguous") {
  recorded_warp warp;
  warp.mark(10);
  warp.sync(20);
  warp.sync(20 + 3 * wrap);  // nothing between: the pairs place the gap
  warp.mark(30 + 3 * wrap);
  warp.mark(40 + 5 * wrap);  // somewhere between the sync before and the one behind
  warp.sync(50 + 5 * wrap);
  warp.mark(60 + 5 * wrap);
  warp.close(70 + 5 * wrap);
  const decoded_ring ring = warp.decode(64);
  CHECK(ring.doubts.missing_wraps == 2);
  CHECK(ring.doubts.ambiguous_events == 2);
  CHECK(wrong_events(ring, warp) == 1);
  CHECK(ring.events[4].cycles == open_cycles + 40 + 3 * wrap);
  CHECK(ring.events[2].is_pair);
  CHECK_FALSE(ring.events[3].is_pair);

  const decoded_ring blind = warp.decode(64, false, {});
  CHECK(blind.doubts.missing_wraps == 5);
  CHECK(blind.doubts.ambiguous_events == 7);
  CHECK_FALSE(blind.events[2].is_pair);
}

TEST_CASE("without rates, syncs are pairs where the warp lived for less than a wrap") {
  recorded_warp warp;
  warp.sync(1000);
  warp.mark(wrap / 2);
  warp.sync(wrap - 1000);
  warp.close(wrap - 10);
  const decoded_ring ring = warp.decode(64, false, {});
  CHECK(ring.events[0].is_pair);
  CHECK(ring.events[2].is_pair);
  CHECK(wrong_events(ring, warp) == 0);
  CHECK_FALSE(ring.doubts.any());
}

TEST_CASE("a gap behind the oldest record of a ring that wrapped shows between the pairs around it") {
  recorded_warp warp;
  for (std::uint64_t i = 0; i < 20; ++i) warp.mark(i);
  warp.sync(100);
  warp.mark(200);
  warp.mark(300 + 2 * wrap);
  warp.close(400 + 2 * wrap);
  const decoded_ring ring = warp.decode(8);
  CHECK(ring.doubts.missing_wraps == 2);
  CHECK(ring.doubts.ambiguous_events == 2);
  CHECK(ring.doubts.unseen_wraps == 0);
  CHECK(ring.events.front().cycles == warp.truth[warp.truth.size() - ring.events.size()]);
}

TEST_CASE("a hung warp's events are unwound from its syncs") {
  recorded_warp warp;
  for (std::uint64_t i = 0; i < 20; ++i) warp.mark(i);
  warp.mark(100 + 4 * wrap);
  warp.sync(200 + 4 * wrap);
  warp.mark(300 + 4 * wrap);
  warp.warp.closed = false;
  for (const std::uint32_t capacity : {64u, 4u}) {
    const decoded_ring ring = warp.decode(capacity);
    CAPTURE(capacity);
    CHECK(ring.events.back().cycles == warp.truth.back());
    CHECK(ring.doubts.missing_wraps == (capacity == 64 ? 4 : 0));
  }
}

TEST_CASE("syncs carry each other on, where the opening alone is too far away") {
  recorded_warp warp;
  for (std::uint64_t i = 1; i <= 40; ++i) warp.sync(i * wrap * 2 + i);
  warp.warp.closed = false;
  const decoded_ring ring = warp.decode(256);
  CHECK(wrong_events(ring, warp) == 0);
  CHECK(ring.events.back().is_pair);
  CHECK_FALSE(ring.doubts.any());

  recorded_warp alone;
  alone.sync(80 * wrap);
  alone.warp.closed = false;
  CHECK_FALSE(alone.decode(256).events.front().is_pair);
}

TEST_CASE("a sync whose time cannot be is no pair") {
  recorded_warp warp;
  warp.sync(1000);
  warp.warp.log.sync(open_cycles + 2000, ns_at(open_cycles + 2000) + 40'000'000);
  warp.truth.push_back(open_cycles + 2000);
  warp.mark(3000);
  warp.close(4000);
  const decoded_ring ring = warp.decode(64);
  CHECK(ring.events[0].is_pair);
  CHECK_FALSE(ring.events[1].is_pair);
  CHECK(wrong_events(ring, warp) == 0);
}

TEST_CASE("random warps: every event is where it was, or counted as ambiguous") {
  std::size_t placed_gaps = 0, reported_gaps = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    synthetic::random_numbers random(seed);
    recorded_warp warp;
    std::uint64_t after = 0, sync_behind_gap = 0;
    bool has_gap = false, gap_is_open = false;
    const auto pass = [&] {
      if (random.below(12) != 0) {
        after += 1 + random.below(random.below(4) == 0 ? wrap - 1 : 1000);
        return;
      }
      // What is left without the wraps is 2^24 cycles at least: a gap that is shorter is taken for one without a wrap.
      after += wrap * (1 + random.below(3)) + (1 << 24) + random.below(1 << 30);
      has_gap = true;
      gap_is_open = true;
    };
    for (std::uint64_t i = 1 + random.below(24); i != 0; --i) {
      pass();
      if (random.below(3) == 0) {
        warp.sync(after);
        sync_behind_gap += gap_is_open;
        gap_is_open = false;
      } else {
        warp.mark(after);
      }
    }
    pass();
    warp.close(after);
    const bool keep_first = random.below(4) == 0;
    const std::uint32_t capacity = random.below(2) == 0 ? 256 : 16;
    const decoded_ring ring = warp.decode(capacity, keep_first);
    CAPTURE(seed, keep_first, capacity, has_gap);
    const std::size_t wrong = wrong_events(ring, warp);
    if (ring.may_lack_newest()) continue;  // behind the last pair that was kept any gap may be
    REQUIRE(ring.doubts.backward_steps == 0);
    REQUIRE((ring.doubts.ambiguous_events != 0) == (ring.doubts.missing_wraps != 0));
    if (ring.doubts.unseen_wraps == 0) REQUIRE(wrong <= ring.doubts.ambiguous_events);
    if (!ring.doubts.any()) REQUIRE(wrong == 0);
    if (!has_gap) REQUIRE(wrong + ring.doubts.missing_wraps == 0);
    placed_gaps += has_gap && wrong == 0 && ring.doubts.missing_wraps == 0 && sync_behind_gap != 0;
    reported_gaps += ring.doubts.missing_wraps != 0;
    for (std::size_t i = 0; i < ring.events.size(); ++i)
      if (ring.events[i].is_pair)
        REQUIRE(ring.events[i].cycles == warp.truth[warp.truth.size() - ring.events.size() + i]);
  }
  CHECK(placed_gaps > 500);
  CHECK(reported_gaps > 500);
}

TEST_CASE("between two pairs, wraps lie in the only long gap, and nowhere for certain where there are two") {
  constexpr std::uint64_t longer = 850'000'000;
  recorded_warp one;
  one.mark(10);
  one.mark(40 + 2 * wrap + longer);
  one.mark(90 + 2 * wrap + longer);
  one.close(130 + 2 * wrap + longer);
  const decoded_ring placed = one.decode(64);
  CHECK_FALSE(placed.doubts.any());
  CHECK(wrong_events(placed, one) == 0);

  recorded_warp two;
  two.mark(10);
  two.mark(40 + wrap + longer);
  two.mark(40 + wrap + longer + 20'000'000);  // 10 ms
  two.close(80 + wrap + longer + 20'000'000);
  const decoded_ring doubtful = two.decode(64);
  CHECK(doubtful.doubts.missing_wraps == 1);
  CHECK(doubtful.doubts.ambiguous_events == 3);

  // Many short gaps that come to a long time are no better.
  recorded_warp many;
  for (std::uint64_t i = 0; i < 20; ++i) many.mark(10 + i * 1'000'000);
  many.mark(wrap + longer + 20'000'000);
  many.close(wrap + longer + 20'000'010);
  CHECK(many.decode(64).doubts.ambiguous_events == 21);
}

TEST_CASE("a sync is a pair where only one clock is possible, however wide the rates are") {
  recorded_warp hung;
  hung.warp.closed = false;
  hung.mark(10);
  hung.mark(wrap + 850'000'000);
  hung.sync(wrap + 850'000'050);
  // 2.57 s: 0.33 GHz without the wrap, 3.67 GHz with two.
  const decoded_ring found = hung.decode(64, false, {0.5, 2.4});
  CHECK_FALSE(found.doubts.any());
  CHECK(wrong_events(found, hung) == 0);
  const decoded_ring two_ways = hung.decode(64, false, {0.3, 2.4});
  CHECK_FALSE(two_ways.events[2].is_pair);
}

TEST_CASE("behind the last pair of a warp that never closed, a launch that ran on leaves the events ambiguous") {
  recorded_warp hung;
  hung.warp.closed = false;
  hung.sync(10);
  hung.mark(1000);
  hung.mark(850'000'000);
  cycle_rates known = rates;
  CHECK(hung.decode(64, false, known).doubts.unbounded_events == 0);
  known.last_ns = ns_at(open_cycles + wrap / 2);
  CHECK_FALSE(hung.decode(64, false, known).doubts.any());
  known.last_ns = ns_at(open_cycles + wrap + 1000);
  CHECK(hung.decode(64, false, known).doubts.unbounded_events == 2);
  hung.warp.closed = true;
  hung.close(850'000'050);
  CHECK_FALSE(hung.decode(64, false, known).doubts.any());
}
