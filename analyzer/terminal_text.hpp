// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Text as a terminal shows it: what it may be sent, how wide it is, its colours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iket::analysis {

/// The text without anything that could steer a terminal: control characters and those that turn the direction of
/// writing come out as "\x1b" and "\u{202e}", what is no UTF-8 as U+FFFD.
[[nodiscard]] std::string terminal_safe(std::string_view text);

/// Columns that a safe text takes: East Asian wide characters and emoji two, combining marks none, all others one.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// A safe text of at most `width` columns, the middle replaced by an ellipsis: names differ most at their ends.
[[nodiscard]] std::string shorten_middle(std::string_view text, std::size_t width);

/// A safe list "a, b, c" in at most `width` columns: without the blanks, then with its longest names shortened, down to
/// four columns each, then with "+2" in place of the last names.
[[nodiscard]] std::string shorten_list(std::string_view text, std::size_t width);

enum class style : std::uint8_t { plain, strong, faint, wait, warning };

/// The text between the escape sequences of a style, or as it is without `colours`.
[[nodiscard]] std::string styled(std::string_view text, style look, bool colours);

}  // namespace iket::analysis
