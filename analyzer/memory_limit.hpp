// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How much memory the program may take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iket::analysis {

/// What reading these files may take (limits.hpp) [bytes]: far more than that of any trace that a kernel wrote. Files
/// that cannot be looked at count as empty.
[[nodiscard]] std::uint64_t memory_limit_for(const std::vector<std::string>& paths);

/// From here on the process gets no more memory than this besides the files that it maps: std::bad_alloc is thrown, or
/// a thread less is started. A smaller limit that the process has already stays. Does nothing under AddressSanitizer,
/// whose own memory would count.
void limit_memory(std::uint64_t bytes);

}  // namespace iket::analysis
