// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The clocks of a file's launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clock_map.hpp"
#include "ring_decoder.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The place of a launch's device in `timeline::devices`, whose last one is the unknown device where there is one.
[[nodiscard]] index device_of(const trace_view& view, const launch_view& launch);

/// One map for each device, from the pairs of all its launches: at the opening and the close of each warp, and at each
/// sync. Where the counters of most SMs were reset between two launches, or set to what no rate leads to, a new map
/// begins.
class launch_clocks {
 public:
  explicit launch_clocks(const trace_view& view);

  /// The clocks of the n-th launch.
  [[nodiscard]] const std::shared_ptr<const clock_map>& of(std::size_t launch) const {
    return clocks_[clock_of_[launch]];
  }

  /// How fast the SM clocks of the n-th launch's device may have run.
  [[nodiscard]] cycle_rates rates_of(std::size_t launch) const {
    const cycle_rates& rates = rates_[clock_of_[launch]];
    return {rates.least, rates.most, last_ns_[launch]};
  }

  /// The time on all of them that becomes 0: the first opening in the first launch that has any.
  [[nodiscard]] picoseconds zero() const noexcept { return zero_; }

  /// What a device's global timer shows at that time: whole nanoseconds.
  [[nodiscard]] std::uint64_t timer_zero_ns() const noexcept {
    return zero_ns_ + static_cast<std::uint64_t>((zero_ - timer_zero_rest_ps()) / 1000);
  }
  /// And what is left of one.
  [[nodiscard]] picoseconds timer_zero_rest_ps() const noexcept { return ((zero_ % 1000) + 1000) % 1000; }

  /// Appends one line for each device and fact, however many clocks it is true of.
  void warn(const std::vector<device>& devices, std::vector<std::string>& warnings) const;

 private:
  struct doubts {
    index device = none;
    std::uint64_t outliers = 0;
    std::uint64_t resets = 0;
    bool rate_is_guess = false;
  };

  void note(const clock_map& clock, index device, bool is_reset);

  std::vector<std::shared_ptr<const clock_map>> clocks_;
  std::vector<cycle_rates> rates_;      // of each of them
  std::vector<std::size_t> clock_of_;   // by launch
  std::vector<std::uint64_t> last_ns_;  // by launch, the latest global time of a pair
  std::vector<doubts> doubts_;          // by device, of those that have traced warps
  std::uint64_t zero_ns_ = 0;           // the timer where `zero_` counts from
  picoseconds zero_ = 0;
};

}  // namespace iket::analysis
