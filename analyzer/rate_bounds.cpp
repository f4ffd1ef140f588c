// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rate_bounds.hpp"

#include <algorithm>
#include <cstddef>

namespace iket::analysis {
namespace {

constexpr double steady_error = 2.5e-4;
constexpr double brief_error = 1.5e-3;
constexpr double close_margin = 2e-4;  // of the rate: what windows do not show
constexpr double far_margin = 1.5e-3;  // what a gap does not show, once it is as long as
constexpr double far_ns = 250'000;     // a burst of load
constexpr double unseen_part = 0.25;   // of the extent of the rates that were seen
constexpr double blind_part = 1;       // the same, and
constexpr double blind_change = 0.04;  // of the rate, where windows are longer than `blind_after_ns`

struct stretch {
  double cycles = 0;
  double ns = 0;
  std::size_t windows = 0;
};

/// What windows that tell a rate make together.
stretch told_by(std::span<const clock_point> points, std::span<const rate_window> windows) {
  stretch sum;
  for (const rate_window& window : windows) {
    if (!window.tells()) continue;
    const double length = points[window.last].cycles - points[window.first].cycles;
    sum.cycles += length;
    sum.ns += length * window.ns_per_cycle;
    ++sum.windows;
  }
  return sum;
}

}  // namespace

counter_windows::counter_windows(std::span<const clock_point> points, const timer_reading& reading)
    : steady(cut_into_windows(points, reading, steady_error)), brief(cut_into_windows(points, reading, brief_error)) {}

double mean_rate(std::span<const clock_point> points, const counter_windows& windows) {
  const stretch told = told_by(points, windows.steady);
  return told.cycles > 0 ? told.ns / told.cycles : 0;
}

void rate_bounds::add(std::span<const clock_point> points, const counter_windows& windows) {
  for (const rate_window& window : windows.steady) {
    if (!window.tells()) continue;
    seen_ = seen_ ? seen_->with(window.inside) : window.inside;
    largest_least_ = std::max(largest_least_, window.mean().least);
    smallest_most_ = std::min(smallest_most_, window.mean().most);
  }
  const stretch told = told_by(points, windows.steady);
  cycles_ += told.cycles;
  ns_ += told.ns;
  const stretch brief = told_by(points, windows.brief);
  brief_ns_ += brief.ns;
  briefs_ += brief.windows;
}

rate_range rate_bounds::anywhere() const {
  if (is_assumed_) return {rough_ / 1.25, rough_ * 4};
  if (!seen_) return rate_range{rough_, rough_}.widened(0.1);
  const double more = (seen_->most - seen_->least) / 5;
  return {seen_->least - std::min(more, seen_->least / 2), seen_->most + more};
}

rate_range rate_bounds::unseen() const {
  const rate_range seen = anywhere();
  const double extent = seen.most - seen.least;
  const bool changes_much = extent > much_change * seen.least;
  const bool is_blind =
      brief_ns_ > blind_after_ns * static_cast<double>(briefs_) && (changes_much || do_means_differ());
  if (!changes_much && !is_blind) return seen;
  const double more = is_blind ? blind_part * extent + blind_change * seen.least : unseen_part * extent;
  return {std::max(seen.least - more, seen.least / 2), seen.most + more};
}

rate_range rate_bounds::idle(const rate_range& near) const {
  const rate_range both = anywhere().with(near);
  return {both.least / 1.5, both.most * 4};
}

rate_range rate_bounds::with_margin(const rate_range& of) { return of.widened(close_margin + far_margin); }

double rate_bounds::ghz() const { return is_assumed_ || ns_ <= 0 || cycles_ <= 0 ? 1 / rough_ : cycles_ / ns_; }

std::vector<rate_range> rate_bounds::local(std::span<const clock_point> points,
                                           std::span<const rate_window> windows) const {
  return local_rates(windows, points, anywhere(), unseen());
}

std::vector<rate_range> rate_bounds::steady(std::span<const clock_point> points, const counter_windows& windows) const {
  return local(points, windows.steady);
}

std::vector<rate_range> rate_bounds::behind(std::span<const clock_point> points, const counter_windows& windows,
                                            std::span<const rate_range> steady) const {
  std::vector<rate_range> rates = behind(points, windows.steady, steady);
  const std::vector<rate_range> brief = behind(points, windows.brief, local(points, windows.brief));
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = rates[i].common(brief[i]);
  return rates;
}

std::vector<rate_range> rate_bounds::behind(std::span<const clock_point> points, std::span<const rate_window> windows,
                                            std::span<const rate_range> local) const {
  std::vector<rate_range> rates;
  rates.reserve(points.size() + 1);
  for (std::size_t i = 0, at = 0; i + 1 < points.size(); ++i) {
    while (at + 1 < windows.size() && windows[at + 1].first <= i) ++at;
    const double length = points[windows[at].last].cycles - points[windows[at].first].cycles;
    rates.push_back(between(points[i], points[i + 1], length, local[at]));
  }
  return rates;
}

rate_range rate_bounds::between(const clock_point& from, const clock_point& to, double window_cycles,
                                const rate_range& local) const {
  const double cycles = to.cycles - from.cycles;
  if (from.busy != to.busy) {
    const rate_range seen = anywhere();
    const double mean =
        cycles > 0 ? std::clamp((to.ns - from.ns) / cycles, seen.least / 16, seen.most * 64) : seen.most;
    return idle(local.with({mean, mean}));
  }
  const rate_range range = cycles * 2 > window_cycles ? local.with(anywhere()) : local;
  return range.widened(close_margin + far_margin * std::min(1.0, cycles * rough_ / far_ns));
}

}  // namespace iket::analysis
