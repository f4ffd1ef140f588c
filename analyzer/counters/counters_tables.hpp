// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Hardware counters in the printed report.
#pragma once

#include <string>
#include <vector>

#include "launch_counters.hpp"
#include "text_table.hpp"

namespace iket::analysis::counters {

/// Of the whole kernel: "hardware counters of gemm_kernel", "compute 36.3 % of peak", "168 registers a thread".
[[nodiscard]] std::vector<std::string> counter_facts(const launch_counters& of);

/// A row a stage, then code that belongs to none, then the sum. Columns of which the page has nothing are left out. No
/// row where there was no page `source`, or none of its columns is shown.
[[nodiscard]] text_table counter_table(const launch_counters& of);

/// What the table's columns and rows mean.
[[nodiscard]] std::string counter_legend(const launch_counters& of);

}  // namespace iket::analysis::counters
