// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which stage makes the others wait, and what else keeps a launch from being faster.
#pragma once

#include <vector>

#include "report.hpp"

namespace iket::analysis {

/// From which figures on findings speak; docs/statistics.md tells the rules. All are fractions but the last three.
struct bottleneck_thresholds {
  double wait_share = 0.25;     ///< of a role's observed time in one wait stage
  double cover = 0.6;           ///< of the wait, by one activity
  double skew = 0.5;            ///< of the wait, with only warps of the same role at work
  double uncovered = 0.5;       ///< of the wait, with nothing at work that is traced
  double together = 0.5;        ///< below: of the warps' time, within the CTAs' windows
  double tail = 0.1;            ///< of the duration
  double uneven_cost = 0.05;    ///< of the duration, by which the largest total exceeds the mean
  double max_over_mean = 1.25;  ///< of a stage's totals
  std::uint64_t members = 4;    ///< among which a stage is spread unevenly
  std::uint64_t sms = 2;        ///< for a tail
};

/// A wait that a role spends much of its time in, and what went on meanwhile.
struct wait_bottleneck {
  const wait_statistics* wait = nullptr;
  std::string stage;       ///< that is the bottleneck
  bool in_flight = false;  ///< its asynchronous work was in flight; else it ran
  double share = 0;        ///< of the role's observed time, in this wait
  bool has_lost = false;   ///< the role lost some of its time
  double covered = 0;      ///< of the wait, by that stage
};

/// Those that pass the thresholds, the one with the most waiting first; they point into `launch`.
[[nodiscard]] std::vector<wait_bottleneck> wait_bottlenecks_of(const launch_report& launch);

/// Appends bottlenecks, the one with the most waiting first, then what is uneven, then the tail. Nothing where no
/// figure passes its threshold, and nothing of a checked build, whose times are not to be trusted.
void add_bottlenecks(const launch_report& launch, std::vector<finding>& to);

/// Appends what a reader must know of the figures that relate warps.
void add_relation_limits(const launch_report& launch, std::vector<finding>& to);

}  // namespace iket::analysis
