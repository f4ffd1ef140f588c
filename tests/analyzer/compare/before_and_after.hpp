// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Pairs of timelines whose differences are known.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../hand_made.hpp"
#include "statistics/self_intervals.hpp"

namespace iket::test {

/// A copy in which one stage's self time is `factor` times as long, in every whole range on every warp; all else on the
/// warp happens as much later, and no other range's self time changes.
inline timeline stretched(timeline of, const std::string& stage, double factor) {
  for (launch& one : of.launches)
    for (warp_timeline& warp : one.warps) {
      struct delay {
        picoseconds from, until, more;
        index range;
      };
      std::vector<delay> delays;
      self_interval_walk()(
          warp, warp.observed, warp.unobserved, [&](index number, picoseconds from, picoseconds until) {
            if (of.stages[warp.ranges[number].stage].name != stage) return;
            delays.push_back({from, until, std::llround((factor - 1) * static_cast<double>(until - from)), number});
          });
      const auto moved = [&](picoseconds time) {
        picoseconds result = time;
        for (const delay& one_delay : delays)
          if (time >= one_delay.until) result += one_delay.more;
        return result;
      };
      for (const delay& one_delay : delays) warp.ranges[one_delay.range].self += one_delay.more;
      for (range& inside : warp.ranges) {
        inside.begin = moved(inside.begin);
        inside.end = moved(inside.end);
      }
      for (point& inside : warp.points) inside.time = moved(inside.time);
      for (picoseconds* const time : {&warp.unobserved, &warp.close}) *time = moved(*time);
      one.end = std::max(one.end, warp.close);
    }
  return of;
}

/// A kernel with noise: a warp for each of two roles, each of which runs some stages once.
struct noisy_kernel {
  std::size_t launches = 1;
  std::uint32_t ctas = 16;
  std::uint32_t first_cta = 0;
  std::size_t stages = 6;
  double cta_noise = 0.03;  ///< standard deviation of what each CTA of each launch has for itself
  double launch_noise = 0;  ///< of what all CTAs of a launch have in common
  double cta_spread = 0;    ///< of what a CTA has in common in all traces
  bool skewed = false;      ///< lognormal noise with a long tail
  double change = 0;        ///< of the first stage
  std::string name = "noisy";
};

inline timeline noisy_timeline(const noisy_kernel& like, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::mt19937 fixed(4711);
  std::vector<double> cta_effects;
  for (std::uint32_t i = 0; i < like.first_cta + like.ctas; ++i) cta_effects.push_back(normal(fixed));
  normal.reset();
  const auto noise = [&] {
    const double value = normal(random);
    return like.skewed ? (std::exp(value) - std::exp(0.5)) / 2.16 : value;
  };
  hand_made made;
  picoseconds start = 0;
  for (std::size_t launch = 0; launch < like.launches; ++launch, start += 1'000'000'000) {
    made.launch(like.name, like.ctas);
    const double common = like.launch_noise * normal(random);
    for (std::uint32_t cta = like.first_cta; cta < like.first_cta + like.ctas; ++cta)
      for (std::uint32_t warp = 0; warp < 2; ++warp) {
        std::vector<picoseconds> lengths;
        picoseconds sum = 0;
        for (std::size_t stage = 0; stage < like.stages; ++stage) {
          const double effect = common + like.cta_spread * cta_effects[cta] + like.cta_noise * noise();
          const double change = stage == 0 ? like.change : 0;
          lengths.push_back(std::max<picoseconds>(std::llround(5e6 * (1 + effect) * (1 + change)), 1000));
          sum += lengths.back() + 100'000;
        }
        made.warp(cta, warp, warp == 0 ? "producer" : "consumer", start, start + sum);
        picoseconds now = start;
        for (std::size_t stage = 0; stage < like.stages; ++stage) {
          const std::string name = "stage " + std::to_string(stage);
          made.add(stage % 2 == 0 ? stage_kind::work : stage_kind::wait, name, now, now + lengths[stage]);
          now += lengths[stage] + 100'000;
        }
      }
  }
  return made.take();
}

}  // namespace iket::test
