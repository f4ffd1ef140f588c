// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Generated clocks whose truth is known: counters that wander and follow the load, and a timer that ticks unevenly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "clock_pairs.hpp"
#include "synthetic.hpp"

namespace clock_truth {

inline constexpr std::uint64_t zero_ns = 1'800'000'000'000'000'000;

/// Random numbers of other shapes.
class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 4; ++i) random_.next();
  }
  double uniform(double from, double to) {
    return from + (to - from) * static_cast<double>(random_.below(std::uint64_t{1} << 40)) * std::ldexp(1, -40);
  }
  double log_uniform(double from, double to) { return std::exp(uniform(std::log(from), std::log(to))); }
  std::uint64_t below(std::uint64_t limit) { return random_.below(limit); }
  bool chance(double p) { return uniform(0, 1) < p; }

 private:
  synthetic::random_numbers random_;
};

/// A counter: cycles over ns after zero, as a chain of straight lines.
class counter {
 public:
  counter(std::uint64_t first_cycles, double rate) : first_(first_cycles), knots_{{0, 0, rate}} {}

  /// From `ns` on it runs at another rate [cycles per ns].
  void turn(double ns, double rate) { knots_.push_back({ns, distance(ns), rate}); }

  [[nodiscard]] double distance(double ns) const {
    const knot& on = at(ns);
    return on.cycles + (ns - on.ns) * on.rate;
  }
  [[nodiscard]] std::uint64_t cycles(double ns) const {
    return first_ + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(distance(ns))));
  }
  /// The least and the greatest rate between two times.
  [[nodiscard]] std::pair<double, double> rates(double from_ns, double to_ns) const {
    std::pair<double, double> found{at(from_ns).rate, at(from_ns).rate};
    for (const knot* on = &at(from_ns); on != knots_.data() + knots_.size() && on->ns <= to_ns; ++on)
      found = {std::min(found.first, on->rate), std::max(found.second, on->rate)};
    return found;
  }

 private:
  struct knot {
    double ns, cycles, rate;
  };
  [[nodiscard]] const knot& at(double ns) const {
    const auto next = std::upper_bound(knots_.begin() + 1, knots_.end(), ns,
                                       [](double wanted, const knot& k) { return wanted < k.ns; });
    return *(next - 1);
  }

  std::uint64_t first_;
  std::vector<knot> knots_;
};

/// A timer whose n-th step comes within `worst_jitter_ns` of n * tick, mostly much nearer.
struct timer {
  double tick_ns = 32;
  double worst_jitter_ns = 20;
  std::uint64_t seed = 0;

  [[nodiscard]] double jitter(std::int64_t n) const {
    // The sum of three even numbers is nearly normal: 5 % beyond half of the worst on either side.
    synthetic::random_numbers random(seed ^ static_cast<std::uint64_t>(n) * 0x9E3779B97F4A7C15u);
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += static_cast<double>(random.below(2001)) / 1000 - 1;
    return std::clamp(sum / 2, -1.0, 1.0) * worst_jitter_ns;
  }
  [[nodiscard]] std::uint64_t shown(double ns) const {
    auto n = static_cast<std::int64_t>(std::floor(ns / tick_ns)) + 1;
    while (static_cast<double>(n) * tick_ns + jitter(n) > ns) --n;
    return zero_ns + static_cast<std::uint64_t>(n * static_cast<std::int64_t>(tick_ns));
  }
};

struct sm {
  std::uint32_t id = 0;
  std::size_t domain = 0;
  double offset_ns = 0;  ///< its counter shows the domain's of so long before
};

/// A GPU.
struct machine {
  std::vector<counter> domains;
  std::vector<sm> sms;
  clock_truth::timer timer;

  [[nodiscard]] std::uint64_t cycles(const sm& on, double ns) const {
    return domains[on.domain].cycles(ns - on.offset_ns);
  }
  /// The timer is read 4 cycles behind the clock, sometimes more, up to 19.
  [[nodiscard]] iket::analysis::sm_pair pair(const sm& on, double ns, std::uint32_t launch, dice& random) const {
    const double delay_cycles = random.chance(0.9) ? 4 : random.uniform(4, 19);
    const double rate = domains[on.domain].rates(ns, ns).first;
    return {on.id, cycles(on, ns), timer.shown(ns + delay_cycles / rate), launch};
  }
};

}  // namespace clock_truth
