// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_polyline.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::analysis::clock_knot;
using iket::analysis::clock_map;
using iket::analysis::clock_polyline;
using iket::analysis::follow_pairs;
using iket::analysis::picoseconds;
using iket::analysis::sm_pair;

namespace {

constexpr std::uint64_t zero_ns = 1'800'000'000'000'000'000;
constexpr std::uint64_t zero_cycles = 5'000'000'000;
constexpr double tick_ns = 32;
constexpr double tolerance_ns = 36;

/// A clock that slows down while a CTA computes and speeds up where CTAs turn over, as on an H200 under matrix load.
struct adaptive_clock {
  std::vector<double> ns = {0};  // where the rate changes
  std::vector<double> cycles = {0};
  std::vector<double> ghz;

  explicit adaptive_clock(synthetic::random_numbers& random) {
    for (int phase = 0; phase < 40; ++phase) {
      const bool loaded = phase % 2 == 0;
      const double length = loaded ? 100'000 : 4'000;
      ghz.push_back(loaded ? 1.60 + 0.2 * static_cast<double>(random.below(1000)) / 1000 : 1.98);
      ns.push_back(ns.back() + length);
      cycles.push_back(cycles.back() + length * ghz.back());
    }
  }

  [[nodiscard]] double cycles_at(double at) const {
    const auto phase = std::min<std::size_t>(
        static_cast<std::size_t>(std::upper_bound(ns.begin(), ns.end(), at) - ns.begin()) - 1, ghz.size() - 1);
    return cycles[phase] + (at - ns[phase]) * ghz[phase];
  }

  [[nodiscard]] sm_pair pair(std::uint32_t sm, double at) const {
    const auto timer = static_cast<std::uint64_t>(at / tick_ns) * static_cast<std::uint64_t>(tick_ns);
    return {sm, zero_cycles + static_cast<std::uint64_t>(cycles_at(at)), zero_ns + timer};
  }

  /// Eight warps close and eight open where CTAs turn over.
  [[nodiscard]] std::vector<sm_pair> pairs(std::uint32_t sm, synthetic::random_numbers& random) const {
    std::vector<sm_pair> result;
    for (std::size_t turn = 2; turn < ns.size(); turn += 2)
      for (int i = 0; i < 16; ++i) result.push_back(pair(sm, ns[turn] - static_cast<double>(random.below(4'000))));
    for (int i = 0; i < 8; ++i) result.push_back(pair(sm, static_cast<double>(random.below(100))));
    std::sort(result.begin(), result.end(), [](const sm_pair& a, const sm_pair& b) { return a.cycles < b.cycles; });
    return result;
  }
};

double chain_ns(const clock_polyline& chain, double cycles) {
  std::size_t knot = 0;
  while (knot + 1 < chain.knots.size() && chain.knots[knot + 1].cycles <= cycles) ++knot;
  return chain.knots[knot].ns + chain.knots[knot].ns_per_cycle * (cycles - chain.knots[knot].cycles);
}

}  // namespace

TEST_CASE("a steady clock is one line") {
  std::vector<sm_pair> pairs;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t ns = i * 777;
    pairs.push_back({0, zero_cycles + ns * 2, zero_ns + ns / 32 * 32});
  }
  const clock_polyline chain = follow_pairs(pairs, 0.5, tick_ns, tolerance_ns);
  REQUIRE(chain.knots.size() == 2);  // the second goes on behind the last pair
  CHECK(chain.knots[1].ns_per_cycle == 0.5);
  CHECK(chain.outliers == 0);
  CHECK(chain.largest_residual_ns <= tolerance_ns);
}

TEST_CASE("an adaptive clock is followed at its pairs within the tolerance and a tick") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    synthetic::random_numbers random(seed);
    const adaptive_clock truth(random);
    const std::vector<sm_pair> pairs = truth.pairs(0, random);
    const clock_polyline chain = follow_pairs(pairs, 1 / 1.7, tick_ns, tolerance_ns);
    CAPTURE(seed);
    CHECK(chain.outliers == 0);
    CHECK(chain.largest_residual_ns <= 4 * tolerance_ns);
    CHECK(chain.knots.size() <= 81);
    for (std::size_t i = 1; i < chain.knots.size(); ++i) {
      CHECK(chain.knots[i].cycles > chain.knots[i - 1].cycles);
      CHECK(chain.knots[i].ns_per_cycle > 0);
    }
    for (const sm_pair& pair : pairs) {
      const double read = static_cast<double>(pair.globaltimer_ns - pairs[0].globaltimer_ns) + tick_ns / 2;
      CHECK(std::abs(chain_ns(chain, static_cast<double>(pair.cycles - pairs[0].cycles)) - read) <= 4 * tolerance_ns);
    }
  }
}

TEST_CASE("a pair that is wrong by a millisecond is passed by, the first and the last as well") {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const double wrong_ns : {1e6, -1e6}) {
      synthetic::random_numbers random(seed);
      const adaptive_clock truth(random);
      std::vector<sm_pair> pairs = truth.pairs(0, random);
      const std::size_t last = pairs.size() - 1;
      const std::size_t bad = seed == 0 ? 0 : seed == 1 ? last / 2 : 1 + random.below(last - 3);
      pairs[bad].globaltimer_ns = static_cast<std::uint64_t>(static_cast<std::int64_t>(pairs[bad].globaltimer_ns) +
                                                             static_cast<std::int64_t>(wrong_ns));
      const clock_polyline chain = follow_pairs(pairs, 1 / 1.7, tick_ns, tolerance_ns);
      CAPTURE(seed, wrong_ns);
      CHECK(chain.outliers == 1);
      CHECK(chain.largest_residual_ns <= 4 * tolerance_ns);
    }
}

TEST_CASE("the map of an adaptive clock is close at its pairs, monotone, and says how close") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    synthetic::random_numbers random(seed);
    std::vector<adaptive_clock> truths;
    std::vector<sm_pair> pairs;
    for (std::uint32_t sm = 0; sm < 4; ++sm) {
      truths.emplace_back(random);
      const std::vector<sm_pair> more = truths.back().pairs(sm, random);
      pairs.insert(pairs.end(), more.begin(), more.end());
    }
    const clock_map map(pairs, zero_ns, 1'980'000);
    CAPTURE(seed);
    CHECK(map.outliers() == 0);
    CHECK(map.summary().uncertainty_ns < 160);
    for (std::uint32_t sm = 0; sm < 4; ++sm) {
      picoseconds before = map.time(sm, zero_cycles);
      for (double at = 1; at < truths[sm].ns.back(); at += 499) {
        const auto cycles = zero_cycles + static_cast<std::uint64_t>(truths[sm].cycles_at(at));
        const picoseconds now = map.time(sm, cycles);
        REQUIRE(now >= before);
        before = now;
      }
    }
    for (const sm_pair& pair : pairs) {
      const double read = static_cast<double>(pair.globaltimer_ns - zero_ns) + tick_ns / 2;
      const double shown = static_cast<double>(map.time(pair.sm, pair.cycles)) / 1000;
      REQUIRE(std::abs(shown - read) <= map.summary().uncertainty_ns + 0.01);
    }
  }
}
