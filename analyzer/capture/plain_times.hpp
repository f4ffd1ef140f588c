// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the untraced runs of a capture say of the traced one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

struct report;

/// Launches of one kernel, grid and block in a run that traces nothing, beside those of the traced run. Times are those
/// of CUDA events around a launch.
struct plain_times {
  std::uint64_t launches = 0;         ///< timed, of the plain run
  std::uint64_t traced_launches = 0;  ///< timed, of the traced run
  double median_ns = 0;
  double traced_median_ns = 0;

  /// Traced over plain time: 1.05 where tracing makes a launch 5 % longer.
  [[nodiscard]] double ratio() const { return traced_median_ns / median_ns; }
};

/// The median; of an even number the mean of the two in the middle. None of none.
[[nodiscard]] std::optional<double> median_of(std::vector<double> values);

/// Fills `launch_report::plain` of the launches in `to`, which are those of `traced`, where both runs have times; warns
/// where none has. Two tracers of one kernel, grid and block have their launches put together.
void add_plain_times(const timeline& plain, const timeline& traced, report& to);

/// Warns of each kernel, grid and block that another run launched more or fewer times than the traced one. Launches of
/// graphs are left alone: an untraced run notes a graph's launch once, when it is captured. A profiler may have run the
/// program several times, all of it: `may_repeat` takes the least common repetition for one run. Returns whether the
/// runs were alike.
bool compare_runs(const std::string& run, const timeline& other, const timeline& traced, bool may_repeat,
                  std::vector<std::string>& warnings);

}  // namespace iket::analysis
