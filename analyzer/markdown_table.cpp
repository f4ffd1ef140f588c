// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "markdown_table.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "terminal_text.hpp"
#include "units.hpp"

namespace iket::analysis::markdown {
namespace {

/// Whether "www" in any case stands before a place.
bool ends_with_www(std::string_view text, std::size_t place) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(place) - 3,
                     text.begin() + static_cast<std::ptrdiff_t>(place), [](char one) { return (one | 0x20) == 'w'; });
}

/// "load (61.2 %), mma (3.0 %)"
std::string list_of(const json& values) {
  std::string text;
  for (const json& one : values) {
    text += text.empty() ? "" : ", ";
    if (!one.is_object()) {
      text += cell_of("", one);
      continue;
    }
    std::string about, rest;
    for (const auto& [key, member] : one.items())
      (about.empty() ? about : rest) += (about.empty() ? "" : rest.empty() ? "" : ", ") + cell_of(key, member);
    text += rest.empty() ? about : about + " (" + rest + ")";
  }
  return text;
}

bool is_number_column(const json& rows, const std::string& key) {
  return std::all_of(rows.begin(), rows.end(), [&](const json& row) {
    const json value = row.value(key, json());
    return value.is_number() || value.is_null();
  });
}

}  // namespace

std::string escaped(const std::string& text) {
  const std::string safe = terminal_safe(text);
  std::string result;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool is_active = std::string_view("\\`*_{}[]<>()#+!|~&$").find(safe[i]) != std::string_view::npos;
    // Addresses are links without any marks around them.
    const bool is_address = safe.compare(i, 3, "://") == 0 || (safe[i] == '.' && i >= 3 && ends_with_www(safe, i));
    if (is_active || is_address) result += '\\';
    result += safe[i];
    if (safe[i] == '@') result += "\u200B";
  }
  return result;
}

std::string header_of(std::string key, const json& among) {
  for (const std::string_view unit : {"_ns", "_fraction"}) {
    if (!key.ends_with(unit) || among.at(key).is_string()) continue;
    const std::string bare = key.substr(0, key.size() - unit.size());
    key = among.contains(bare) ? bare + (unit == "_ns" ? " time" : " part") : bare;
    break;
  }
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string cell_of(const std::string& key, const json& value) {
  if (value.is_null() || (value.is_structured() && value.empty())) return "-";
  if (value.is_string()) return escaped(value.get<std::string>());
  if (value.is_array() || value.is_object()) return list_of(value.is_object() ? json::array({value}) : value);
  const bool is_time = key == "ns" || key.ends_with("_ns");
  const bool is_fraction =
      key == "fraction" || key.ends_with("share") || key.ends_with("_fraction") || key.starts_with("fraction_");
  if (value.is_number() && is_time) return duration_text(1000.0 * value.get<double>());
  if (value.is_number() && is_fraction) return percent_text(value.get<double>());
  if (value.is_number_float()) return fixed_text(value.get<double>(), 3);
  return value.dump();
}

bool is_wide(const json& value) {
  constexpr std::size_t most_in_a_cell = 3;
  return value.is_array() && !value.empty() && value.front().is_object() && value.front().size() > most_in_a_cell;
}

std::string table_of(const json& rows) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows.front().items()) {
    const bool is_empty = std::all_of(rows.begin(), rows.end(), [name = key](const json& row) {
      return !row.contains(name) || row[name].is_null() || (row[name].is_structured() && row[name].empty()) ||
             is_wide(row[name]);
    });
    if (!is_empty && key != "sources" && key != "counters") keys.push_back(key);
  }
  std::string text = "|";
  for (const std::string& key : keys) text += " " + header_of(key, rows.front()) + " |";
  text += "\n|";
  for (const std::string& key : keys) text += is_number_column(rows, key) ? " ---: |" : " --- |";
  for (const json& row : rows) {
    text += "\n|";
    for (const std::string& key : keys) text += " " + cell_of(key, row.value(key, json())) + " |";
  }
  return text + "\n";
}

}  // namespace iket::analysis::markdown
