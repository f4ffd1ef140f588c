// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How evenly the work of a stage is spread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {

/// What a role's time in a stage is divided by.
enum class division : std::uint8_t { warps, ctas, sms };

/// "warps", "ctas", "sms".
[[nodiscard]] std::string_view division_name(division of);

/// A stage's total, the inclusive time of its whole ranges, of each warp of a role; or of the role's warps of each CTA,
/// or of each SM, on which the role was traced. Those that did not run the stage count with 0. Members of different
/// launches are different ones.
struct imbalance_statistics {
  std::string stage;
  stage_kind kind = stage_kind::work;
  std::string role;
  division across = division::warps;
  std::uint64_t n = 0;     ///< members, at least 1
  picosecond_sum sum = 0;  ///< of the members' totals
  picosecond_sum max = 0;  ///< total of one member
  double variance = 0;     ///< of the totals, population [ps^2]

  [[nodiscard]] double mean_ps() const { return static_cast<double>(sum) / static_cast<double>(n); }
  /// None where all is 0.
  [[nodiscard]] std::optional<double> max_over_mean() const;
  /// Population standard deviation over mean; none where all is 0.
  [[nodiscard]] std::optional<double> cv() const;
};

/// For every stage and role that ran it, across warps, CTAs and SMs; by stage, role and division as in the tables of
/// `source`. O(ranges + members * stages of a role).
[[nodiscard]] std::vector<imbalance_statistics> imbalance_of(const timeline& source, const launch_group& group);

}  // namespace iket::analysis
