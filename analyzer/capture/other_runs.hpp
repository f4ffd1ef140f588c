// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The plain and the profiled run of a capture, beside the traced one.
#pragma once

#include <string>
#include <vector>

#include "report.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Warns where a run launched other kernels than the traced one, and adds what the plain run says of the time that
/// tracing takes. Files that cannot be read leave a warning; with `strict` they are an error, as is any damage. No
/// files of a run are no run. Throws `unreadable_trace`.
void add_other_runs(const std::vector<std::string>& plain, const std::vector<std::string>& profiled, bool strict,
                    const timeline& traced, report& to);

}  // namespace iket::analysis
