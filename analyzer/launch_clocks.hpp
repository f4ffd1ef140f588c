// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which clock pairs fit which launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "clock_map.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The place of a launch's device in `timeline::devices`, whose last one is the unknown device where there is one.
[[nodiscard]] index device_of(const trace_view& view, const launch_view& launch);

/// The clocks of a file's launches. Launches of one device that follow each other closely share their clocks: the pairs
/// of all together fit them best. Over a pause the clock may have changed its rate, and an idle GPU's rate says nothing
/// of a busy one's.
class launch_clocks {
 public:
  explicit launch_clocks(const trace_view& view);

  /// The clocks of the n-th launch.
  [[nodiscard]] const clock_map& of(std::size_t launch) const { return clocks_[clock_of_[launch]]; }

  /// The time on all of them that becomes 0: the first opening in the first launch that has any.
  [[nodiscard]] picoseconds zero() const noexcept { return zero_; }

  /// Appends one line for each device and fact, however many clocks it is true of.
  void warn(const std::vector<device>& devices, std::vector<std::string>& warnings) const;

 private:
  struct doubts {
    index device = none;
    std::uint64_t outliers = 0;
    bool rate_is_guess = false;
  };

  void note(const clock_map& clock, index device);

  std::vector<clock_map> clocks_;      // one for each time without a pause on a device
  std::vector<std::size_t> clock_of_;  // by launch
  std::vector<doubts> doubts_;         // by device, of those that have traced warps
  picoseconds zero_ = 0;
};

}  // namespace iket::analysis
