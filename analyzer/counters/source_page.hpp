// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The page `source` of `ncu --csv`.
#pragma once

#include <optional>
#include <string>

#include "csv_rows.hpp"
#include "profile_builder.hpp"

namespace iket::analysis::counters {

/// Whether a page `source` begins with this row: "Kernel Name" with a name, "File Path" or "File Name" with a path.
[[nodiscard]] bool begins_source_page(const csv_row& row);

/// Reads from the row that `rows` has read last to its end, and appends the listings: one for each launch. A page of
/// several launches may print each listing twice: equal ones count once. With `--print-source cuda,sass` an instruction
/// stands under every line that it was inlined through, in sections of several files: it becomes one row. Counts that
/// cannot be read and lines in another order than the profiler's leave a warning. Returns the row that begins another
/// page of the file.
std::optional<csv_row> read_source_page(csv_reader& rows, csv_row first, const std::string& file, profile_builder& to);

}  // namespace iket::analysis::counters
