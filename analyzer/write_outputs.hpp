// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Writes the files that the command line asks for.
#pragma once

#include <cstdint>

#include "cli.hpp"
#include "report.hpp"
#include "slice_summary.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Writes the Chrome trace and the report, or neither of them. `of` is what it was when `before` was counted, without
/// the launches that are left out; what is not drawn is gone from it or marked behind this. Adds to `report` what was
/// left out.
/// Throws `empty_slice` where nothing is left to draw, `iket::error` where a file cannot be written, `interrupted`.
/// @return the size of the Chrome trace [bytes]
std::uint64_t write_outputs(const cli_options& options, const drawn_counts& before, timeline& of, report& report);

}  // namespace iket::analysis
