// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Hardware counters in the Markdown report.
#pragma once

#include <string>

#include "markdown_table.hpp"

namespace iket::analysis::counters {

/// What a profiler has measured of a launch of report.json that has `counters`: a table of the kernel's figures, one of
/// its stall reasons, and one of the parts of its code, each with the commonest stall; and the
/// source lines that spill or whose accesses conflict.
[[nodiscard]] std::string counters_markdown(const markdown::json& launch);

}  // namespace iket::analysis::counters
