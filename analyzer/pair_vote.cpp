// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pair_vote.hpp"

#include <algorithm>
#include <cmath>

namespace iket::analysis {
namespace {

bool agree(const clock_point& a, const clock_point& b, const vote_rule& rule) {
  const double cycles = b.cycles - a.cycles;
  const double ns = b.ns - a.ns;
  return ns >= cycles * rule.least_ns_per_cycle - rule.slack_ns && ns <= cycles * rule.most_ns_per_cycle + rule.slack_ns;
}

/// How far a point is off the line between its n-th neighbours, and how far one may be for the rate to change there.
struct deviation {
  double off_ns = 0;
  double near_ns = 0;
};

deviation deviation_at(std::span<const clock_point> points, std::size_t i, std::size_t n, double ns_per_cycle) {
  const clock_point& before = points[i - n];
  const clock_point& behind = points[i + n];
  const double way = std::max(1.0, behind.cycles - before.cycles);
  const double part = (points[i].cycles - before.cycles) / way;
  return {std::abs(points[i].ns - before.ns - (behind.ns - before.ns) * part),
          way * std::min(part, 1 - part) * ns_per_cycle};
}

}  // namespace

std::vector<bool> outvoted(std::span<const clock_point> points, const vote_rule& rule) {
  std::vector<bool> out(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first = i - std::min(i, rule.neighbours);
    const std::size_t last = std::min(points.size(), i + 1 + rule.neighbours);
    std::size_t for_it = 0;
    for (std::size_t k = first; k < i; ++k) for_it += agree(points[k], points[i], rule);
    for (std::size_t k = i + 1; k < last; ++k) for_it += agree(points[i], points[k], rule);
    const std::size_t asked = last - first - 1;
    out[i] = asked >= 2 && for_it * 2 < asked;
  }
  return out;
}

std::vector<bool> standing_out(std::span<const clock_point> points, double ns_per_cycle, double slack_ns) {
  constexpr std::size_t block = 32;
  std::vector<bool> out(points.size());
  if (points.size() < 5) return out;
  std::vector<double> offs;
  for (std::size_t first = 2; first + 2 < points.size(); first += block) {
    const std::size_t last = std::min(first + block, points.size() - 2);
    offs.clear();
    for (std::size_t i = first; i < last; ++i) offs.push_back(deviation_at(points, i, 1, ns_per_cycle).off_ns);
    std::vector<double> sorted = offs;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double usual = 8 * *middle;
    const auto is_far = [&](const deviation& from) {
      return from.off_ns > usual && from.off_ns > slack_ns + from.near_ns / 4;
    };
    for (std::size_t i = first; i < last; ++i)
      out[i] = is_far(deviation_at(points, i, 1, ns_per_cycle)) && is_far(deviation_at(points, i, 2, ns_per_cycle));
  }
  return out;
}

}  // namespace iket::analysis
