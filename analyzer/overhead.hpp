// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What recording itself cost: estimates from the costs of an event that the session measured.
#pragma once

#include <cstdint>
#include <optional>

#include "launch_group.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Of a launch group.
struct tracing_overhead {
  double event_cycles = 0;        ///< cost of an event among arithmetic [SM cycles]
  double event_burst_cycles = 0;  ///< cost of an event that follows another directly [SM cycles]
  /// The kept events of all traced warps, each at `event_cycles`, over the cycles of the warps' observed windows: the
  /// part of the warps' time that recording took, 1 at most. Of a warp that never closed, up to its last record. An
  /// event counts once, with its payload records; times whose records were lost have no part in it. None where nothing
  /// was observed.
  std::optional<double> fraction;
};

/// Ranges shorter than this many events cost are too short to be measured well.
inline constexpr double too_short_events = 10;

/// The costs that the group's device was calibrated with; none where it was not, or where a checked build ran, whose
/// events cost more.
[[nodiscard]] std::optional<calibration> event_costs_of(const timeline& source, const launch_group& group);

/// None without such costs.
[[nodiscard]] std::optional<tracing_overhead> overhead_of(const timeline& source, const launch_group& group);

/// `events` at `event_cycles` each as a part of `cycles`, 1 at most; none where there is nothing to divide by.
[[nodiscard]] std::optional<double> part_of_cycles(double events, double event_cycles, double cycles);

}  // namespace iket::analysis
