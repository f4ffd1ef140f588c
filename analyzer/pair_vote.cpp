// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pair_vote.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace iket::analysis {
namespace {

bool agree(const clock_point& a, const clock_point& b, const vote_rule& rule) {
  const double cycles = b.cycles - a.cycles;
  const double ns = b.ns - a.ns;
  return ns >= cycles * rule.least_ns_per_cycle - rule.slack_ns &&
         ns <= cycles * rule.most_ns_per_cycle + rule.slack_ns;
}

bool agree_either_way(const clock_point& a, const clock_point& b, const vote_rule& rule) {
  return a.cycles <= b.cycles ? agree(a, b, rule) : agree(b, a, rule);
}

/// Whether two points agree with each other, and neither with this one.
bool is_alone(const clock_point& point, const clock_point& a, const clock_point& b, const vote_rule& rule) {
  return agree(a, b, rule) && !agree_either_way(point, a, rule) && !agree_either_way(point, b, rule);
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

/// Who agrees with a point, of its nearest ones on either side.
struct verdict {
  std::size_t asked = 0;
  std::size_t agreeing = 0;

  [[nodiscard]] bool is_out() const { return asked >= 2 && agreeing * 2 < asked; }
};

/// Of the voters, which are indices in order, those around point i.
verdict ask(std::span<const clock_point> points, std::size_t i, std::span<const std::size_t> voters,
            const vote_rule& rule) {
  const auto at = std::lower_bound(voters.begin(), voters.end(), i);
  verdict found;
  std::size_t of_side = 0;
  for (auto k = at; k != voters.begin() && of_side != rule.neighbours; ++of_side)
    found.agreeing += agree(points[*--k], points[i], rule);
  found.asked = of_side;
  of_side = 0;
  for (auto k = at; k != voters.end() && of_side != rule.neighbours; ++k) {
    if (*k == i) continue;
    ++of_side;
    found.agreeing += agree(points[i], points[*k], rule);
  }
  found.asked += of_side;
  return found;
}

}  // namespace

std::vector<bool> outvoted(std::span<const clock_point> points, const vote_rule& rule) {
  std::vector<std::size_t> all(points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<bool> out(points.size());
  std::vector<std::size_t> winners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    out[i] = ask(points, i, all, rule).is_out();
    if (!out[i]) winners.push_back(i);
  }
  // Wrong ones that came together had a say where they are many: asked again without them.
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!out[i]) continue;
    const verdict again = ask(points, i, winners, rule);
    out[i] = again.asked < 2 || again.is_out();
  }
  return out;
}

std::vector<bool> standing_out(std::span<const clock_point> points, const vote_rule& rule) {
  constexpr std::size_t block = 32;
  std::vector<bool> out(points.size());
  if (points.size() < 5) return out;
  const std::size_t end = points.size() - 1;
  out[0] = is_alone(points[0], points[1], points[2], rule);
  out[1] = is_alone(points[1], points[0], points[2], rule);
  out[end - 1] = is_alone(points[end - 1], points[end - 2], points[end], rule);
  out[end] = is_alone(points[end], points[end - 2], points[end - 1], rule);
  const double rate = rule.most_ns_per_cycle;
  const double change = std::min(0.25, 1 - rule.least_ns_per_cycle / rate);
  std::vector<double> offs(points.size());
  for (std::size_t i = 2; i + 2 < points.size(); ++i) offs[i] = deviation_at(points, i, 1, rate).off_ns;
  std::vector<double> sorted;
  for (std::size_t first = 2; first + 2 < points.size(); first += block) {
    const std::size_t last = std::min(first + block, points.size() - 2);
    // The last ones are few: those before have a say too.
    const std::size_t asked = last - std::min(last - 2, block);
    sorted.assign(offs.begin() + static_cast<std::ptrdiff_t>(asked), offs.begin() + static_cast<std::ptrdiff_t>(last));
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double usual = 8 * *middle;
    const auto is_far = [&](const deviation& from) {
      return from.off_ns > usual && from.off_ns > rule.slack_ns + from.near_ns * change;
    };
    for (std::size_t i = first; i < last; ++i)
      out[i] = out[i] || (is_far(deviation_at(points, i, 1, rate)) && is_far(deviation_at(points, i, 2, rate)));
  }
  return out;
}

vote_rule make_rule(std::span<const clock_point> points, double ns_per_cycle, double slack_ns, double factor) {
  constexpr std::size_t way = 4;
  constexpr std::size_t enough = 8;
  constexpr double least_room = 5e-3;
  constexpr double long_way_ns = 1e6;  // on shorter ones few points may show a rate that the others do not
  vote_rule rule{ns_per_cycle / factor, ns_per_cycle * factor, slack_ns, 8};
  std::vector<double> rates;
  for (std::size_t i = 0; i + way < points.size(); ++i) {
    const double cycles = points[i + way].cycles - points[i].cycles;
    if (cycles * ns_per_cycle > long_way_ns) rates.push_back((points[i + way].ns - points[i].ns) / cycles);
  }
  if (rates.size() < enough) return rule;
  const auto nth = [&](std::size_t n) {
    const auto at = rates.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(rates.begin(), at, rates.end());
    return *at;
  };
  const double low = nth(rates.size() * 15 / 100);
  const double high = nth(rates.size() * 85 / 100);
  if (low <= 0) return rule;
  const double room = least_room + 4 * (high / low - 1);
  rule.least_ns_per_cycle = std::max(rule.least_ns_per_cycle, low * (1 - room));
  rule.most_ns_per_cycle = std::min(rule.most_ns_per_cycle, high * (1 + room));
  return rule;
}

}  // namespace iket::analysis
