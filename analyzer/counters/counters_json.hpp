// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Hardware counters in report.json and in the Chrome trace.
#pragma once

#include <string>

#include "launch_counters.hpp"
#include "report_values.hpp"

namespace iket::analysis::counters {

/// `launches[].counters`: figures by key, and the columns of the page `source`, part by part.
[[nodiscard]] report_values::json json_of(const launch_counters& of);

/// `stages[].counters`: the stage's part of each column; null where it has none.
[[nodiscard]] report_values::json json_of_stage(const launch_counters& of, const std::string& stage, stage_kind kind);

/// One line on a stage's part, for each of its slices in a viewer: "64.9 % of samples, mostly long_sb; 98.9 % of
/// instructions".
[[nodiscard]] std::string stage_text(const launch_counters& of, const stage_counters& stage);

/// What the launch's slice in a viewer has as `args`, a JSON object: as `launches[].counters`, and the stages by name.
[[nodiscard]] std::string launch_args(const launch_counters& of);

/// Why warps were stalled in a part of the code, for the most samples: the column's name without "stall_", and its part
/// of the samples. Warps that issue or could are no reason, unless there is no other one.
struct stall_share {
  std::string reason;
  double fraction = 0;
};
[[nodiscard]] stall_share top_stall(const launch_counters& of, const column_values& part);

}  // namespace iket::analysis::counters
