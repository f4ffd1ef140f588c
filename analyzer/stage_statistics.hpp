// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How often each stage ran and how long it took.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Inclusive durations at given ranks among all whole ranges of a stage.
struct duration_spread {
  picoseconds min = 0;
  picoseconds p50 = 0;
  picoseconds p90 = 0;
  picoseconds p99 = 0;
  picoseconds max = 0;
};

/// One stage in one launch group. Durations are those of whole ranges; ranges and events that make none are counted.
struct stage_statistics {
  std::string name;
  stage_kind kind = stage_kind::work;
  std::vector<std::string> roles;         ///< of the warps that ran it, sorted; "-" for warps without a role
  std::uint64_t count = 0;                ///< whole ranges
  picosecond_sum total = 0;               ///< inclusive
  picosecond_sum self = 0;                ///< without the stack ranges nested in them
  std::optional<duration_spread> spread;  ///< none where `count` is 0
  picosecond_sum observed = 0;            ///< observed time of the warps that ran the stage
  std::uint64_t open = 0;
  picosecond_sum open_time = 0;  ///< inclusive, of the ranges still open
  std::uint64_t cut = 0;
  std::uint64_t unmatched = 0;
  std::vector<source_location> sources;  ///< where it was recorded, sorted
  /// The cost of recording inside the stage's whole ranges over their cycles, 1 at most. A range's own begin and end
  /// cost one event together, as half of each lies inside; and one each what its warp recorded between them. Ranges
  /// that are open on a warp that never closed count, too, up to its last record. None without a calibration, or
  /// without a cycle to divide by.
  std::optional<double> overhead;
  /// Whole ranges shorter than `too_short_events` events that follow each other; none without a calibration.
  std::optional<std::uint64_t> too_short;

  /// Whether the median is too short.
  [[nodiscard]] bool is_too_short() const { return count != 0 && too_short.value_or(0) >= (count + 1) / 2; }
  /// Self time over the observed time of the warps that ran the stage; none where there is nothing to divide.
  [[nodiscard]] std::optional<double> share() const;
  /// Inclusive [ps]; none where `count` is 0.
  [[nodiscard]] std::optional<double> mean_ps() const;
};

/// The stages of a group, by self time, the longest first. Linear in the ranges, on all cores; takes 8 bytes a range.
[[nodiscard]] std::vector<stage_statistics> stage_statistics_of(const timeline& source, const launch_group& group);

/// The value at 1-based rank ceil(percent / 100 * n) of n sorted values, the rank computed in integers.
/// `sorted` is not empty, `percent` is 1 to 100.
[[nodiscard]] picoseconds percentile(std::span<const picoseconds> sorted, std::uint64_t percent);

/// The name of a role in reports: "-" for `none`.
[[nodiscard]] std::string role_name(const timeline& source, index role);

}  // namespace iket::analysis
