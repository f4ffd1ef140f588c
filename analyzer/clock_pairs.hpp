// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the clock map is made from.
#pragma once

#include <cstdint>

namespace iket::analysis {

/// A clock pair and the SM that it was read on.
struct sm_pair {
  std::uint32_t sm = 0;
  std::uint64_t cycles = 0;          ///< %clock64
  std::uint64_t globaltimer_ns = 0;  ///< %globaltimer, read behind it
  std::uint32_t launch = 0;          ///< between pairs of one launch the device was busy
};

/// A pair on the scales of its clock domain, which start near its pairs so that nothing is lost in a double.
struct clock_point {
  double cycles = 0;
  double ns = 0;  ///< the global timer
  std::uint32_t sm = 0;
  std::uint32_t busy = 0;  ///< number of the busy time; between two of them the device was idle
};

/// From one count to another of a counter that may wrap; negative where it is behind.
[[nodiscard]] inline double signed_distance(std::uint64_t from, std::uint64_t to) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

/// What the global timer says of the moment at which the SM clock beside it was read: it lay in
/// [shown - early, shown + tick + late].
struct timer_reading {
  double tick_ns = 0;
  double early_ns = 0;
  double late_ns = 0;

  [[nodiscard]] double width_ns() const noexcept { return tick_ns + early_ns + late_ns; }
};

}  // namespace iket::analysis
