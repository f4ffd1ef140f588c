// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "utf8.hpp"

namespace iket::analysis {
code_point first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF5 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const char32_t smallest = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return {};
  return {value, bytes, true};
}

bool steers_terminal(char32_t value) {
  return value < 0x20 || within(value, 0x7F, 0x9F) || within(value, 0x2028, 0x202E) || within(value, 0x2066, 0x2069) ||
         value == 0x200E || value == 0x200F || value == 0x061C || value == 0xFEFF;
}

std::string_view first_bytes(std::string_view text, std::size_t most) {
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; };
  if (text.size() <= most) return text;
  while (most > 0 && continues(text[most])) --most;
  return text.substr(0, most);
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    result.append(next.valid ? text.substr(0, next.bytes) : replacement_utf8);
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace iket::analysis
