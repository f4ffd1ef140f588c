// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "overhead.hpp"

#include <algorithm>

namespace iket::analysis {

std::optional<calibration> event_costs_of(const timeline& source, const launch_group& group) {
  if (std::any_of(group.begin(), group.end(), [](const launch* one) { return one->checked; })) return std::nullopt;
  const index device = group.front()->device;
  if (device == none) return std::nullopt;
  const std::optional<calibration>& measured = source.devices.at(device).calibration;
  return measured && measured->event_burst_cycles > 0 ? measured : std::nullopt;
}

std::optional<tracing_overhead> overhead_of(const timeline& source, const launch_group& group) {
  const std::optional<calibration> measured = event_costs_of(source, group);
  if (!measured) return std::nullopt;
  double events = 0;
  double cycles = 0;
  for (const launch* one : group)
    for (const warp_timeline& warp : one->warps) {
      events += static_cast<double>(warp.events);
      cycles += static_cast<double>(warp.cycles);
    }
  return tracing_overhead{measured->event_cycles, measured->event_burst_cycles,
                          part_of_cycles(events, measured->event_cycles, cycles)};
}

std::optional<double> part_of_cycles(double events, double event_cycles, double cycles) {
  if (cycles <= 0 || event_cycles <= 0) return std::nullopt;
  return std::min(events * event_cycles / cycles, 1.0);
}

}  // namespace iket::analysis
