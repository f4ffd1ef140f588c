// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The loops in which stages pass items on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "picosecond_sum.hpp"
#include "statistics/pipeline_lines.hpp"

namespace iket::analysis {

/// A line is part of a loop where it has at least so many iterations in a CTA, in the mean.
inline constexpr std::uint64_t fewest_iterations = 3;

/// A stage as one role runs it, or its flights.
struct pipeline_stage {
  std::string stage;  ///< or "<stage> (in flight)"
  std::string role;
  bool by_payload = false;  ///< iterations are known by their payload, else by their order on each warp
  std::uint64_t iterations = 0;
  picoseconds latency_p50 = 0;  ///< from the first begin to the last end of an iteration
  picoseconds latency_p90 = 0;
  picoseconds latency_max = 0;
  picoseconds interval_p50 = 0;        ///< between the begins of successive iterations
  std::optional<std::uint64_t> depth;  ///< of flights: the most items in flight at once in a CTA
};

/// How the time of a pipeline divides, sums over CTAs.
struct pipeline_phases {
  picosecond_sum fill = 0;    ///< from the first begin until all stages have begun
  picosecond_sum steady = 0;  ///< until the first stage has ended for good
  picosecond_sum drain = 0;   ///< until all have
};

/// Stages that iterate together.
struct pipeline {
  std::vector<pipeline_stage> stages;  ///< in the order in which they first begin
  std::uint64_t ctas = 0;
  picoseconds interval = 0;               ///< initiation interval of the loop: that of its last stage
  std::optional<pipeline_phases> phases;  ///< none where one role does all
  std::vector<std::string> unknown;       ///< what cannot be inferred, and why
};

struct pipelines_report {
  std::vector<pipeline> pipelines;  ///< the one with the most iterations first
  std::string reason;               ///< where there is none: why
};

/// Joins the lines that run equally often at the same time. O(l^2 c) with l lines and c CTAs.
[[nodiscard]] pipelines_report pipelines_of(const timeline& source, const std::map<line_key, pipeline_line>& lines);

}  // namespace iket::analysis
