// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "line_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace iket::analysis {
namespace {

// 10 GHz to 50 MHz.
constexpr double least_ns_per_cycle = 0.1;
constexpr double most_ns_per_cycle = 20;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
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

line_fit::line_fit(std::span<const sm_pair> pairs) : pairs_(pairs) {}

// Differences in integers: the numbers themselves do not fit into a double.
double line_fit::cycles_of(std::size_t i) const noexcept {
  return static_cast<double>(static_cast<std::int64_t>(pairs_[i].cycles - pairs_.front().cycles));
}

double line_fit::ns_of(std::size_t i) const noexcept {
  return static_cast<double>(static_cast<std::int64_t>(pairs_[i].globaltimer_ns - pairs_.front().globaltimer_ns));
}

void line_fit::collect_slopes(std::size_t most, std::vector<weighted_slope>& slopes) const {
  const std::size_t count = std::min(most, pairs_.size());
  if (count < 2) return;
  const auto nth = [&](std::size_t i) { return i * (pairs_.size() - 1) / (count - 1); };
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = i + 1; k < count; ++k) {
      const double cycles = cycles_of(nth(k)) - cycles_of(nth(i));
      const double slope = (ns_of(nth(k)) - ns_of(nth(i))) / cycles;
      if (cycles > 0 && slope >= least_ns_per_cycle && slope <= most_ns_per_cycle) slopes.push_back({slope, cycles});
    }
}

void line_fit::choose_rough_slope(double common, double own_ns, double deviation) {
  slope_ = common;
  std::vector<weighted_slope> slopes;
  collect_slopes(32, slopes);
  const double own = weighted_median(slopes);
  double span_ns = 0;
  for (const weighted_slope& slope : slopes)
    if (std::abs(slope.ns_per_cycle / own - 1) < deviation) span_ns = std::max(span_ns, slope.cycles * own);
  own_ = span_ns >= own_ns && std::abs(own / common - 1) < deviation;
  if (own_) slope_ = own;
}

void line_fit::use_common_slope(double common) noexcept {
  if (!own_) slope_ = common;
}

void line_fit::drop_outliers(double tick_ns) {
  tolerance_ = -1;
  if (pairs_.size() < 3) return;
  std::vector<double> values(pairs_.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = residual_of(i);
  middle_ = median(values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::abs(residual_of(i) - middle_);
  // Clocks that adapt to the load wander by hundreds of ns, and the median with them.
  tolerance_ = 6 * median(values) + 2 * tick_ns + 50;
}

scatter line_fit::refine_own_slope(double deviation) {
  double count = 0;
  double cycles_sum = 0;
  double ns_sum = 0;
  const auto each_inlier = [&](auto&& use) {
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      if (tolerance_ < 0 || std::abs(residual_of(i) - middle_) <= tolerance_) use(cycles_of(i), ns_of(i));
  };
  each_inlier([&](double cycles, double ns) {
    count += 1;
    cycles_sum += cycles;
    ns_sum += ns;
  });
  scatter sums;
  each_inlier([&](double cycles, double ns) {
    const double from_mean = cycles - cycles_sum / count;
    sums.cycles_squared += from_mean * from_mean;
    sums.cycles_by_ns += from_mean * (ns - ns_sum / count);
  });
  if (!own_) {
    // Two pairs that are apart by more than a slope's worth have a wrong one among them: no say in the common slope.
    const bool fits = std::abs(sums.cycles_by_ns - slope_ * sums.cycles_squared) <= 0.5 * slope_ * sums.cycles_squared;
    return fits ? sums : scatter{};
  }
  const double own = sums.cycles_squared > 0 ? sums.cycles_by_ns / sums.cycles_squared : slope_;
  if (std::abs(own / slope_ - 1) < deviation) slope_ = own;
  return sums;
}

line_fit::result line_fit::line() const {
  result line;
  line.ns_per_cycle = slope_;
  double lowest = std::numeric_limits<double>::max();
  double highest = std::numeric_limits<double>::lowest();
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double residual = residual_of(i);
    if (tolerance_ >= 0 && std::abs(residual - middle_) > tolerance_) {
      ++line.outliers;
      continue;
    }
    lowest = std::min(lowest, residual);
    highest = std::max(highest, residual);
  }
  line.offset_ns = (lowest + highest) / 2;
  line.largest_residual_ns = (highest - lowest) / 2;
  return line;
}

}  // namespace iket::analysis
