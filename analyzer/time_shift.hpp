// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From one device's time to another line.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "timeline.hpp"

namespace iket::analysis {

/// t -> t + rate * t + shift, rounded to whole picoseconds: never turns an order around, as rates are far below 1.
struct time_shift {
  picoseconds shift = 0;
  double rate = 0;
  std::optional<double> error_ns = 0;  ///< how far off the result may be, at most; none where nobody knows

  [[nodiscard]] picoseconds operator()(picoseconds time) const { return time + shift + stretch(time); }
  /// Of a duration.
  [[nodiscard]] picoseconds stretched(picoseconds duration) const { return duration + stretch(duration); }

 private:
  [[nodiscard]] picoseconds stretch(picoseconds time) const {
    return rate == 0 ? 0 : static_cast<picoseconds>(std::llround(rate * static_cast<double>(time)));
  }
};

/// Moves all times of a launch.
void move_launch(launch& of, const time_shift& by);

}  // namespace iket::analysis
