// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_map.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::analysis::clock_map;
using iket::analysis::picoseconds;
using iket::analysis::sm_clock;
using iket::analysis::sm_pair;

namespace {

constexpr std::uint64_t zero_ns = 1'800'000'000'000'000'000;

/// Clocks with a known truth: SM s starts at its own count and runs at its own rate.
struct machine {
  double ghz = 1.98;
  double spread = 0;  // the SMs' rates differ by up to this, relatively
  std::uint64_t tick_ns = 32;
  std::uint64_t first_cycles = 1'000'000'000'000'000;
  std::uint32_t sms = 16;

  [[nodiscard]] long double rate(std::uint32_t sm) const {
    return static_cast<long double>(ghz) * (1 + static_cast<long double>(spread) * sm / (sms - 1));
  }
  /// Cycles of an SM at a time in picoseconds after zero.
  [[nodiscard]] std::uint64_t cycles(std::uint32_t sm, picoseconds at) const {
    const std::uint64_t start = first_cycles + std::uint64_t{4'000'000'000} * sm / sms;
    return start + static_cast<std::uint64_t>(std::floor(rate(sm) * static_cast<long double>(at) / 1000));
  }
  [[nodiscard]] sm_pair pair(std::uint32_t sm, picoseconds at) const {
    const std::uint64_t ns = zero_ns + static_cast<std::uint64_t>(at / 1000);
    return {sm, cycles(sm, at), ns / tick_ns * tick_ns};
  }
};

/// Pairs of `warps` warps on every SM that open and close near the ends of a kernel.
std::vector<sm_pair> kernel_pairs(const machine& m, picoseconds begin, picoseconds length, int warps,
                                  synthetic::random_numbers& random) {
  std::vector<sm_pair> pairs;
  for (std::uint32_t sm = 0; sm < m.sms; ++sm)
    for (int warp = 0; warp < warps; ++warp) {
      const auto jitter = [&] {
        return static_cast<picoseconds>(random.below(static_cast<std::uint64_t>(length / 10)));
      };
      pairs.push_back(m.pair(sm, begin + jitter()));
      pairs.push_back(m.pair(sm, begin + length - jitter()));
    }
  return pairs;
}

/// The largest distance between map and truth over a stretch of time, on every SM [ns].
double largest_error_ns(const machine& m, const clock_map& map, picoseconds begin, picoseconds length) {
  double largest = 0;
  for (std::uint32_t sm = 0; sm < m.sms; ++sm)
    for (int i = 0; i <= 50; ++i) {
      const picoseconds at = begin + length / 50 * i;
      const auto error = static_cast<double>(map.time(sm, m.cycles(sm, at)) - at) / 1000;
      largest = std::max(largest, std::abs(error));
    }
  return largest;
}

constexpr picoseconds us = 1'000'000;
constexpr picoseconds ms = 1000 * us;

}  // namespace

TEST_CASE("kernels from 2 us to 10 s are placed within a tick") {
  for (const picoseconds length : {2 * us, 20 * us, 500 * us, 30 * ms, 1000 * ms, 10000 * ms})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      synthetic::random_numbers random(seed);
      const machine m;
      const clock_map map(kernel_pairs(m, 5 * us, length, 8, random), zero_ns, 1'980'000);
      CAPTURE(length, seed);
      CHECK(largest_error_ns(m, map, 5 * us, length) <= 32);
      CHECK_FALSE(map.summary().rate_assumed);
      CHECK(map.summary().tick_ns == 32);
      CHECK(map.summary().uncertainty_ns <= 32);
      CHECK(map.summary().uncertainty_ns >= 16);
      CHECK(map.summary().sm_ghz == Approx(1.98).epsilon(length == 2 * us ? 0.02 : 0.002));
      CHECK(map.outliers() == 0);
    }
}

TEST_CASE("rates that differ from SM to SM are found where kernels are long") {
  for (const picoseconds length : {2 * us, 50 * us, 100 * us, 10 * ms, 10000 * ms})
    for (const int warps : {1, 8}) {
      synthetic::random_numbers random(7);
      const machine m{.spread = 0.001};
      const clock_map map(kernel_pairs(m, 0, length, warps, random), zero_ns, 1'980'000);
      CAPTURE(length, warps);
      CHECK(largest_error_ns(m, map, 0, length) <= 64);
    }
}

TEST_CASE("a timer of about a microsecond is no obstacle") {
  for (const std::uint64_t tick : {1000u, 1024u})
    for (const picoseconds length : {50 * us, 5 * ms, 2000 * ms}) {
      synthetic::random_numbers random(3);
      const machine m{.ghz = 1.41, .tick_ns = tick};
      const clock_map map(kernel_pairs(m, 0, length, 16, random), zero_ns, 1'410'000);
      CAPTURE(tick, length);
      CHECK(map.summary().tick_ns == static_cast<double>(tick));
      CHECK(largest_error_ns(m, map, 0, length) <= 1100);
    }
}

TEST_CASE("a timer that steps unevenly is seen for what it is") {
  // Steps of 992 or 1024: all are multiples of 32, yet no value stands for 32 ns.
  machine m{.tick_ns = 1};
  synthetic::random_numbers random(5);
  std::vector<sm_pair> pairs = kernel_pairs(m, 0, 200 * us, 32, random);
  for (sm_pair& pair : pairs) {
    const std::uint64_t n = (pair.globaltimer_ns - zero_ns) / 1000;
    pair.globaltimer_ns = zero_ns + n * 1000 / 32 * 32;
  }
  const clock_map map(pairs, zero_ns, 1'980'000);
  CHECK(map.summary().tick_ns >= 992);
  CHECK(map.summary().tick_ns <= 1024);
}

TEST_CASE("the tick comes out of a handful of pairs") {
  const machine m;
  for (const int count : {2, 3, 5, 9}) {
    std::vector<sm_pair> pairs;
    for (int i = 0; i < count; ++i) pairs.push_back(m.pair(0, 37 * us * i + 800));
    CAPTURE(count);
    CHECK(clock_map(pairs, zero_ns, 1'980'000).summary().tick_ns == 32);
  }
  CHECK(clock_map({m.pair(0, 0)}, zero_ns, 0).summary().tick_ns == 0);
}

TEST_CASE("one wrong pair moves nothing") {
  for (const picoseconds length : {2 * us, 500 * us, 3 * ms, 1000 * ms})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const bool in_cycles : {true, false}) {
        synthetic::random_numbers random(seed);
        const machine m;
        std::vector<sm_pair> pairs = kernel_pairs(m, 5 * us, length, 8, random);
        sm_pair& bad = pairs[random.below(pairs.size())];
        if (in_cycles)
          bad.cycles += 1'980'000;
        else
          bad.globaltimer_ns += 1'000'000 / 32 * 32;
        const clock_map map(pairs, zero_ns, 1'980'000);
        CAPTURE(length, seed, in_cycles);
        CHECK(map.outliers() == 1);
        CHECK(largest_error_ns(m, map, 5 * us, length) <= 40);
        CHECK(map.summary().uncertainty_ns <= 40);
      }
}

TEST_CASE("where pairs tell no rate, the rated one is taken and flagged") {
  const machine m;
  std::vector<sm_pair> opens;  // warps that never closed
  for (std::uint32_t sm = 0; sm < m.sms; ++sm) opens.push_back(m.pair(sm, 100'000 * static_cast<picoseconds>(sm)));
  const clock_map rated(opens, zero_ns, 1'980'000);
  CHECK(rated.summary().rate_assumed);
  CHECK_FALSE(rated.rate_is_guess());
  CHECK(rated.summary().sm_ghz == Approx(1.98));
  CHECK(largest_error_ns(m, rated, 0, 10 * us) <= 32);

  const clock_map guessed(opens, zero_ns, 0);
  CHECK(guessed.summary().rate_assumed);
  CHECK(guessed.rate_is_guess());
  CHECK(guessed.summary().sm_ghz == Approx(1.0));
}

TEST_CASE("without pairs the map still answers") {
  const clock_map map({}, 0, 1'000'000);
  CHECK(map.time(3, 1000) - map.time(3, 0) == 1'000'000);
}

TEST_CASE("the clock's real rate counts, not the rated one") {
  synthetic::random_numbers random(1);
  const machine m{.ghz = 1.2};
  const clock_map map(kernel_pairs(m, 0, 2 * ms, 4, random), zero_ns, 1'980'000);
  CHECK(map.summary().sm_ghz == Approx(1.2).epsilon(1e-4));
  CHECK(largest_error_ns(m, map, 0, 2 * ms) <= 32);
}

TEST_CASE("several launches share the lines of their SMs") {
  synthetic::random_numbers random(9);
  const machine m{.spread = 0.0005};
  std::vector<sm_pair> pairs;
  for (int launch = 0; launch < 5; ++launch) {
    const std::vector<sm_pair> more = kernel_pairs(m, launch * 300 * ms, 3 * us, 4, random);
    pairs.insert(pairs.end(), more.begin(), more.end());
  }
  const clock_map map(pairs, zero_ns, 1'980'000);
  for (int launch = 0; launch < 5; ++launch) CHECK(largest_error_ns(m, map, launch * 300 * ms, 3 * us) <= 40);
}

TEST_CASE("a line is exact in integers, never steps back and is held in range") {
  const std::uint64_t anchor = 1'000'000'000'000'000;
  const sm_clock clock(anchor, 77, 500.25);
  CHECK(clock.time(anchor) == 77);
  CHECK(clock.time(anchor + 4) == 77 + 2001);
  CHECK(clock.time(anchor - 4) == 77 - 2001);
  // 2^43 cycles are 73 minutes; the difference of neighbours there is what it is at the anchor.
  const std::uint64_t far = anchor + (std::uint64_t{1} << 43);
  CHECK(clock.time(far + 4) - clock.time(far) == 2001);
  picoseconds before = std::numeric_limits<picoseconds>::min();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const picoseconds now = clock.time(far + i);
    CHECK(now >= before);
    before = now;
  }
  const picoseconds limit = picoseconds{1} << 61;
  CHECK(clock.time(anchor + (std::uint64_t{1} << 62)) == limit);
  CHECK(clock.time(anchor - (std::uint64_t{1} << 62)) == -limit);
}

TEST_CASE("any pairs make a map") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    synthetic::random_numbers random(seed);
    std::vector<sm_pair> pairs;
    const std::uint64_t shift = random.below(60);
    for (std::uint64_t i = random.below(20); i != 0; --i)
      pairs.push_back(
          {static_cast<std::uint32_t>(random.below(3)), random.next() >> shift, random.next() >> random.below(60)});
    const clock_map map(pairs, random.next(), static_cast<std::uint32_t>(random.next() >> random.below(64)));
    for (const sm_pair& pair : pairs)
      REQUIRE(map.time(pair.sm, pair.cycles) <=
              map.time(pair.sm, pair.cycles + (pair.cycles < ~std::uint64_t{0} ? 1 : 0)));
    REQUIRE(std::isfinite(map.summary().sm_ghz));
    REQUIRE((map.summary().sm_ghz > 0 || pairs.empty()));
    REQUIRE(std::isfinite(map.summary().uncertainty_ns));
  }
}
