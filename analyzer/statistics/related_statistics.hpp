// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The statistics that relate warps to each other: overlap, waits, pipelines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"
#include "statistics/overlap.hpp"
#include "statistics/pipeline.hpp"
#include "statistics/scope.hpp"

namespace iket::analysis {

/// An activity that went on during waits.
struct cover_part {
  std::string activity;  ///< a work stage, or "<stage> (in flight)"
  picosecond_sum time = 0;
};

/// What ended waits.
struct releaser {
  std::string stage;  ///< or "<stage> (in flight)"
  std::string role;   ///< of the warp that did, or issued, the work
  std::uint64_t count = 0;
};

/// The waits of one role in one stage. Times are sums of self intervals within the CTAs' windows.
struct wait_statistics {
  std::string stage;
  std::string role;
  picosecond_sum total = 0;
  picosecond_sum related = 0;          ///< of it, where there was another traced warp: the whole of what follows
  std::vector<cover_part> covered_by;  ///< the longest first; parts may go on at the same time
  picosecond_sum skew = 0;             ///< only warps of the same role worked
  picosecond_sum uncovered = 0;        ///< nothing traced went on
  std::uint64_t long_waits = 0;        ///< whole ones longer than 100 ns: those that can have a releaser
  std::vector<releaser> released_by;   ///< the most frequent first; a wait of `long_waits` without one is in none

  /// A part of `related`; none where that is 0.
  [[nodiscard]] std::optional<double> fraction(picosecond_sum part) const;
};

struct related_statistics {
  std::vector<overlap_statistics> overlap;
  std::vector<wait_statistics> waits;  ///< the longest total first
  pipelines_report pipelines;
  picosecond_sum observed = 0;  ///< of all warps
  picosecond_sum together = 0;  ///< of it, the time within the CTAs' windows: all that the above is drawn from
  bool waits_left_out = false;  ///< so much went on at a time that nothing is said of waits (limits.hpp)
};

/// O(n log n) in the ranges of a unit, units being worked on in parallel (parallel.hpp): figures do not depend on how
/// many threads there are.
[[nodiscard]] related_statistics related_statistics_of(const timeline& source, const launch_group& group, scope by);

}  // namespace iket::analysis
