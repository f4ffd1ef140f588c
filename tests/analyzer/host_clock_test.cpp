// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The host's time of a device's, from readings of clocks that are made up, so that the truth is known.
#include "host_clock.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::analysis::host_clock_fit;
using iket::analysis::host_instant;
using iket::analysis::largest_drift_ppm;
using iket::analysis::timer_jitter_ns;
using iket::file::host_clock_pair;

namespace {

constexpr std::uint64_t device_epoch_ns = 1'700'000'000'123'456'789;
constexpr std::uint64_t host_epoch_ns = 98'765'432'109'876;

/// Two clocks: `ahead` is by how much the host's got ahead of the device's since their epochs [ns, by ns of the
/// device].
struct clocks {
  std::function<double(double)> ahead;
  double tick_ns = 32;

  /// A reading that was made at `time_ns`, as long after and before the host's clock was read.
  [[nodiscard]] host_clock_pair read(double time_ns, double to_ns, double from_ns, double jitter_ns) const {
    const double host_ns = time_ns + ahead(time_ns);
    const double timer_ns = std::floor(time_ns / tick_ns) * tick_ns + jitter_ns;
    return {host_epoch_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(host_ns - to_ns))),
            host_epoch_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::ceil(host_ns + from_ns))),
            device_epoch_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(timer_ns))), 0};
  }

  /// How far a fit is from the truth at `time_ns` [ns].
  [[nodiscard]] double miss_ns(const host_clock_fit& fit, double time_ns) const {
    return std::abs(static_cast<double>(static_cast<std::int64_t>(fit.at(device_at(time_ns)).ns - host_epoch_ns)) -
                    std::round(time_ns) - ahead(std::round(time_ns)));
  }

  static std::uint64_t device_at(double time_ns) {
    return device_epoch_ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::round(time_ns)));
  }
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  double uniform(double from, double to) {
    return from + (to - from) * static_cast<double>(random_.below(1u << 30)) / (1u << 30);
  }
  /// Evenly over orders of magnitude.
  double magnitude(double from, double to) { return from * std::pow(to / from, uniform(0, 1)); }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_.below(limit)); }

  clocks straight_clocks() {
    const double drift = uniform(-99, 99) * 1e-6;
    return {[drift](double time_ns) { return drift * time_ns; }, below(2) == 0 ? 32.0 : 1024.0};
  }

  /// Four readings, of which the one or other was detained.
  void add_burst(const clocks& of, double begin_ns, std::vector<host_clock_pair>& pairs) {
    for (int i = 0; i < 4; ++i) {
      const double detour_ns = below(6) == 0 ? magnitude(1e3, 1e6) : 0;
      const double to_ns = uniform(50, 1500) + detour_ns;
      pairs.push_back(of.read(begin_ns + 50'000 * i + uniform(0, 40'000), to_ns, uniform(50, 1500),
                              uniform(-timer_jitter_ns + 1, timer_jitter_ns)));
    }
  }

  /// Bursts at times that grow; returns the last one's.
  double add_bursts(const clocks& of, std::size_t count, std::vector<host_clock_pair>& pairs) {
    const double pause_ns = magnitude(1e6, 1e11);
    double now_ns = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) now_ns += uniform(0.1, 2) * pause_ns;
      add_burst(of, now_ns, pairs);
    }
    return now_ns;
  }

 private:
  synthetic::random_numbers random_;
};

/// The least and the largest that any line within all brackets has at `time_ns`: corner by corner, whatever it takes.
struct band {
  double least = std::numeric_limits<double>::max();
  double largest = std::numeric_limits<double>::lowest();
};
band best_band(const std::vector<host_clock_pair>& pairs, double tick_ns, double time_ns) {
  struct bound {
    double time_ns, ahead_ns;
  };
  std::vector<bound> lower, upper;
  for (const host_clock_pair& pair : pairs) {
    const auto at_ns = static_cast<double>(static_cast<std::int64_t>(pair.globaltimer_ns - device_epoch_ns));
    const auto ahead_ns = [&](std::uint64_t host_ns) {
      return static_cast<double>(static_cast<std::int64_t>(host_ns - host_epoch_ns)) - at_ns;
    };
    lower.push_back({at_ns, ahead_ns(pair.host_before_ns) - tick_ns - timer_jitter_ns});
    upper.push_back({at_ns, ahead_ns(pair.host_after_ns) + timer_jitter_ns});
  }
  std::vector<bound> all = lower;
  all.insert(all.end(), upper.begin(), upper.end());
  band found;
  const auto try_line = [&](const bound& through, double drift) {
    if (std::abs(drift) > largest_drift_ppm * 1e-6 * (1 + 1e-9)) return;
    const auto at = [&](double t) { return through.ahead_ns + drift * (t - through.time_ns); };
    for (const bound& one : lower)
      if (at(one.time_ns) < one.ahead_ns - 0.01) return;
    for (const bound& one : upper)
      if (at(one.time_ns) > one.ahead_ns + 0.01) return;
    found.least = std::min(found.least, at(time_ns));
    found.largest = std::max(found.largest, at(time_ns));
  };
  for (const bound& a : all) {
    for (const double drift : {-largest_drift_ppm * 1e-6, largest_drift_ppm * 1e-6}) try_line(a, drift);
    for (const bound& b : all)
      if (b.time_ns > a.time_ns) try_line(a, (b.ahead_ns - a.ahead_ns) / (b.time_ns - a.time_ns));
  }
  return found;
}

double half_of_tightest_ns(const std::vector<host_clock_pair>& pairs, double tick_ns) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const host_clock_pair& pair : pairs)
    least = std::min<std::uint64_t>(least, pair.host_after_ns - pair.host_before_ns);
  return (static_cast<double>(least) + tick_ns + 2 * timer_jitter_ns) / 2;
}

}  // namespace

TEST_CASE("one reading bounds the host's time by its bracket, and away from it by the largest drift") {
  const std::vector<host_clock_pair> pairs = {{5'000'000, 5'002'000, 1'000'000'000, 0}};
  const auto fit = host_clock_fit::of(pairs, 32);
  REQUIRE(fit.has_value());
  CHECK(fit->at(1'000'000'000).ns == 5'000'984);  // the reading was up to a tick before its time
  CHECK(fit->at(1'000'000'000).error_ns == Approx((2000 + 32 + 2 * timer_jitter_ns) / 2 + 1));
  for (const std::uint64_t device_ns : {0u, 2'000'000'000u}) {
    CHECK(fit->at(device_ns).ns == 5'000'984 + device_ns - 1'000'000'000);
    CHECK(fit->at(device_ns).error_ns == Approx(1036 + 1 + 100'000));
  }
  CHECK(fit->drift_ppm() == Approx(0).margin(1e-9));
  CHECK(fit->drift_error_ppm() == Approx(largest_drift_ppm));
  CHECK(fit->slack_ns() == 0);
  CHECK_FALSE(host_clock_fit::of({}, 32).has_value());
}

TEST_CASE("two bursts a second apart tell the drift to some ppm, and the time between to a microsecond") {
  const double drift = 12e-6;
  const clocks of{[=](double time_ns) { return drift * time_ns; }};
  std::vector<host_clock_pair> pairs;
  for (const double begin_ns : {0.0, 1e9})
    for (int i = 0; i < 4; ++i) pairs.push_back(of.read(begin_ns + 50'000 * i, 900, 1000, 0));
  const auto fit = host_clock_fit::of(pairs, of.tick_ns);
  REQUIRE(fit.has_value());
  CHECK(std::abs(fit->drift_ppm() - 12) <= fit->drift_error_ppm());
  CHECK(fit->drift_error_ppm() < 2.1);
  CHECK(fit->left_out() == 0);
  for (const double time_ns : {0.0, 0.3e9, 0.5e9, 1e9}) {
    CHECK(fit->at(clocks::device_at(time_ns)).error_ns < 1000);
    CHECK(of.miss_ns(*fit, time_ns) <= fit->at(clocks::device_at(time_ns)).error_ns);
  }
  CHECK(fit->at(clocks::device_at(3e9)).error_ns > 3000);
}

TEST_CASE("the truth is within the error at every time, and the error is the least that is possible") {
  constexpr int cases = 3000;
  double most_used = 0;
  for (int seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    generator random(static_cast<std::uint64_t>(seed));
    const clocks of = random.straight_clocks();
    std::vector<host_clock_pair> pairs;
    const double span_ns = random.add_bursts(of, 1 + random.below(seed % 4 == 0 ? 30 : 4), pairs);
    const auto fit = host_clock_fit::of(pairs, of.tick_ns);
    REQUIRE(fit.has_value());
    REQUIRE(fit->slack_ns() == 0);
    REQUIRE(fit->left_out() == 0);
    REQUIRE(std::abs(fit->drift_ppm() - of.ahead(1e6)) <= fit->drift_error_ppm() + 1e-9);
    for (int i = 0; i < 8; ++i) {
      const double time_ns = random.uniform(-span_ns - 1e8, 2 * span_ns + 1e8);
      const host_instant found = fit->at(clocks::device_at(time_ns));
      const double miss_ns = of.miss_ns(*fit, time_ns);
      REQUIRE(miss_ns <= found.error_ns);
      most_used = std::max(most_used, miss_ns / found.error_ns);
      if (pairs.size() > 16) continue;
      const band best = best_band(pairs, of.tick_ns, std::round(time_ns));
      const double best_ns = std::max((best.largest - best.least) / 2, half_of_tightest_ns(pairs, of.tick_ns));
      REQUIRE(found.error_ns <= best_ns * 1.0001 + 1.6);
      REQUIRE(found.error_ns >= best_ns * 0.9999 + 0.4);
    }
  }
  // Of so many, some are at the edge: the error is no wider than it has to be.
  CHECK(most_used > 0.9);
}

TEST_CASE("a few readings that are plainly wrong cost nothing but themselves and their neighbours") {
  std::vector<double> costs;
  for (int seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    generator random(static_cast<std::uint64_t>(seed));
    const clocks of = random.straight_clocks();
    std::vector<host_clock_pair> good;
    const double span_ns = random.add_bursts(of, 4 + random.below(20), good);
    std::vector<host_clock_pair> pairs = good;
    const std::size_t wrong = 1 + random.below(std::max<std::size_t>(pairs.size() / 16, 1));
    for (std::size_t i = 0; i < wrong; ++i) {
      // Beyond what any drift explains.
      const double off_ns = (random.below(2) == 0 ? -1 : 1) * (random.magnitude(3e6, 1e9) + span_ns * 4e-4);
      host_clock_pair& pair = pairs[random.below(pairs.size())];
      pair.host_before_ns += static_cast<std::uint64_t>(static_cast<std::int64_t>(off_ns));
      pair.host_after_ns += static_cast<std::uint64_t>(static_cast<std::int64_t>(off_ns));
    }
    const auto fit = host_clock_fit::of(pairs, of.tick_ns);
    const auto without = host_clock_fit::of(good, of.tick_ns);
    REQUIRE(fit.has_value());
    REQUIRE(fit->slack_ns() == 0);
    REQUIRE(fit->left_out() >= 1);
    REQUIRE(fit->left_out() <= 3 * wrong);
    for (int i = 0; i < 8; ++i) {
      const double time_ns = random.uniform(0, span_ns);
      const double error_ns = fit->at(clocks::device_at(time_ns)).error_ns;
      REQUIRE(of.miss_ns(*fit, time_ns) <= error_ns);
      costs.push_back(error_ns / without->at(clocks::device_at(time_ns)).error_ns);
    }
  }
  std::sort(costs.begin(), costs.end());
  CHECK(costs[costs.size() / 2] < 1.05);
  CHECK(costs[costs.size() * 95 / 100] < 1.6);
  CHECK(costs.back() < 10);
}

TEST_CASE("a drift that changes makes the error larger, and the truth stays within it") {
  for (int seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    generator random(static_cast<std::uint64_t>(seed));
    const double drift = random.uniform(-50, 50) * 1e-6;
    const double depth_ns = random.magnitude(100, 1e6);
    const std::size_t bursts = 12 + random.below(100);
    const double span_ns = random.magnitude(1e10, 1e13);
    const double turns = random.uniform(0.5, 2);
    clocks of{[=](double time_ns) { return drift * time_ns + depth_ns * std::sin(turns * 6.283 * time_ns / span_ns); }};
    std::vector<host_clock_pair> pairs;
    for (std::size_t i = 0; i < bursts; ++i)
      random.add_burst(of, span_ns * static_cast<double>(i) / static_cast<double>(bursts - 1), pairs);
    const auto fit = host_clock_fit::of(pairs, of.tick_ns);
    REQUIRE(fit.has_value());
    for (int i = 0; i < 20; ++i) {
      const double time_ns = random.uniform(0, span_ns);
      const double error_ns = fit->at(clocks::device_at(time_ns)).error_ns;
      // A change that stays within the brackets is not seen.
      REQUIRE(of.miss_ns(*fit, time_ns) <= error_ns + half_of_tightest_ns(pairs, of.tick_ns));
      REQUIRE(error_ns < 4 * (depth_ns + 3000));
    }
  }
}

TEST_CASE("readings of many bursts are used, and in any order") {
  generator random(1);
  const clocks of = random.straight_clocks();
  std::vector<host_clock_pair> pairs;
  const double span_ns = random.add_bursts(of, 1200, pairs);
  const auto fit = host_clock_fit::of(pairs, of.tick_ns);
  std::reverse(pairs.begin(), pairs.end());
  const auto reversed = host_clock_fit::of(pairs, of.tick_ns);
  REQUIRE(fit.has_value());
  REQUIRE(reversed.has_value());
  for (int i = 0; i < 100; ++i) {
    const double time_ns = random.uniform(0, span_ns);
    const host_instant found = fit->at(clocks::device_at(time_ns));
    CHECK(of.miss_ns(*fit, time_ns) <= found.error_ns);
    CHECK(found.error_ns < 1000);
    CHECK(std::abs(static_cast<std::int64_t>(found.ns - reversed->at(clocks::device_at(time_ns)).ns)) <= 1);
  }
}

TEST_CASE("of more readings than are used, the tight ones are") {
  const clocks of{[](double) { return 0.0; }};
  std::vector<host_clock_pair> pairs;
  for (int i = 0; i < 4000; ++i) {
    const double half_ns = i % 4 == 2 ? 1000 : 1e6;
    pairs.push_back(of.read(1e6 * i, half_ns, half_ns, 0));
  }
  const auto fit = host_clock_fit::of(pairs, of.tick_ns);
  REQUIRE(fit.has_value());
  CHECK(fit->at(clocks::device_at(2e9)).error_ns < 1100);
}

TEST_CASE("readings of any size are fitted or refused, and neither fails nor takes long") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    synthetic::random_numbers random(seed);
    std::vector<host_clock_pair> pairs(random.below(seed % 50 == 0 ? 3000 : 12));
    for (host_clock_pair& pair : pairs) {
      const auto any = [&] { return random.next() >> random.below(64); };
      pair.host_before_ns = any();
      pair.host_after_ns = pair.host_before_ns + (any() >> 1);
      pair.globaltimer_ns = any();
    }
    const auto fit = host_clock_fit::of(pairs, 32);
    if (!fit) continue;
    CHECK(fit->at(random.next()).error_ns >= 0);
    CHECK(std::abs(fit->drift_ppm()) <= largest_drift_ppm);
  }
}
