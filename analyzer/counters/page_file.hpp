// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The bytes of a page's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace iket::analysis::counters {

/// What a file has, unpacked where gzip has packed it, as far as `limits::page_bytes`; "-" reads standard input. None
/// where it cannot be opened, or is a folder. Each of that, and what is cut off, leaves a warning.
[[nodiscard]] std::optional<std::string> contents_of_page(const std::string& name, std::vector<std::string>& warnings);

}  // namespace iket::analysis::counters
