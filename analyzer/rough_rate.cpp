// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rough_rate.hpp"

#include <algorithm>
#include <cmath>

namespace iket::analysis {
namespace {

// 10 GHz to 50 MHz.
constexpr double least_ns_per_cycle = 0.1;
constexpr double most_ns_per_cycle = 20;

/// Calls `add(i, k)` for all pairs i < k of up to `most` numbers below `size`, evenly spaced.
template <class Add>
void for_sampled_pairs(std::size_t size, std::size_t most, Add add) {
  const std::size_t count = std::min(most, size);
  const auto nth = [&](std::size_t i) { return i * (size - 1) / (count - 1); };
  for (std::size_t i = 0; i + 1 < count; ++i)
    for (std::size_t k = i + 1; k < count; ++k) add(nth(i), nth(k));
}

}  // namespace

double weighted_median(std::vector<weighted_slope>& slopes) {
  if (slopes.empty()) return 0;
  std::sort(slopes.begin(), slopes.end(),
            [](const weighted_slope& a, const weighted_slope& b) { return a.ns_per_cycle < b.ns_per_cycle; });
  double total = 0;
  for (const weighted_slope& slope : slopes) total += slope.cycles;
  double below = 0;
  for (const weighted_slope& slope : slopes) {
    below += slope.cycles;
    if (below * 2 >= total) return slope.ns_per_cycle;
  }
  return slopes.back().ns_per_cycle;
}

void collect_slopes(std::span<const clock_point> points, std::size_t most, std::vector<weighted_slope>& slopes) {
  const std::size_t size = points.size();
  const double quartiles = size < 4 ? 0 : points[size * 3 / 4].cycles - points[size / 4].cycles;
  for_sampled_pairs(size, most, [&](std::size_t i, std::size_t k) {
    const double cycles = points[k].cycles - points[i].cycles;
    const double slope = (points[k].ns - points[i].ns) / cycles;
    if (cycles > 0 && slope >= least_ns_per_cycle && slope <= most_ns_per_cycle)
      slopes.push_back({slope, quartiles > 0 ? std::min(cycles, 2 * quartiles) : cycles});
  });
}

double agreeing_span_ns(std::span<const weighted_slope> slopes, double ns_per_cycle) {
  double span_ns = 0;
  for (const weighted_slope& slope : slopes)
    if (std::abs(slope.ns_per_cycle / ns_per_cycle - 1) < 0.2)
      span_ns = std::max(span_ns, slope.cycles * slope.ns_per_cycle);
  return span_ns;
}

}  // namespace iket::analysis
