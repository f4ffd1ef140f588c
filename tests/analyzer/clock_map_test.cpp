// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_map.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::analysis::clock_chain;
using iket::analysis::clock_map;
using iket::analysis::picoseconds;
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

// Where pairs are far apart, the map is the middle of what a wandering clock may have done, not the best straight line.
TEST_CASE("kernels from 2 us to 10 s are placed within a tick, or what is left between pairs far apart") {
  for (const picoseconds length : {2 * us, 20 * us, 500 * us, 30 * ms, 1000 * ms, 10000 * ms})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      synthetic::random_numbers random(seed);
      const machine m;
      const clock_map map(kernel_pairs(m, 5 * us, length, 8, random), zero_ns, 1'980'000);
      CAPTURE(length, seed);
      CHECK(largest_error_ns(m, map, 5 * us, length) <= (length <= 500 * us ? 32 : 150));
      CHECK_FALSE(map.rate_assumed());
      CHECK(map.tick_ns() == 32);
      CHECK(map.sm_ghz() == Approx(1.98).epsilon(length == 2 * us ? 0.02 : 0.002));
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
      CHECK(largest_error_ns(m, map, 0, length) <= 100);
    }
}

TEST_CASE("a timer of about a microsecond is no obstacle") {
  for (const std::uint64_t tick : {1000u, 1024u})
    for (const picoseconds length : {50 * us, 5 * ms, 2000 * ms}) {
      synthetic::random_numbers random(3);
      const machine m{.ghz = 1.41, .tick_ns = tick};
      const clock_map map(kernel_pairs(m, 0, length, 16, random), zero_ns, 1'410'000);
      CAPTURE(tick, length);
      CHECK(map.tick_ns() == static_cast<double>(tick));
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
  CHECK(map.tick_ns() >= 992);
  CHECK(map.tick_ns() <= 1024);
}

TEST_CASE("the tick comes out of a handful of pairs") {
  const machine m;
  for (const int count : {2, 3, 5, 9}) {
    std::vector<sm_pair> pairs;
    for (int i = 0; i < count; ++i) pairs.push_back(m.pair(0, 37 * us * i + 800));
    CAPTURE(count);
    CHECK(clock_map(pairs, zero_ns, 1'980'000).tick_ns() == 32);
  }
  CHECK(clock_map({m.pair(0, 0)}, zero_ns, 0).tick_ns() == 0);
}

TEST_CASE("values that were read wrongly do not spoil the tick") {
  const machine m;
  synthetic::random_numbers random(11);
  std::vector<sm_pair> right;
  for (int i = 0; i < 31; ++i)
    right.push_back(m.pair(0, 11 * us * i + static_cast<picoseconds>(random.below(9'000'000))));
  for (std::size_t first = 0; first < right.size(); ++first)
    for (std::size_t second = first; second < right.size(); ++second) {
      std::vector<sm_pair> pairs = right;
      pairs[first].globaltimer_ns += 17'003;
      if (second != first) pairs[second].globaltimer_ns -= 40'030;
      CAPTURE(first, second);
      REQUIRE(clock_map(pairs, zero_ns, 1'980'000).tick_ns() == 32);
    }
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
        CHECK(largest_error_ns(m, map, 5 * us, length) <= (length <= 500 * us ? 40 : 150));
      }
}

TEST_CASE("where pairs tell no rate, the rated one is taken and flagged") {
  const machine m;
  std::vector<sm_pair> opens;  // warps that never closed
  for (std::uint32_t sm = 0; sm < m.sms; ++sm) opens.push_back(m.pair(sm, 100'000 * static_cast<picoseconds>(sm)));
  const clock_map rated(opens, zero_ns, 1'980'000);
  CHECK(rated.rate_assumed());
  CHECK_FALSE(rated.rate_is_guess());
  CHECK(rated.sm_ghz() == Approx(1.98));
  CHECK(largest_error_ns(m, rated, 0, 10 * us) <= 32);

  const clock_map guessed(opens, zero_ns, 0);
  CHECK(guessed.rate_assumed());
  CHECK(guessed.rate_is_guess());
  CHECK(guessed.sm_ghz() == Approx(1.0));
}

TEST_CASE("the timer's tick is not taken for shorter than it was measured to be") {
  const machine m;
  std::vector<sm_pair> pairs;
  for (int i = 0; i < 400; ++i) pairs.push_back(m.pair(static_cast<std::uint32_t>(i) % m.sms, i * 250'000));
  for (std::size_t i = 0; i < pairs.size(); i += 2) pairs[i].globaltimer_ns += 8;  // a timer that is off
  CHECK(clock_map(pairs, zero_ns, 1'980'000).tick_ns() == 8);
  CHECK(clock_map(pairs, zero_ns, 1'980'000, 32).tick_ns() == 32);
  CHECK(clock_map(pairs, zero_ns, 1'980'000, 4).tick_ns() == 8);
}

TEST_CASE("without pairs the map still answers") {
  const clock_map map({}, 0, 1'000'000);
  CHECK(map.time(3, 1000) - map.time(3, 0) == 1'000'000);
}

TEST_CASE("the clock's real rate counts, not the rated one") {
  synthetic::random_numbers random(1);
  const machine m{.ghz = 1.2};
  const clock_map map(kernel_pairs(m, 0, 2 * ms, 4, random), zero_ns, 1'980'000);
  CHECK(map.sm_ghz() == Approx(1.2).epsilon(1e-4));
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

TEST_CASE("a chain is exact in integers, never steps back and is held in range") {
  const std::uint64_t anchor = 1'000'000'000'000'000;
  const clock_chain clock(anchor, {77, 5}, 500.25);
  const auto time = [&](std::uint64_t cycles) { return clock.at(cycles).at; };
  CHECK(time(anchor) == 77);
  CHECK(time(anchor + 4) == 77 + 2001);
  CHECK(time(anchor - 4) == 77 - 2001);
  // 2^43 cycles are 73 minutes; the difference of neighbours there is what it is at the anchor.
  const std::uint64_t far = anchor + (std::uint64_t{1} << 43);
  CHECK(time(far + 4) - time(far) == 2001);
  picoseconds before = std::numeric_limits<picoseconds>::min();
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(time(far + i) > before);
    before = time(far + i);
  }
  const picoseconds limit = picoseconds{1} << 61;
  CHECK(time(anchor + (std::uint64_t{1} << 62)) == limit);
  CHECK(time(anchor - (std::uint64_t{1} << 62)) == -limit);
}

TEST_CASE("a chain passes its knots, its uncertainty goes straight between them and grows beyond") {
  clock_chain chain(1000, {0, 100}, 500);
  chain.add(3000, {1'000'000, 300});
  chain.add(4000, {1'600'000, 50});
  chain.extend(0.5, 2);
  CHECK(chain.at(1000).at == 0);
  CHECK(chain.at(2000).at == 500'000);
  CHECK(chain.at(2000).uncertainty == 200);
  CHECK(chain.at(3500).at == 1'300'000);
  CHECK(chain.at(3500).uncertainty == 175);
  CHECK(chain.at(4000).at == 1'600'000);
  CHECK(chain.at(4100).at == 1'660'000);
  CHECK(chain.at(4100).uncertainty == 250);
  CHECK(chain.at(900).at == -50'000);
  CHECK(chain.at(900).uncertainty == 150);
  for (const std::uint64_t cycles : {900u, 1000u, 2345u, 3000u, 3999u, 4000u, 5000u})
    CHECK(std::abs(static_cast<double>(chain.cycles_at(chain.at(cycles).at) - cycles)) <= 1);
  // A knot that would lie before the last one is put where the least rate leads to.
  chain.add(5000, {0, 50});
  CHECK(chain.at(5000).at == 1'601'000);
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
    for (const sm_pair& pair : pairs) {
      std::uint64_t cycles = pair.cycles;
      for (int i = 0; i < 20 && cycles < ~std::uint64_t{0} - (std::uint64_t{1} << i); ++i) {
        const picoseconds before = map.time(pair.sm, cycles);
        cycles += std::uint64_t{1} << i;
        REQUIRE(before <= map.time(pair.sm, cycles));
      }
    }
    REQUIRE(std::isfinite(map.sm_ghz()));
    REQUIRE((map.sm_ghz() > 0 || pairs.empty()));
    for (const sm_pair& pair : pairs) REQUIRE(map.uncertainty(pair.sm, pair.cycles) >= 0);
  }
}
