// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rate_windows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace iket::analysis {
namespace {

constexpr double coarse_error = 1.5e-3;
constexpr double coarse_after_ns = 100'000;
constexpr double end_margin = 1.5e-3;
constexpr double short_ns = 20'000;
constexpr double largest_part_error = 0.1;
constexpr int parts_depth = 4;

/// Sums over points, counted from the first one so that nothing is lost in a double.
class line_sums {
 public:
  line_sums(const clock_point& first, double deviation_ns) : first_(first), deviation_ns_(deviation_ns) {}

  void add(const clock_point& point) {
    const double x = point.cycles - first_.cycles;
    const double y = point.ns - first_.ns;
    ++count_;
    x_ += x;
    y_ += y;
    xx_ += x * x;
    xy_ += x * y;
  }

  void fit(rate_window& to) const {
    const double x = x_ / count_;
    const double y = y_ / count_;
    to.scatter = xx_ - x_ * x;
    to.middle_cycles = first_.cycles + x;
    to.middle_ns = first_.ns + y;
    const double slope = to.scatter > 0 ? (xy_ - x_ * y) / to.scatter : 0;
    to.ns_per_cycle = std::isfinite(slope) && slope > 0 ? slope : 0;
    to.error = to.ns_per_cycle > 0 ? 4 * deviation_ns_ / (std::sqrt(to.scatter) * to.ns_per_cycle) : 0;
  }

 private:
  clock_point first_;
  double deviation_ns_;
  double count_ = 0;
  double x_ = 0;
  double y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
};

bool is_done(const rate_window& window, std::span<const clock_point> points, double wanted_error) {
  if (window.ns_per_cycle <= 0) return false;
  const double span_ns = points[window.last].ns - points[window.first].ns;
  return window.error <= wanted_error || (span_ns >= coarse_after_ns && window.error <= coarse_error);
}

/// From `first` on, as short as it can be. `deviation_ns`: of one pair from the line.
rate_window next_window(std::span<const clock_point> points, std::size_t first, double deviation_ns,
                        double wanted_error) {
  rate_window window;
  window.first = window.last = first;
  line_sums sums(points[first], deviation_ns);
  sums.add(points[first]);
  sums.fit(window);
  while (window.last + 1 < points.size() && points[window.last + 1].busy == points[first].busy) {
    sums.add(points[++window.last]);
    sums.fit(window);
    if (is_done(window, points, wanted_error)) break;
  }
  return window;
}

rate_window window_of(std::span<const clock_point> points, std::size_t first, std::size_t last, double deviation_ns) {
  rate_window window;
  window.first = first;
  window.last = last;
  line_sums sums(points[first], deviation_ns);
  for (std::size_t i = first; i <= last; ++i) sums.add(points[i]);
  sums.fit(window);
  return window;
}

/// Adds the rates of halves, of their halves and so on, that differ from the whole by more than their error.
void look_inside(std::span<const clock_point> points, std::size_t first, std::size_t last, double deviation_ns,
                 int depth, rate_window& whole) {
  if (last - first < 3 || depth == 0) return;
  const std::size_t middle = first + (last - first) / 2;
  for (const auto& [from, to] : {std::pair{first, middle}, std::pair{middle, last}}) {
    const rate_window part = window_of(points, from, to, deviation_ns);
    if (part.ns_per_cycle > 0 &&
        std::abs(part.ns_per_cycle - whole.ns_per_cycle) > 1.5 * part.error * part.ns_per_cycle &&
        part.error < largest_part_error)
      whole.inside = whole.inside.with({part.ns_per_cycle, part.ns_per_cycle});
    look_inside(points, from, to, deviation_ns, depth - 1, whole);
  }
}

}  // namespace

rate_range rate_range::with(const rate_range& other) const noexcept {
  return {std::min(least, other.least), std::max(most, other.most)};
}

rate_range rate_range::common(const rate_range& other) const noexcept {
  const rate_range both{std::max(least, other.least), std::min(most, other.most)};
  return both.least <= both.most ? both : with(other);
}

std::vector<rate_window> cut_into_windows(std::span<const clock_point> points, const timer_reading& reading,
                                          double wanted_error) {
  // Phases within a tick are evenly spread; readings scatter by about a third of what they may.
  const double blur_ns = (reading.width_ns() - reading.tick_ns) / 6;
  const double deviation_ns = std::sqrt(reading.tick_ns * reading.tick_ns / 12 + blur_ns * blur_ns);
  std::vector<rate_window> windows;
  for (std::size_t first = 0; first < points.size();) {
    rate_window window = next_window(points, first, deviation_ns, wanted_error);
    const bool continues = !windows.empty() && windows.back().last == first;
    // What is left at the end of a busy time goes to the window before.
    if (continues && !is_done(window, points, wanted_error)) {
      windows.back() = window_of(points, windows.back().first, window.last, deviation_ns);
    } else {
      windows.push_back(window);
    }
    first = windows.back().last;
    if (first + 1 >= points.size() || points[first + 1].busy != points[first].busy) ++first;
  }
  for (rate_window& window : windows) {
    window.inside = window.mean();
    if (window.tells()) look_inside(points, window.first, window.last, deviation_ns, parts_depth, window);
  }
  return windows;
}

std::vector<rate_range> local_rates(std::span<const rate_window> windows, std::span<const clock_point> points,
                                    const rate_range& anywhere, const rate_range& unseen) {
  std::vector<rate_range> ranges;
  ranges.reserve(windows.size());
  const bool changes_much = unseen.most - unseen.least > much_change * unseen.least;
  const auto busy = [&](const rate_window& window) { return points[window.first].busy; };
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const bool is_outer = i == 0 || busy(windows[i - 1]) != busy(windows[i]) || i + 1 == windows.size() ||
                          busy(windows[i + 1]) != busy(windows[i]);
    if (!windows[i].tells()) {
      ranges.push_back(is_outer ? unseen : anywhere);
      continue;
    }
    rate_range range = windows[i].inside;
    int neighbours = 0;
    rate_range centres{windows[i].ns_per_cycle, windows[i].ns_per_cycle};
    for (const std::size_t k : {i - 1, i + 1}) {
      if (k >= windows.size() || busy(windows[k]) != busy(windows[i]) || !windows[k].tells()) continue;
      range = range.with(windows[k].inside);
      ++neighbours;
      centres = centres.with({windows[k].ns_per_cycle, windows[k].ns_per_cycle});
    }
    // A change that goes on to the end, or that the windows share between them.
    const double more = (centres.most - centres.least) * (neighbours == 2 ? 0.75 : 1);
    // Rates stay positive, whatever the windows say.
    range = {std::max(range.least - more, range.least / 4), range.most + more};
    const double length_ns = points[windows[i].last].ns - points[windows[i].first].ns;
    const bool is_short = length_ns <= short_ns;
    const bool is_blind = changes_much && (length_ns > blind_after_ns || neighbours < (is_short ? 1 : 2));
    const bool is_vague = !is_short && range.most - range.least > much_change * range.least;
    if (is_blind || is_vague) range = range.with(is_outer ? unseen : anywhere);
    ranges.push_back(neighbours == 2 ? range : range.widened(end_margin));
  }
  return ranges;
}

}  // namespace iket::analysis
