// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "clock_map.hpp"
#include "clock_truth.hpp"
#include "pair_means.hpp"

using namespace clock_truth;
using namespace iket::analysis;

namespace {

// As on an H200: steps that all see move little, and each reading adds its own.
constexpr double step_jitter_ns = 6;
constexpr double reading_jitter_ns = 15;
constexpr timer_reading h200{32, 30, 20};

/// A counter that steps down by `drop` for 10 us where the load begins, comes back within 30 us, and swings then.
counter loaded(std::uint64_t first, double ghz, double begin_ns, double end_ns, double drop, dice& random) {
  counter of(first, ghz);
  for (double ns = 0; ns < 40'000; ns += 1'000)
    of.turn(begin_ns + ns, ghz * (1 - drop * (ns < 10'000 ? 1 : (40'000 - ns) / 30'000)));
  const double phase = random.uniform(0, 6), swing = random.uniform(2e-4, 1.5e-3);
  for (double ns = begin_ns + 40'000; ns < end_ns; ns += 1'000)
    of.turn(ns, ghz * (1 + swing * std::sin(phase + ns / 40'000 * 6.2831853)));
  return of;
}

std::uint64_t shown(const timer& of, double ns, dice& random) {
  return of.shown(ns + 4 / 1.98 + random.uniform(-reading_jitter_ns, reading_jitter_ns));
}

/// Pairs of one counter at given times, as the means see them, and the rates between them.
struct sample {
  std::vector<judged_pair> pairs;
  std::vector<rate_range> rates;
};

sample read_at(const counter& of, const timer& clock, std::vector<double> times, dice& random) {
  std::sort(times.begin(), times.end());
  sample result;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (i != 0) {
      const auto [least, most] = of.rates(times[i - 1], times[i]);
      result.rates.push_back(rate_range{1 / most, 1 / least}.widened(2e-4));
    }
    result.pairs.push_back(
        {of.distance(times[i]), static_cast<double>(shown(clock, times[i], random) - zero_ns), 0, 0});
  }
  return result;
}

/// The time at which the counter had gone so far.
double time_of(const counter& of, double cycles) {
  double least = -1e9, most = 1e9;
  for (int i = 0; i < 80; ++i) ((of.distance((least + most) / 2) < cycles) ? least : most) = (least + most) / 2;
  return least;
}

struct outcome {
  std::size_t means = 0;
  double worst_excess_ns = -1e9;
  double median_half_ns = 0;
};

outcome judge(const counter& of, const sample& from) {
  outcome result;
  std::vector<double> halves;
  for (const time_bounds& mean : pair_means(from.pairs, from.rates, h200)) {
    const double truth = time_of(of, mean.cycles);
    result.worst_excess_ns = std::max({result.worst_excess_ns, mean.earliest_ns - truth, truth - mean.latest_ns});
    halves.push_back((mean.latest_ns - mean.earliest_ns) / 2);
    ++result.means;
  }
  std::sort(halves.begin(), halves.end());
  if (!halves.empty()) result.median_half_ns = halves[halves.size() / 2];
  return result;
}

timer timer_of(std::uint64_t seed) { return {32, step_jitter_ns, seed}; }

std::vector<double> any_times(double from_ns, double to_ns, std::size_t count, dice& random) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(random.uniform(from_ns, to_ns));
  return times;
}

}  // namespace

TEST_CASE("the truth lies in the bounds at the means of pairs, which are tight where pairs are many") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    dice random(seed);
    const counter of = loaded(1'000'000, random.uniform(1.2, 2), 20'000, 220'000, random.uniform(0, 0.02), random);
    const sample dense = read_at(of, timer_of(seed), any_times(10'000, 210'000, 6'000, random), random);
    const outcome found = judge(of, dense);
    CAPTURE(seed, found.median_half_ns);
    CHECK(found.means > 30);
    CHECK(found.worst_excess_ns <= 0);
    CHECK(found.median_half_ns < 10);
  }
}

TEST_CASE("pairs that follow the steps of the timer tell no more than one of them") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    dice random(seed);
    const counter of(1'000'000, 1.98);
    std::vector<double> times;
    // Some ns behind a step: all are read at the begin of a tick.
    for (int i = 0; i < 4'000; ++i)
      times.push_back(32.0 * static_cast<double>(400 + random.below(6'000)) + 20 + random.uniform(0, 4));
    const outcome found = judge(of, read_at(of, timer_of(seed), times, random));
    CAPTURE(seed, found.means, found.median_half_ns);
    REQUIRE(found.means != 0);
    CHECK(found.worst_excess_ns <= 0);
    CHECK(found.median_half_ns > 14);
  }
}

TEST_CASE("warps that come together, as behind a barrier, count by the steps that they saw") {
  std::size_t means = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dice random(seed);
    const counter of(1'000'000, 1.98);
    std::vector<double> times;
    for (double ns = 10'000; ns < 400'000; ns += random.uniform(900, 1'100))
      for (int i = 0; i < 64; ++i) times.push_back(ns + random.uniform(0, 48));
    const outcome found = judge(of, read_at(of, timer_of(seed), times, random));
    CAPTURE(seed);
    CHECK(found.worst_excess_ns <= 0);
    means += found.means;
  }
  CHECK(means > 1'000);
}

TEST_CASE("places that are evenly spread by design leave the jitter to be charged") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dice random(seed);
    const counter of(1'000'000, 1.98);
    std::vector<double> times;
    for (int i = 0; i < 3'000; ++i) times.push_back(10'000 + i * (128 + 32.0 / 54));
    const outcome found = judge(of, read_at(of, timer_of(seed), times, random));
    CAPTURE(seed);
    REQUIRE(found.means > 10);
    CHECK(found.worst_excess_ns <= 0);
  }
}

TEST_CASE("a rate that changes between two crowds of pairs shifts their mean") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    dice random(seed);
    constexpr double most = 1.98, least = 1.96;
    counter of(1'000'000, most);
    std::vector<double> times;
    for (int i = 0; i < 400; ++i) {
      const double ns = 20'000 + 10'000.0 * static_cast<double>(i % 40);
      times.push_back(ns + random.uniform(0, 700));
      times.push_back(ns + 4'000 + random.uniform(0, 700));
    }
    for (int i = 0; i < 40; ++i) {
      of.turn(22'350 + 10'000.0 * i, least);
      of.turn(24'700 + 10'000.0 * i, most);
    }
    sample from = read_at(of, timer_of(seed), times, random);
    for (rate_range& rates : from.rates) rates = {1 / most, 1 / least};
    CAPTURE(seed);
    CHECK(judge(of, from).worst_excess_ns <= 0);
  }
}

TEST_CASE("what is not known of the SMs' constants is added, and means come by cycles") {
  dice random(3);
  const counter of(1'000'000, 1.98);
  sample from = read_at(of, timer_of(3), any_times(0, 100'000, 3'000, random), random);
  const double without = judge(of, from).median_half_ns;
  for (judged_pair& pair : from.pairs) pair.doubt_ns = 4;
  CHECK(judge(of, from).median_half_ns == Approx(without + 4).margin(1.5));
  std::vector<double> uneven = any_times(10'000, 12'000, 48, random);
  for (int i = 0; i < 200; ++i) uneven.push_back(12'000 + i * 1'500.0);
  const sample sparse_behind = read_at(of, timer_of(4), uneven, random);
  const std::vector<time_bounds> means = pair_means(sparse_behind.pairs, sparse_behind.rates, h200);
  CHECK(std::is_sorted(means.begin(), means.end(),
                       [](const time_bounds& a, const time_bounds& b) { return a.cycles < b.cycles; }));
}

TEST_CASE("means are put among the pairs, and those before all pairs are left out") {
  std::vector<time_bounds> bounds{{100, 1, 2}, {200, 3, 4}, {300, 5, 6}};
  std::vector<rate_range> rates{{1, 2}, {3, 4}};
  const std::vector<time_bounds> means{{50, 0, 0, true}, {150, 2, 2, true}, {250, 4, 4, true}, {260, 4, 4, true}};
  insert_means(means, bounds, rates);
  std::vector<double> cycles;
  for (const time_bounds& one : bounds) cycles.push_back(one.cycles);
  CHECK(cycles == std::vector<double>{100, 150, 200, 250, 260, 300});
  std::vector<double> least;
  for (const rate_range& one : rates) least.push_back(one.least);
  CHECK(least == std::vector<double>{1, 1, 3, 3, 3});
}

TEST_CASE("few pairs and coarse timers have no means") {
  dice random(1);
  const counter of(1'000'000, 1.98);
  const sample few = read_at(of, timer_of(1), any_times(0, 100'000, 12, random), random);
  CHECK(pair_means(few.pairs, few.rates, h200).empty());
  const sample many = read_at(of, timer_of(1), any_times(0, 100'000, 2'000, random), random);
  CHECK_FALSE(pair_means(many.pairs, many.rates, h200).empty());
  CHECK(pair_means(many.pairs, many.rates, {1024, 30, 20}).empty());
  CHECK(pair_means({}, {}, h200).empty());
}

TEST_CASE("no mean is taken over pairs that lie on no line, nor over two busy times") {
  dice random(2);
  const counter of(1'000'000, 1.98);
  sample spoiled = read_at(of, timer_of(2), any_times(0, 100'000, 2'000, random), random);
  for (judged_pair& pair : spoiled.pairs) pair.ns += random.chance(0.5) ? 60 : -60;
  CHECK(pair_means(spoiled.pairs, spoiled.rates, h200).empty());
  sample parted = read_at(of, timer_of(2), any_times(0, 100'000, 2'000, random), random);
  for (std::size_t i = 0; i < parted.pairs.size(); ++i) parted.pairs[i].busy = static_cast<std::uint32_t>(i / 12);
  CHECK(pair_means(parted.pairs, parted.rates, h200).empty());
}

// 16 warps on each of 16 SMs, a pair each 4 us: what a persistent kernel with IKET_SYNC makes.
TEST_CASE("where pairs are dense the map states less than half a tick, and the truth lies inside") {
  std::vector<double> stated;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    dice random(seed);
    const double begin_ns = 10'000, end_ns = 410'000;
    const timer clock = timer_of(seed);
    std::vector<counter> domains;
    std::vector<sm_pair> pairs;
    for (std::uint32_t d = 0; d < 2; ++d) {
      domains.push_back(
          loaded(1'000'000'000 + 40'000'000 * d, 1.98, begin_ns, end_ns, random.uniform(0, 0.015), random));
      for (std::uint32_t i = 0; i < 256; ++i) {
        double ns = begin_ns + random.uniform(0, 1'000);
        for (; ns < end_ns; ns += random.uniform(3'600, 4'400))
          pairs.push_back({i % 16 * 2 + d, domains[d].cycles(ns), shown(clock, ns, random), 0});
      }
    }
    const clock_map map(std::move(pairs), zero_ns, 1'980'000, 32);
    REQUIRE(map.domains().size() == 2);
    double excess = -1e9;
    for (double ns = begin_ns + 1'000; ns < end_ns - 5'000; ns += 97)
      for (std::uint32_t d = 0; d < 2; ++d) {
        const uncertain_time at = map.of(d).at(domains[d].cycles(ns));
        const double half = static_cast<double>(at.uncertainty) / 1000;
        excess = std::max(excess, std::abs(static_cast<double>(at.at) / 1000 - ns) - half);
        stated.push_back(half);
      }
    CAPTURE(seed);
    CHECK(excess <= 0);
  }
  std::sort(stated.begin(), stated.end());
  CHECK(stated[stated.size() / 2] < 12);
  CHECK(stated.back() < 40);
}
