// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What every output has to hold to, checked without the code that makes them.
#pragma once

#include <cstddef>
#include <string_view>

namespace fuzz {

/// Whether the whole text is one JSON value, in UTF-8.
[[nodiscard]] bool is_json(std::string_view text);

/// Whether a terminal that prints the text would do more than print: control characters but the line feed, C1 ones
/// too, marks that turn the direction of writing, bytes that are no UTF-8.
[[nodiscard]] bool steers_terminal(std::string_view text);

/// Whether the text is a CSV table (RFC 4180, lines end with a line feed) of so many columns, and no cell is one that
/// a spreadsheet takes for a formula.
[[nodiscard]] bool is_table(std::string_view text, std::size_t columns);

}  // namespace fuzz
