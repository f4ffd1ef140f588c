// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "clock_polyline.hpp"
#include "line_fit.hpp"
#include "timer_tick.hpp"

namespace iket::analysis {
namespace {

__extension__ using wide = __int128;

constexpr wide largest_time = wide{1} << 61;
constexpr double own_rate_ticks = 2048;     // span from which an SM's own pairs tell its rate to half a per mille
constexpr double any_rate_ticks = 20;       // span from which pairs tell a rate at all, to five per cent
constexpr double largest_deviation = 0.05;  // of an SM's rate from the others'
constexpr double timer_jitter_ns = 20;      // of the global timer's ticks from even spacing, at worst, on an H200

picoseconds held(wide time) { return static_cast<picoseconds>(std::clamp(time, -largest_time, largest_time)); }

std::int64_t fixed_point(double picoseconds_per_cycle) {
  return std::max<std::int64_t>(1, std::llround(std::ldexp(picoseconds_per_cycle, 32)));
}

/// One fit for each SM. Sorts the pairs, which stay the caller's.
std::vector<line_fit> group_by_sm(std::vector<sm_pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const sm_pair& a, const sm_pair& b) { return a.sm != b.sm ? a.sm < b.sm : a.cycles < b.cycles; });
  std::vector<line_fit> fits;
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t last = first;
    while (last < pairs.size() && pairs[last].sm == pairs[first].sm) ++last;
    fits.emplace_back(std::span(pairs).subspan(first, last - first));
    first = last;
  }
  return fits;
}

/// The longest time between two pairs of an SM that agree with the rough rate.
double agreeing_span_ns(const std::vector<weighted_slope>& slopes, double rough) {
  double span_ns = 0;
  for (const weighted_slope& slope : slopes)
    if (std::abs(slope.ns_per_cycle / rough - 1) < 0.2) span_ns = std::max(span_ns, slope.cycles * slope.ns_per_cycle);
  return span_ns;
}

/// Gives every SM its rate: first by medians, then by least squares without the outliers. `rate` is the rough one.
void fit_rates(std::vector<line_fit>& fits, double rate, double tick) {
  for (line_fit& fit : fits) fit.choose_rough_slope(rate, own_rate_ticks * tick, largest_deviation);
  for (int round = 0; round < 2; ++round) {
    scatter all;
    for (line_fit& fit : fits) {
      fit.drop_outliers(tick);
      all += fit.refine_own_slope(largest_deviation);
    }
    const double fitted = all.cycles_squared > 0 ? all.cycles_by_ns / all.cycles_squared : rate;
    if (std::abs(fitted / rate - 1) < largest_deviation) rate = fitted;
    for (line_fit& fit : fits) fit.use_common_slope(rate);
  }
}

}  // namespace

sm_clock::sm_clock(std::uint64_t cycles, picoseconds at, double picoseconds_per_cycle)
    : lines_{{cycles, at, fixed_point(picoseconds_per_cycle)}} {}

void sm_clock::turn(std::uint64_t cycles, picoseconds at, double picoseconds_per_cycle) {
  lines_.push_back({cycles, std::max(at, time(cycles)), fixed_point(picoseconds_per_cycle)});
}

picoseconds sm_clock::time(std::uint64_t cycles) const noexcept {
  // Signed distances: a counter may pass the end of 64 bits.
  const auto distance = [&](const line& from) { return static_cast<std::int64_t>(cycles - from.cycles); };
  const auto next = std::partition_point(lines_.begin() + 1, lines_.end(),
                                         [&](const line& candidate) { return distance(candidate) >= 0; });
  const line& on = *std::prev(next);
  return held(((wide{distance(on)} * on.slope) >> 32) + on.at);
}

clock_map::clock_map(std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz) {
  std::vector<line_fit> fits = group_by_sm(pairs);
  std::vector<weighted_slope> slopes;
  for (const line_fit& fit : fits) fit.collect_slopes(16, slopes);
  const double rough = weighted_median(slopes);  // [ns per cycle], 0 for none
  const double rated = rated_khz != 0 ? 1e6 / rated_khz : 1.0;
  const double tick = estimate_tick_ns(pairs, rough > 0 ? rough : rated);
  summary_.tick_ns = tick;
  summary_.rate_assumed = tick == 0 || agreeing_span_ns(slopes, rough) < any_rate_ticks * tick;
  rate_is_guess_ = summary_.rate_assumed && rated_khz == 0;
  if (summary_.rate_assumed)
    for (line_fit& fit : fits) fit.use_common_slope(rated);
  else
    fit_rates(fits, rough, tick);

  // No pair tells the time better than to half a tick, also where few pairs lie on a line by chance.
  summary_.uncertainty_ns = tick / 2;
  for (line_fit& fit : fits) {
    fit.drop_outliers(tick);
    place_clock(fit, zero_ns);
  }
  if (!fits.empty()) summary_.sm_ghz /= static_cast<double>(fits.size());
  other_ = clocks_.empty() ? sm_clock(0, 0, rated * 1000) : clocks_.front().clock;
}

void clock_map::place_clock(const line_fit& fit, std::uint64_t zero_ns) {
  const double half_tick = summary_.tick_ns / 2;
  const auto first_ns = static_cast<std::int64_t>(fit.first().globaltimer_ns - zero_ns);
  const auto place = [&](double ns) {
    return held(wide{first_ns} * 1000 + std::llround(std::clamp(ns * 1000, -2e18, 2e18)));
  };
  const line_fit::result line = fit.line();
  double residual_ns = line.largest_residual_ns;
  std::uint64_t outliers = line.outliers;
  // The time lay in [globaltimer, globaltimer + tick).
  sm_clock clock(fit.first().cycles, place(line.offset_ns + half_tick), line.ns_per_cycle * 1000);

  const double tolerance_ns = half_tick + timer_jitter_ns;
  const bool straight = residual_ns <= tolerance_ns && outliers * 16 <= fit.pairs().size();
  if (!straight && !summary_.rate_assumed) {
    const clock_polyline chain = follow_pairs(fit.pairs(), line.ns_per_cycle, summary_.tick_ns, tolerance_ns);
    const auto cycles = [&](const clock_knot& knot) {
      return fit.first().cycles + static_cast<std::uint64_t>(std::llround(knot.cycles));
    };
    const clock_knot& first = chain.knots.front();
    clock = sm_clock(cycles(first), place(first.ns), first.ns_per_cycle * 1000);
    for (std::size_t i = 1; i < chain.knots.size(); ++i)
      clock.turn(cycles(chain.knots[i]), place(chain.knots[i].ns), chain.knots[i].ns_per_cycle * 1000);
    residual_ns = chain.largest_residual_ns;
    outliers = chain.outliers;
  }
  clocks_.push_back({fit.first().sm, clock});
  summary_.uncertainty_ns = std::max(summary_.uncertainty_ns, residual_ns);
  summary_.sm_ghz += 1 / line.ns_per_cycle;
  outliers_ += outliers;
}

const sm_clock& clock_map::of(std::uint32_t sm) const noexcept {
  const auto at = std::lower_bound(clocks_.begin(), clocks_.end(), sm,
                                   [](const entry& e, std::uint32_t wanted) { return e.sm < wanted; });
  return at != clocks_.end() && at->sm == sm ? at->clock : other_;
}

}  // namespace iket::analysis
