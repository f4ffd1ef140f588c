// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Text in lines of so many columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iket::analysis {

/// The words of a safe text; one that is longer than a line is shortened in its middle.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text, std::size_t width);

/// Words joined by `gap`, broken into lines of `width` columns; lines after the first are indented by `hang`.
[[nodiscard]] std::string wrapped(const std::vector<std::string>& words, const std::string& gap, std::size_t width,
                                  std::size_t hang);

}  // namespace iket::analysis
