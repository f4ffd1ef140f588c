// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// UTF-8 that may be none: names come from files that anybody may have written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iket::analysis {

/// Stands for bytes that are no UTF-8.
inline constexpr char32_t replacement_character = 0xFFFD;
inline constexpr std::string_view replacement_utf8 = "\xEF\xBF\xBD";

struct code_point {
  char32_t value = replacement_character;
  std::size_t bytes = 1;  ///< that it takes at the start of the text
  bool valid = false;     ///< false: the bytes are no UTF-8, `value` is the replacement character
};

/// Whether a code point is one of `first` to `last`, both included.
[[nodiscard]] constexpr bool within(char32_t value, char32_t first, char32_t last) noexcept {
  return first <= value && value <= last;
}

/// The first code point of a text that is not empty. Overlong forms, surrogates and values past U+10FFFF are not valid.
[[nodiscard]] code_point first_code_point(std::string_view text);

/// Whether a terminal that is sent this code point does more than show it: control characters (C0, DEL, C1), marks that
/// turn the direction of writing, separators of lines, the byte order mark.
[[nodiscard]] bool steers_terminal(char32_t value);

/// The first `most` bytes of a text, or less, so that no code point is cut.
[[nodiscard]] std::string_view first_bytes(std::string_view text, std::size_t most);

/// The text with each stray byte replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace iket::analysis
