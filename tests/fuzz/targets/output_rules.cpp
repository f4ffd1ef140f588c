// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "output_rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

namespace fuzz {
namespace {

bool is_formula(const std::string& cell) {
  if (cell.size() < 2 || std::string_view("=+-@\t\r").find(cell.front()) == std::string_view::npos) return false;
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return *end != '\0';
}

/// Takes a cell, quoted or not, from the front. False where it is neither.
bool take_cell(std::string_view& text, std::string& cell) {
  cell.clear();
  if (text.empty() || text.front() != '"') {
    const std::size_t end = std::min(text.find_first_of(",\n"), text.size());
    cell = text.substr(0, end);
    text.remove_prefix(end);
    return cell.find('"') == std::string::npos;
  }
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '"') {
      text.remove_prefix(1);
      if (text.empty() || text.front() != '"') return true;
    }
    cell += text.front();
  }
  return false;
}

}  // namespace

bool is_json(std::string_view text) { return nlohmann::json::accept(text.begin(), text.end()); }

bool steers_terminal(std::string_view text) {
  while (!text.empty()) {
    const auto plain = std::find_if(text.begin(), text.end(), [](char one) { return one < ' ' || one == 0x7F; });
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) break;
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned lead = byte(0);
    if ((lead < 0x20 && lead != '\n') || lead == 0x7F) return true;
    const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (bytes == 0 || bytes > text.size()) return true;
    for (std::size_t i = 1; i < bytes; ++i)
      if ((byte(i) & 0xC0) != 0x80) return true;
    const unsigned pair = lead << 8 | byte(1);
    if (pair >= 0xC280 && pair <= 0xC29F) return true;                      // C1
    if (pair == 0xD89C) return true;                                        // Arabic letter mark
    if (pair == 0xE280 && byte(2) >= 0x8E && byte(2) <= 0x8F) return true;  // left-to-right mark and the other
    if (pair == 0xE280 && byte(2) >= 0xA8 && byte(2) <= 0xAE) return true;  // separators, overrides
    if (pair == 0xE281 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return true;  // isolates
    if (pair == 0xEFBB && byte(2) == 0xBF) return true;                     // byte order mark
    text.remove_prefix(bytes);
  }
  return false;
}

bool is_table(std::string_view text, std::size_t columns) {
  std::string cell;
  for (std::size_t column = 1; !text.empty(); ++column) {
    if (!take_cell(text, cell) || is_formula(cell) || text.empty()) return false;
    if (text.front() != (column == columns ? '\n' : ',')) return false;
    text.remove_prefix(1);
    if (column == columns) column = 0;
  }
  return true;
}

}  // namespace fuzz
