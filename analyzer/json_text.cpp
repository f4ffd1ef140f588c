// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "json_text.hpp"

#include <algorithm>
#include <cmath>

#include "utf8.hpp"

namespace iket::analysis {
namespace {

/// All of them are below U+10000.
void append_escaped(std::string& out, char32_t character) {
  constexpr char hex[] = "0123456789abcdef";
  switch (character) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += hex[(character >> shift) & 15];
  }
}

template <class Real>
void append_real(std::string& out, Real value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
  } else {
    char digits[40];
    const auto written = [&](const char* end) {
      return std::string_view(digits, static_cast<std::size_t>(end - digits));
    };
    std::string_view text = written(std::to_chars(digits, digits + sizeof(digits), value).ptr);
    // Perfetto's parser counts in 64 bits what stands behind the point.
    constexpr std::size_t most_decimals = 18;
    if (const std::size_t point = text.find('.');
        point != std::string_view::npos && text.size() - point > most_decimals + 1)
      text = written(std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::scientific).ptr);
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const code_point next = first_code_point(text);
    if (!next.valid)
      out += replacement_utf8;
    else if (steers_terminal(next.value))
      append_escaped(out, next.value);
    else if (next.value == '"' || next.value == '\\')
      out.append(1, '\\').append(1, static_cast<char>(next.value));
    else
      out += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string result;
  append_json_string(result, text);
  return result;
}

std::string safe_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    // Nearly all is plain.
    const auto special = std::find_if(json.begin(), json.end(), [](char one) {
      const auto byte = static_cast<unsigned char>(one);
      return byte < ' ' || byte >= 0x7F;
    });
    result.append(json.begin(), special);
    json.remove_prefix(static_cast<std::size_t>(special - json.begin()));
    if (json.empty()) break;
    const code_point next = first_code_point(json);
    if (next.value != '\n' && steers_terminal(next.value))
      append_escaped(result, next.value);
    else
      result += json.substr(0, next.bytes);
    json.remove_prefix(next.bytes);
  }
  return result;
}

void append_json_integer(std::string& out, std::uint64_t value) {
  const bool exact = value <= largest_exact_integer;
  if (!exact) out += '"';
  append_digits(out, value);
  if (!exact) out += '"';
}

void append_json_integer(std::string& out, std::int64_t value) {
  const bool exact = value >= -static_cast<std::int64_t>(largest_exact_integer) &&
                     value <= static_cast<std::int64_t>(largest_exact_integer);
  if (!exact) out += '"';
  append_digits(out, value);
  if (!exact) out += '"';
}

void append_json_real(std::string& out, double value) { append_real(out, value); }
void append_json_real(std::string& out, float value) { append_real(out, value); }

}  // namespace iket::analysis
