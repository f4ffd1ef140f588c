// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Reads what `ncu --csv` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// Appends what a page has. Which one it is, its header tells: a row a kernel and units in the second row, `raw`; a row
/// a metric, `details`; sections of a source file or a kernel, `source`. Lines before the header are skipped: what the
/// profiler and the program say. Several pages may stand one behind another. A file that holds no such page, or one
/// that says nothing, leaves a warning that tells what it is and what to do. Linear in the text, and in what `to` has.
/// @param text bytes of any origin
/// @param file its name, for warnings
void read_ncu_page(std::string_view text, const std::string& file, ncu_profile& to);

/// Reads files, each of which may be packed by gzip; "-" reads standard input. A file that cannot be read, or
/// takes more memory than there is, leaves a warning.
[[nodiscard]] ncu_profile read_ncu_files(const std::vector<std::string>& files);

}  // namespace iket::analysis::counters
