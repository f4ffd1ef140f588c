// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From readings of a device's timer between readings of the host's clock to the host's time of anything on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <iket/trace_file.hpp>

namespace iket::analysis {

/// The most by which the two clocks' rates are taken to differ [parts per million]. Quartzes are specified to some
/// tens, and what disciplines the host's clock keeps it closer than that to true time.
inline constexpr double largest_drift_ppm = 100;

/// How far the timer's steps may be from even spacing [ns]: 20 ns at worst on an H200.
inline constexpr double timer_jitter_ns = 20;

/// A time of the host, and how far from it the true one may lie.
struct host_instant {
  std::uint64_t ns = 0;  ///< CLOCK_MONOTONIC
  double error_ns = 0;
};

/// The host's clock as a straight line over the device's time.
///
/// Every reading bounds the line from below and from above: the line passes where the host's clock was between its two
/// readings, less up to a tick of the timer. All lines that keep within all bounds, and whose rates differ by at most
/// `largest_drift_ppm`, make a convex polygon of (offset, drift). Where that has the host's time between two values,
/// the true one is between them, and no more can be known: about half the shortest bracket close to the readings;
/// between bursts hardly more, away from them more by what the drift leaves open.
///
/// Where no line keeps within all bounds, either some readings are wrong, or the drift has changed. Bounds that one
/// line passes by less than the usual bracket are widened by what it takes, which the error has in it. Else the
/// readings that contradict each other are left out, up to three quarters of all: of any three bounds that exclude each
/// other one at least is wrong. What is left then is widened.
///
/// Takes time n log n in the readings, of which it uses 1024 at most: the tightest of neighbours.
class host_clock_fit {
 public:
  /// Nothing without readings. `tick_ns`: the timer's step.
  [[nodiscard]] static std::optional<host_clock_fit> of(std::span<const file::host_clock_pair> pairs, double tick_ns);

  /// The host's clock when the device's time is `device_ns` [ns of %globaltimer, were it without a tick].
  [[nodiscard]] host_instant at(std::uint64_t device_ns) const;

  /// The inverse, to within a nanosecond: the device's time when the host's clock is `host_ns`. The error is the same.
  struct device_instant {
    std::uint64_t ns = 0;  ///< %globaltimer
    double error_ns = 0;
  };
  [[nodiscard]] device_instant when(std::uint64_t host_ns) const;

  /// By how much the host's clock is faster [ppm], and how far from that it may be.
  [[nodiscard]] double drift_ppm() const noexcept { return drift_ppm_; }
  [[nodiscard]] double drift_error_ppm() const noexcept { return drift_error_ppm_; }

  /// By how much the bounds had to be widened [ns]; 0 where the readings agree.
  [[nodiscard]] double slack_ns() const noexcept { return slack_ns_; }

  /// Readings that were left out since they contradict the others.
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

 private:
  /// A line: the host's time less the device's, both from the reference on, is offset_ns + drift_ppm * 1e-6 * time.
  struct line {
    double offset_ns = 0;
    double drift_ppm = 0;
  };

  host_clock_fit() = default;

  std::uint64_t device_reference_ns_ = 0;
  std::uint64_t host_reference_ns_ = 0;
  std::vector<line> corners_;  // of the polygon
  double drift_ppm_ = 0;
  double drift_error_ppm_ = 0;
  double slack_ns_ = 0;
  double least_error_ns_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace iket::analysis
