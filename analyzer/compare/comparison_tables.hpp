// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The comparison with a baseline in the printed report.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "text_table.hpp"

namespace iket::analysis {

/// "duration 191 us, was 395 us: -51.7 %", and of what the intervals are.
[[nodiscard]] std::vector<std::string> comparison_facts(const comparison& of, const kernel_comparison& kernel);

/// A row a stage; without an interval a dash.
[[nodiscard]] text_table compared_stage_table(const kernel_comparison& of);
[[nodiscard]] std::string compared_stage_legend(const comparison& of, const kernel_comparison& kernel);

/// A row for each time of a role.
[[nodiscard]] text_table compared_role_table(const kernel_comparison& of);

/// Kernels that have no partner, a sentence each.
[[nodiscard]] std::vector<std::string> unmatched_texts(const comparison& of);

}  // namespace iket::analysis
