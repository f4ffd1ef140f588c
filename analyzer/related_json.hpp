// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The part of report.json that tells what stages and warps have to do with each other.
#pragma once

#include "report.hpp"
#include "report_values.hpp"

namespace iket::analysis {

/// Adds "overlap", "waits", "imbalance", "tail", "critical_path", "pipelines" and what they are drawn from to a launch.
void add_related(const launch_report& launch, report_values::json& to);

}  // namespace iket::analysis
