// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "reading_errors.hpp"

#include <algorithm>
#include <cmath>

namespace iket::analysis {
namespace {

constexpr double jitter_ns = 20;
constexpr double least_delay_cycles = 4;
constexpr double usual_delay_cycles = 8;  // on average, at most
constexpr double most_delay_cycles = 19;
constexpr double largest_offset_ns = 6;
constexpr double good_doubt_ns = 4;
constexpr std::size_t least_points = 16;  // of a window, so that its line is not drawn by what it is to judge
constexpr std::size_t least_used = 3000;
constexpr double unseen_ns = 1.5;      // that pairs which were not looked at may be further off,
constexpr double few_deviations = 12;  // and so many deviations of the mean more: few pairs show less of the tails

}  // namespace

timer_reading default_reading(const timer_step& step, double ns_per_cycle) {
  // All pairs at one value: no timer known steps more slowly.
  const double tick = step.ns > 0 ? step.ns : 1024;
  return {tick, jitter_ns + most_delay_cycles * ns_per_cycle,
          jitter_ns - least_delay_cycles * ns_per_cycle + step.uneven_ns};
}

bool reading_errors::is_straight(std::span<const clock_point> points, const rate_window& window) const {
  if (window.points() < least_points || !window.tells()) return false;
  double squares = 0;
  for (std::size_t i = window.first; i <= window.last; ++i) {
    const double error = points[i].ns - window.line_ns(points[i].cycles);
    squares += error * error;
  }
  const double expected = default_.tick_ns * default_.tick_ns / 12 + jitter_ns * jitter_ns / 3;
  return squares / static_cast<double>(window.points()) <= 1.3 * expected;
}

std::vector<sm_constant> reading_errors::add(std::span<const clock_point> points, std::span<const rate_window> windows,
                                             std::span<const std::uint32_t> sms) {
  struct mean {
    double sum = 0;
    double squares = 0;
    double count = 0;
  };
  std::vector<mean> means(sms.size());
  const auto place = [&](std::uint32_t sm) {
    return static_cast<std::size_t>(std::lower_bound(sms.begin(), sms.end(), sm) - sms.begin());
  };
  std::vector<const rate_window*> straight;
  for (const rate_window& window : windows) {
    if (!is_straight(points, window)) continue;
    straight.push_back(&window);
    for (std::size_t i = window.first; i < window.last; ++i) {
      const double error = points[i].ns - window.line_ns(points[i].cycles);
      mean& of = means[place(points[i].sm)];
      of.sum += error;
      of.squares += error * error;
      ++of.count;
    }
  }
  std::vector<sm_constant> constants(sms.size());
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const mean& of = means[i];
    if (of.count < 2) continue;
    constants[i].is_judged = true;
    const double doubt = 4 * std::sqrt(of.squares) / of.count;
    if (doubt <= good_doubt_ns)
      constants[i] = {std::clamp(-of.sum / of.count, -largest_offset_ns, largest_offset_ns), doubt, true};
  }
  points_ += points.size();
  for (const rate_window* const window : straight) {
    straight_ += window->points() - 1;
    // Towards its ends the line itself is less certain.
    const std::size_t fourth = window->points() / 4;
    for (std::size_t i = window->first + fourth; i + fourth < window->last; ++i) {
      const double error = points[i].ns + constants[place(points[i].sm)].offset_ns - window->line_ns(points[i].cycles);
      earliest_ns_ = std::min(earliest_ns_, error);
      latest_ns_ = std::max(latest_ns_, error);
      squares_ += error * error;
      ++used_;
    }
  }
  return constants;
}

bool reading_errors::is_measured() const {
  const double spread = std::sqrt(squares_ / std::max(1.0, static_cast<double>(used_)));
  return used_ >= least_used && straight_ * 2 >= points_ && spread >= 0.95 * default_.tick_ns / std::sqrt(12.0) &&
         measured().width_ns() < default_.width_ns();
}

timer_reading reading_errors::measured() const {
  // Pairs scatter around their mean, which is half a tick early and the mean delay late.
  const double half_tick = default_.tick_ns / 2;
  const double margin = unseen_ns + few_deviations * std::sqrt(squares_) / static_cast<double>(used_);
  return {default_.tick_ns, latest_ns_ - half_tick + usual_delay_cycles * rate_ + margin,
          -earliest_ns_ - half_tick - least_delay_cycles * rate_ + margin};
}

timer_reading reading_errors::reading() const { return is_measured() ? measured() : default_; }

}  // namespace iket::analysis
