// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Random GPUs under random loads, and where their kernels made clock pairs.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "clock_truth.hpp"

namespace clock_truth {

enum class load { steady, wander, bursts, matrix };

struct launch_time {
  double begin_ns = 0;
  double end_ns = 0;
};

/// A pair that was made, and when.
struct made_pair {
  iket::analysis::sm_pair pair;
  double ns = 0;
  std::size_t sm = 0;  ///< index
  bool wrong = false;
};

struct random_case {
  machine gpu;
  clock_truth::load load = load::steady;
  std::vector<launch_time> launches;
  std::vector<made_pair> pairs;
  double spacing_ns = 0;  ///< between the pairs of a domain, about
  std::size_t wrong = 0;

  explicit random_case(std::uint64_t seed) : random(seed) {
    gpu.timer.tick_ns = random.chance(0.7) ? 32 : random.chance(0.5) ? 1000 : 1024;
    gpu.timer.worst_jitter_ns = random.chance(0.3) ? 0 : random.uniform(2, 20);
    gpu.timer.seed = seed;
    load = static_cast<clock_truth::load>(random.below(4));
    add_launches();
    const std::size_t domains = 1 + random.below(5);
    const double ghz = random.chance(0.6) ? 1.98 : random.uniform(0.6, 2.4);
    for (std::size_t i = 0; i < domains; ++i) add_domain(i, ghz);
    add_pairs();
    spoil();
  }

  [[nodiscard]] std::vector<iket::analysis::sm_pair> measured() const {
    std::vector<iket::analysis::sm_pair> all;
    for (const made_pair& made : pairs) all.push_back(made.pair);
    return all;
  }

  dice random;

 private:
  void add_launches() {
    const std::uint64_t count = random.chance(0.6) ? 1 : 2 + random.below(3);
    double at_ns = 10'000;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double length_ns = load == load::matrix ? random.log_uniform(1e6, 4e6) : random.log_uniform(2e4, 8e6);
      launches.push_back({at_ns, at_ns + length_ns});
      at_ns += length_ns + (random.chance(0.5) ? random.log_uniform(2e3, 6e4) : random.log_uniform(3e5, 2e9));
    }
  }

  /// Counters differ by milliseconds, and by 20 us at least.
  void add_domain(std::size_t number, double ghz) {
    const double own = ghz * (1 + random.uniform(-3e-4, 3e-4));
    const auto first = 1'000'000'000'000 + 40'000'000 * static_cast<std::uint64_t>(number) + random.below(30'000'000);
    counter of(first, own);
    double level = own;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      run(of, launches[i], own, level);
      const bool idles = i + 1 < launches.size() && launches[i + 1].begin_ns - launches[i].end_ns > 200'000;
      if (idles && random.chance(0.5)) {
        of.turn(launches[i].end_ns + 50'000, own * random.uniform(0.3, 1.05));
        of.turn(launches[i + 1].begin_ns - 50'000, level);
      }
    }
    gpu.domains.push_back(of);
    const std::uint64_t sms = 1 + random.below(8);
    for (std::uint64_t i = 0; i < sms; ++i)
      gpu.sms.push_back(
          {static_cast<std::uint32_t>(i * 8 + number), number, random.chance(0.5) ? random.uniform(-2.4, 2.4) : 0});
  }

  void run(counter& of, const launch_time& launch, double own, double& level) {
    double at_ns = launch.begin_ns;
    const double amplitude = random.uniform(1e-4, 1e-3);
    const double phase = random.uniform(0, 6);
    const double period_ns = random.uniform(5e5, 4e6);
    const double wander_ns = random.uniform(10, 130);
    for (bool on = random.chance(0.5); at_ns < launch.end_ns; on = !on) {
      if (load == load::bursts) {
        of.turn(at_ns, own * (1 + (on ? amplitude : -amplitude)));
        at_ns += random.uniform(200'000, 300'000);
      } else if (load == load::wander) {
        const double angle = 2 * 3.14159265 / period_ns;
        of.turn(at_ns, own * (1 + wander_ns * angle * std::cos(phase + angle * at_ns)));
        at_ns += 5'000;
      } else if (load == load::matrix) {
        const double next = own * random.uniform(0.8, 1);
        const double ramp_ns = random.chance(0.3) ? 0 : random.uniform(20'000, 300'000);
        const double from = level;
        for (double part = 0; part < 1 && at_ns + part * ramp_ns < launch.end_ns;
             part += 2'000 / std::max(ramp_ns, 2'000.0)) {
          level = from + (next - from) * (ramp_ns > 0 ? part : 1);
          of.turn(at_ns + part * ramp_ns, level);
        }
        at_ns += ramp_ns + random.uniform(300'000, 800'000);
      } else {
        at_ns = launch.end_ns;
      }
    }
    if (load != load::matrix) of.turn(launch.end_ns, own);
  }

  void add_pairs() {
    const double usual_ns = load == load::matrix ? random.log_uniform(4'000, 30'000) : random.log_uniform(4'000, 4e5);
    spacing_ns = usual_ns;
    for (std::size_t s = 0; s < gpu.sms.size(); ++s) {
      const bool has_one = load != load::matrix && random.chance(0.1);
      const std::size_t only = random.below(launches.size());
      const bool misses = random.chance(0.2);
      for (std::size_t l = 0; l < launches.size(); ++l) {
        if ((has_one && l != only) || (misses && launches.size() > 1 && random.chance(0.5))) continue;
        const launch_time& launch = launches[l];
        const double ends_ns = std::min(2'000.0, (launch.end_ns - launch.begin_ns) / 4);
        if (has_one) {
          make(s, random.uniform(launch.begin_ns, launch.end_ns), l);
          continue;
        }
        make(s, launch.begin_ns + random.uniform(0, ends_ns), l);
        make(s, launch.end_ns - random.uniform(0, ends_ns), l);
        double at_ns = launch.begin_ns + random.uniform(0, usual_ns);
        for (int i = 0; i < (load == load::matrix ? 2500 : 250) && at_ns < launch.end_ns;
             ++i, at_ns += random.uniform(0.2, 1.8) * usual_ns)
          make(s, at_ns, l);
      }
    }
  }

  void make(std::size_t s, double ns, std::size_t launch) {
    pairs.push_back({gpu.pair(gpu.sms[s], ns, static_cast<std::uint32_t>(launch), random), ns, s, false});
  }

  /// Whether the SM made at least four other pairs within ten times their usual distance: behind a long gap nobody
  /// could tell that one is wrong.
  [[nodiscard]] bool has_company(std::size_t i) const {
    std::size_t others = 0;
    for (const made_pair& other : pairs)
      others += other.sm == pairs[i].sm && std::abs(other.ns - pairs[i].ns) < 10 * spacing_ns;
    return others > 4;
  }

  /// Some per cent of the pairs are wrong, where enough others tell so.
  void spoil() {
    if (load == load::matrix || !random.chance(0.3)) return;
    const double part = random.uniform(0.002, 0.05);
    std::vector<std::size_t> count(gpu.sms.size() * launches.size());
    const auto place = [&](const made_pair& made) { return made.sm * launches.size() + made.pair.launch; };
    for (const made_pair& made : pairs) ++count[place(made)];
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      made_pair& made = pairs[i];
      if (count[place(made)] < 20 || spacing_ns > 2e4 || !random.chance(part) || !has_company(i)) continue;
      made.wrong = true;
      ++wrong;
      const double by_ns = random.log_uniform(std::max(5'000.0, 1.5 * spacing_ns) + 5 * gpu.timer.tick_ns, 1e9) *
                           (random.chance(0.5) ? 1 : -1);
      const auto by = static_cast<std::uint64_t>(static_cast<std::int64_t>(by_ns));
      (random.chance(0.5) ? made.pair.cycles : made.pair.globaltimer_ns) += by;
    }
  }
};

}  // namespace clock_truth
