// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The tables of stages and roles in the printed report.
#pragma once

#include <string>

#include "report.hpp"
#include "text_table.hpp"

namespace iket::analysis {

/// A row a stage.
[[nodiscard]] text_table stage_table(const launch_report& launch);

/// What the table of stages estimates, and what "~" in it says where it occurs.
[[nodiscard]] std::string stage_legend(const launch_report& launch);

/// A row a role, with a bar.
[[nodiscard]] text_table role_table(const launch_report& launch);

}  // namespace iket::analysis
