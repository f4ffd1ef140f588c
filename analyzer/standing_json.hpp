// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where warps stand, in report.json.
#pragma once

#include "report.hpp"
#include "report_values.hpp"

namespace iket::analysis {

/// Adds `standing` and `unended`.
void add_standing(const launch_report& launch, report_values::json& to);

}  // namespace iket::analysis
