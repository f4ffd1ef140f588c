// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Source files, as a trace and a profiler name them.
#pragma once

#include <string_view>

namespace iket::analysis::counters {

/// Whether two paths may name one file: one ends in the other, whole components of it. A trace has the last components
/// of a path, as many as IKET_FILE_COMPONENTS says.
[[nodiscard]] bool may_be_one_file(std::string_view a, std::string_view b);

/// Whether the file is one of IKET's own, whose code is the recorder.
[[nodiscard]] bool is_recorder_file(std::string_view path);

}  // namespace iket::analysis::counters
