// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_polyline.hpp"

#include <algorithm>
#include <cmath>

namespace iket::analysis {
namespace {

struct reading {
  double cycles = 0;
  double ns = 0;
};

/// The slopes of all lines from a knot that pass some pairs within a tolerance.
class cone {
 public:
  cone(reading from, double common, double tolerance)
      : from_(from), common_(common), tolerance_(tolerance), least_(common / 2), most_(common * 2) {}

  [[nodiscard]] bool takes(reading p) const { return bounds_with(p).first <= bounds_with(p).second; }

  void add(reading p) {
    const auto [least, most] = bounds_with(p);
    least_ = least;
    most_ = most;
  }

  [[nodiscard]] double slope() const { return std::clamp(common_, least_, most_); }
  [[nodiscard]] double at(double cycles) const { return from_.ns + slope() * (cycles - from_.cycles); }
  [[nodiscard]] clock_knot knot() const { return {from_.cycles, from_.ns, slope()}; }

 private:
  [[nodiscard]] std::pair<double, double> bounds_with(reading p) const {
    const double distance = p.cycles - from_.cycles;
    const double rise = p.ns - from_.ns;
    // At the knot itself there is no slope to choose: what is off there is off.
    if (distance <= 0) return std::abs(rise) <= 2 * tolerance_ ? std::pair(least_, most_) : std::pair(1.0, 0.0);
    return {std::max(least_, (rise - tolerance_) / distance), std::min(most_, (rise + tolerance_) / distance)};
  }

  reading from_;
  double common_;
  double tolerance_;
  double least_;
  double most_;
};

constexpr std::size_t looked_at = 3;

/// True if most of the pairs right behind the one at `i` lie on lines that `current` has.
bool followers_fit(const std::vector<reading>& readings, std::size_t i, const cone& current) {
  std::size_t fitting = 0;
  for (std::size_t k = i + 1; k < readings.size() && k <= i + looked_at; ++k)
    fitting += current.takes(readings[k]) ? 1 : 0;
  return fitting >= 2;
}

/// The first pair from which a line leads on; 0 where there is none.
std::size_t first_to_trust(const std::vector<reading>& readings, double common, double tolerance) {
  for (std::size_t i = 0; i + looked_at < readings.size(); ++i)
    if (followers_fit(readings, i, cone(readings[i], common, tolerance))) return i;
  return 0;
}

}  // namespace

clock_polyline follow_pairs(std::span<const sm_pair> pairs, double ns_per_cycle, double tick_ns, double tolerance_ns) {
  std::vector<reading> readings;
  readings.reserve(pairs.size());
  for (const sm_pair& pair : pairs)
    readings.push_back(
        {static_cast<double>(static_cast<std::int64_t>(pair.cycles - pairs[0].cycles)),
         static_cast<double>(static_cast<std::int64_t>(pair.globaltimer_ns - pairs[0].globaltimer_ns)) + tick_ns / 2});

  clock_polyline chain;
  std::vector<bool> passed_by(readings.size());
  std::size_t last = first_to_trust(readings, ns_per_cycle, tolerance_ns);  // the newest pair that `current` passes
  cone current(readings[last], ns_per_cycle, tolerance_ns);
  std::fill_n(passed_by.begin(), last, true);
  for (std::size_t i = last + 1; i < readings.size(); ++i) {
    if (current.takes(readings[i])) {
      current.add(readings[i]);
      last = i;
    } else if (followers_fit(readings, i, current)) {
      // Those behind it fit a line that passes it by: it is wrong, not they.
      passed_by[i] = true;
    } else if (readings[last].cycles > current.knot().cycles) {
      // The chain turns at the last pair that the line passed, and goes on with the one that it did not.
      chain.knots.push_back(current.knot());
      current = cone({readings[last].cycles, current.at(readings[last].cycles)}, ns_per_cycle, tolerance_ns);
      --i;
    } else {
      // Not even a line from the pair before leads here: start anew, as far as time goes forward.
      const reading next{readings[i].cycles, std::max(readings[i].ns, current.at(readings[i].cycles))};
      if (next.cycles > current.knot().cycles) chain.knots.push_back(current.knot());
      current = cone(next, ns_per_cycle, tolerance_ns);
      last = i;
    }
  }
  chain.knots.push_back(current.knot());
  // The last line may be that of a few pairs close together: behind them the common rate goes on.
  const double end = readings[last].cycles;
  if (end > current.knot().cycles) chain.knots.push_back({end, current.at(end), ns_per_cycle});

  std::size_t knot = 0;
  double farthest_ns = 0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    while (knot + 1 < chain.knots.size() && chain.knots[knot + 1].cycles <= readings[i].cycles) ++knot;
    const clock_knot& from = chain.knots[knot];
    const double on_chain = from.ns + from.ns_per_cycle * (readings[i].cycles - from.cycles);
    const double residual = std::abs(readings[i].ns - on_chain);
    if (passed_by[i] && residual > 4 * tolerance_ns) {
      ++chain.outliers;
      farthest_ns = std::max(farthest_ns, residual);
    } else {
      chain.largest_residual_ns = std::max(chain.largest_residual_ns, residual);
    }
  }
  // Many pairs off the chain are no outliers: it is the chain that is off.
  if (chain.outliers * 16 > readings.size())
    chain.largest_residual_ns = std::max(chain.largest_residual_ns, farthest_ns);
  return chain;
}

}  // namespace iket::analysis
