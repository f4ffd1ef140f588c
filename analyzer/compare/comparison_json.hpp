// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The part of report.json on the baseline and on gates.
#pragma once

#include "report.hpp"
#include "report_values.hpp"

namespace iket::analysis {

/// Adds `comparison` where there is a baseline, and `gates` where there are any.
void add_comparison(const report& source, report_values::json& to);

}  // namespace iket::analysis
