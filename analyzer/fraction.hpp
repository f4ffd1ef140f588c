// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A part of a whole as a number.
#pragma once

namespace iket::analysis {

/// `part` / `whole` of sums of times or of counts; 0 where there is no whole.
template <class Part, class Whole>
[[nodiscard]] constexpr double fraction(Part part, Whole whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace iket::analysis
