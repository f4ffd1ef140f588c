// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The pages `raw` and `details` of `ncu --csv`.
#pragma once

#include <string>

#include "csv_rows.hpp"
#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// Whether a row is the header of a page `raw` or `details`.
[[nodiscard]] bool begins_metric_table(const csv_row& row);

/// Reads behind the header that `rows` has read last to the page's end, and appends its kernels. What is no row of the
/// table is skipped: words of the program; what was cut off leaves a warning. Linear in the rows.
void read_metric_table(csv_reader& rows, const csv_row& header, const std::string& file, ncu_profile& to);

}  // namespace iket::analysis::counters
