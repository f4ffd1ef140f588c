// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// All straight lines that pass between given bounds.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace iket::analysis {

/// The lines y = offset + slope * x that keep all bounds so far: a convex polygon in (offset, slope).
class feasible_lines {
 public:
  /// Of a bound that nobody gave: those of the first lines.
  static constexpr std::size_t nobody = ~std::size_t{0};

  struct corner {
    double offset = 0;
    double slope = 0;
    std::size_t owner = nobody;  ///< whose bound is the edge from here to the next corner
  };

  /// All lines with an offset and a slope of these ranges.
  feasible_lines(double least_offset, double largest_offset, double largest_slope);

  /// Leaves the lines with y >= bound at x. False where there are none: then `contradiction` says why, and all lines
  /// are as they were. Takes time linear in the corners.
  [[nodiscard]] bool keep_above(double x, double bound, std::size_t owner) { return clip(x, bound, -1, owner); }
  /// The same with y <= bound.
  [[nodiscard]] bool keep_below(double x, double bound, std::size_t owner) { return clip(x, bound, 1, owner); }

  /// Owners of three bounds that exclude each other: that of the last one, and of the two that meet in the corner which
  /// is closest to it. (Unless more than two met in one point, up to rounding.)
  [[nodiscard]] const std::array<std::size_t, 3>& contradiction() const noexcept { return contradiction_; }

  [[nodiscard]] const std::vector<corner>& corners() const noexcept { return corners_; }

 private:
  bool clip(double x, double bound, double sign, std::size_t owner);

  std::vector<corner> corners_;  // in order around the polygon
  std::array<std::size_t, 3> contradiction_{nobody, nobody, nobody};
};

}  // namespace iket::analysis
