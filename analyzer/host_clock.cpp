// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "host_clock.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "feasible_lines.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t pairs_at_most = 1024;
constexpr std::size_t rounds_at_most = 16;  // of leaving out up to three readings

/// One reading: at `time` the host was ahead of the device by something in [low, high], all from the reference on.
struct bracket {
  double time_ms = 0;  // of the device; a drift of 1 ppm is 1 ns in 1 ms
  double low_ns = 0;
  double high_ns = 0;
};

/// The difference of two times of any size.
double difference_ns(std::uint64_t a, std::uint64_t b) { return static_cast<double>(static_cast<std::int64_t>(a - b)); }

/// The readings in order of time, the tightest of each few neighbours.
std::vector<file::host_clock_pair> thinned(std::span<const file::host_clock_pair> pairs) {
  std::vector<file::host_clock_pair> sorted(pairs.begin(), pairs.end());
  std::sort(sorted.begin(), sorted.end(), [](const file::host_clock_pair& a, const file::host_clock_pair& b) {
    return a.globaltimer_ns < b.globaltimer_ns;
  });
  const std::size_t step = (sorted.size() + pairs_at_most - 1) / pairs_at_most;
  std::vector<file::host_clock_pair> kept;
  for (std::size_t first = 0; first < sorted.size(); first += step) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(step, sorted.size() - first));
    kept.push_back(*std::min_element(begin, end, [](const file::host_clock_pair& a, const file::host_clock_pair& b) {
      return a.host_after_ns - a.host_before_ns < b.host_after_ns - b.host_before_ns;
    }));
  }
  return kept;
}

/// Lines within all brackets that were not left out.
struct fitted {
  std::vector<feasible_lines::corner> corners;
  std::size_t left_out = 0;
};

std::optional<fitted> fit(const std::vector<bracket>& brackets, double slack_ns, std::size_t rounds) {
  double least = std::numeric_limits<double>::max();
  double largest = std::numeric_limits<double>::lowest();
  for (const bracket& at : brackets) {
    const double reach = std::abs(at.time_ms) * largest_drift_ppm + slack_ns + 1;
    least = std::min(least, at.low_ns - reach);
    largest = std::max(largest, at.high_ns + reach);
  }
  std::vector<bool> is_out(brackets.size());
  const auto left_out = [&] { return static_cast<std::size_t>(std::count(is_out.begin(), is_out.end(), true)); };
  for (std::size_t round = 0; round <= rounds; ++round) {
    feasible_lines lines(least, largest, largest_drift_ppm);
    const auto takes = [&](std::size_t i) {
      return lines.keep_above(brackets[i].time_ms, brackets[i].low_ns - slack_ns, i) &&
             lines.keep_below(brackets[i].time_ms, brackets[i].high_ns + slack_ns, i);
    };
    std::size_t next = 0;
    while (next < brackets.size() && (is_out[next] || takes(next))) ++next;
    if (next == brackets.size()) return fitted{lines.corners(), left_out()};
    for (const std::size_t owner : lines.contradiction())
      if (owner != feasible_lines::nobody) is_out[owner] = true;
    if (left_out() * 4 > brackets.size() * 3) return std::nullopt;
  }
  return std::nullopt;
}

/// The least slack up to `limit_ns` with which there are lines, to some percent; nothing where there is none.
std::optional<double> least_slack_ns(const std::vector<bracket>& brackets, std::size_t rounds, double limit_ns) {
  if (fit(brackets, 0, rounds)) return 0.0;
  double enough_ns = 1;
  while (!fit(brackets, enough_ns, rounds)) {
    enough_ns *= 2;
    if (!(enough_ns <= limit_ns)) return std::nullopt;
  }
  double too_little_ns = enough_ns / 2;
  for (int i = 0; i < 5; ++i) {
    const double middle_ns = (too_little_ns + enough_ns) / 2;
    (fit(brackets, middle_ns, rounds) ? enough_ns : too_little_ns) = middle_ns;
  }
  return enough_ns;
}

double median_width_ns(const std::vector<bracket>& brackets) {
  std::vector<double> widths;
  for (const bracket& at : brackets) widths.push_back(at.high_ns - at.low_ns);
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle;
}

double tightest_width_ns(const std::vector<bracket>& brackets) {
  double least = std::numeric_limits<double>::max();
  for (const bracket& at : brackets) least = std::min(least, at.high_ns - at.low_ns);
  return least;
}

}  // namespace

std::optional<host_clock_fit> host_clock_fit::of(std::span<const file::host_clock_pair> pairs, double tick_ns) {
  if (pairs.empty()) return std::nullopt;
  const std::vector<file::host_clock_pair> used = thinned(pairs);
  host_clock_fit result;
  result.device_reference_ns_ = used[used.size() / 2].globaltimer_ns;
  result.host_reference_ns_ = used[used.size() / 2].host_before_ns;
  std::vector<bracket> brackets;
  for (const file::host_clock_pair& pair : used) {
    const double time_ns = difference_ns(pair.globaltimer_ns, result.device_reference_ns_);
    // When the timer shows a value, the true time is up to a tick later.
    brackets.push_back(
        {time_ns * 1e-6,
         difference_ns(pair.host_before_ns, result.host_reference_ns_) - time_ns - tick_ns - timer_jitter_ns,
         difference_ns(pair.host_after_ns, result.host_reference_ns_) - time_ns + timer_jitter_ns});
  }
  const double width_ns = median_width_ns(brackets);
  std::size_t rounds = 0;
  std::optional<double> slack_ns = least_slack_ns(brackets, rounds, width_ns);
  if (!slack_ns) {
    rounds = std::clamp<std::size_t>(brackets.size() / 8, 1, rounds_at_most);
    slack_ns = least_slack_ns(brackets, rounds, std::numeric_limits<double>::max());
  }
  if (!slack_ns) return std::nullopt;
  // Lines that need no more slack than the best one are next to none. The true one may be as far on the other side of
  // a bound that is wrong.
  const double widened_ns = *slack_ns > 0 ? 2 * *slack_ns + width_ns : 0;
  const std::optional<fitted> found = fit(brackets, widened_ns, rounds);
  if (!found) return std::nullopt;
  double least_ppm = largest_drift_ppm;
  double largest_ppm = -largest_drift_ppm;
  for (const feasible_lines::corner& corner : found->corners) {
    result.corners_.push_back({corner.offset, corner.slope});
    least_ppm = std::min(least_ppm, corner.slope);
    largest_ppm = std::max(largest_ppm, corner.slope);
  }
  result.drift_ppm_ = (least_ppm + largest_ppm) / 2;
  result.drift_error_ppm_ = (largest_ppm - least_ppm) / 2;
  result.slack_ns_ = *slack_ns;
  result.least_error_ns_ = tightest_width_ns(brackets) / 2;
  result.left_out_ = found->left_out;
  return result;
}

host_instant host_clock_fit::at(std::uint64_t device_ns) const {
  const double time_ns = difference_ns(device_ns, device_reference_ns_);
  double least_ns = std::numeric_limits<double>::max();
  double largest_ns = std::numeric_limits<double>::lowest();
  for (const line& one : corners_) {
    const double ahead_ns = one.offset_ns + one.drift_ppm * 1e-6 * time_ns;
    least_ns = std::min(least_ns, ahead_ns);
    largest_ns = std::max(largest_ns, ahead_ns);
  }
  // Whole nanoseconds from the reference on, since a double would lose some of a clock's.
  const double ahead_ns = std::clamp(std::round((least_ns + largest_ns) / 2), -9e18, 9e18);
  const std::uint64_t host_ns = host_reference_ns_ + (device_ns - device_reference_ns_) +
                                static_cast<std::uint64_t>(static_cast<std::int64_t>(ahead_ns));
  const double error_ns = std::max((largest_ns - least_ns) / 2, least_error_ns_);
  return {host_ns, error_ns + 2 * slack_ns_ + 1};  // 1: what is rounded
}

host_clock_fit::device_instant host_clock_fit::when(std::uint64_t host_ns) const {
  // Each step leaves a part of the error that is the clocks' drift: 1e-4 at most.
  constexpr int steps = 6;
  std::uint64_t device_ns = device_reference_ns_ + (host_ns - host_reference_ns_);
  host_instant found = at(device_ns);
  for (int i = 0; i < steps && found.ns != host_ns; ++i) {
    device_ns += host_ns - found.ns;
    found = at(device_ns);
  }
  return {device_ns, found.error_ns};
}

}  // namespace iket::analysis
