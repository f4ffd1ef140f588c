// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The pages `raw` and `details` of `ncu --csv`.
#pragma once

#include <optional>
#include <string>

#include "csv_rows.hpp"
#include "profile_builder.hpp"

namespace iket::analysis::counters {

/// Whether a row is the header of a page `raw` or `details`.
[[nodiscard]] bool begins_metric_table(const csv_row& row);

/// Reads behind the header that `rows` has read last to the page's end, and appends its kernels. A row has the fields
/// of the header, quoted as they are, a number for an ID, and a grid; what is no such row, words of the program, is
/// skipped, and what was cut off leaves a warning. Equal rows count once. Returns the row that begins another page of
/// the file. Linear in the rows, times log rows.
std::optional<csv_row> read_metric_table(csv_reader& rows, const csv_row& header, const std::string& file,
                                         profile_builder& to);

}  // namespace iket::analysis::counters
