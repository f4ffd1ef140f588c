// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The pieces of JSON that need care, appended to a buffer: strings, and numbers that every reader takes as they are.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace iket::analysis {

/// The largest integer below which a double holds every integer.
inline constexpr std::uint64_t largest_exact_integer = std::uint64_t{1} << 53;

/// A quoted JSON string. What could steer a terminal that shows the file is escaped, what is no UTF-8 becomes U+FFFD,
/// all else stays as it is: Perfetto does not load surrogate-pair escapes.
void append_json_string(std::string& out, std::string_view text);
[[nodiscard]] std::string json_string(std::string_view text);

/// JSON that is in UTF-8, the same value, with the strings escaped as above. Of control characters it has none but line
/// feeds between its values.
[[nodiscard]] std::string safe_json(std::string_view json);

/// The digits of an integer of any size.
template <std::integral Integer>
void append_digits(std::string& out, Integer value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

/// A number, or a string where a double would lose digits.
void append_json_integer(std::string& out, std::uint64_t value);
void append_json_integer(std::string& out, std::int64_t value);

/// The shortest decimal that reads back as `value`, never one that looks like an integer; a string ("NaN",
/// "Infinity", "-Infinity") where JSON has no number.
void append_json_real(std::string& out, double value);
void append_json_real(std::string& out, float value);

}  // namespace iket::analysis
