// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What to know before figures of two traces are held against each other.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.hpp"

namespace iket::analysis {

/// From SM clocks that differ by this part on, a note says so.
inline constexpr double noted_clock_difference = 0.005;
/// From this much on by which tracing's part of the time differs, likewise.
inline constexpr double noted_overhead_difference = 0.01;

/// Sentences; none where both sides were traced alike, several times.
[[nodiscard]] std::vector<std::string> comparison_notes(const kernel_comparison& of);

}  // namespace iket::analysis
