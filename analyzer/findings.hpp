// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the figures of a launch group say, in sentences.
#pragma once

#include <vector>

#include "report.hpp"

namespace iket::analysis {

/// What is the bottleneck, who waits, then whatever a reader must know to trust the figures: all that is lost, cut,
/// open, unmatched, untraced, refused or compiled out. Reads everything in `launch` but its findings.
[[nodiscard]] std::vector<finding> findings_of(const launch_report& launch);

}  // namespace iket::analysis
