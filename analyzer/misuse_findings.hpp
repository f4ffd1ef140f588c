// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a checked build found in a launch.
#pragma once

#include <vector>

#include "report.hpp"

namespace iket::analysis {

/// Appends a line for each fault, or one that says that there was none. Nothing where no build was checked.
void add_misuse(const launch_report& launch, std::vector<finding>& to);

}  // namespace iket::analysis
