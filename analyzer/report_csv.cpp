// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_csv.hpp"

#include <cstddef>
#include <string_view>

#include <nlohmann/json.hpp>

#include "terminal_text.hpp"
#include "utf8.hpp"

namespace iket::analysis {
namespace {

using json = nlohmann::ordered_json;

/// Whether a spreadsheet takes a cell for a formula: by its first character, in its wide form as well. A number is
/// none, and neither is the character alone.
bool is_formula(std::string_view text) {
  if (text.empty()) return false;
  const code_point first = first_code_point(text);
  const char32_t narrow = first.value >= 0xFF01 && first.value <= 0xFF5E ? first.value - 0xFEE0 : first.value;
  if (text.size() == first.bytes || std::u32string_view(U"=+-@").find(narrow) == std::u32string_view::npos)
    return false;
  return narrow != '-' || text.find_first_not_of("0123456789.e-", first.bytes) != std::string_view::npos;
}

/// A cell of one line that holds what the text says, and nothing that acts.
std::string field(const std::string& text) {
  std::string safe = (is_formula(text) ? "'" : "") + terminal_safe(text);
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char character : safe) quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
  return quoted + '"';
}

std::string value_text(const json& value) {
  if (value.is_null() || value.is_array()) return "";
  return value.is_string() ? field(value.get<std::string>()) : value.dump();
}

/// What an element of a section is about.
std::string name_of(const json& element) {
  for (const char* const key : {"name", "stage", "a", "site", "file", "role", "kernel"})
    if (element.is_object() && element.contains(key) && element[key].is_string()) return element[key];
  return "";
}

class csv_writer {
 public:
  std::string write(const json& report) {
    text_ = "launch,kernel,section,row,name,figure,value\n";
    std::size_t launch = 0;
    for (const json& one : report.at("launches")) write_launch(one, ++launch);
    launch_.clear();
    for (const auto& [key, value] : report.items())
      if (key == "comparison")
        write_comparison(value);
      else if (key != "launches")
        write_section(key, key, value);
    return std::move(text_);
  }

 private:
  void write_launch(const json& launch, std::size_t number) {
    launch_ = std::to_string(number) + "," + field(launch.at("kernel")) + ",";
    for (const auto& [key, value] : launch.items()) {
      const bool is_section = value.is_array() && (value.empty() || value.front().is_object());
      write_section(is_section ? key : "launch", key, value);
    }
  }

  /// Arrays are sections of their own, so that each row is about one stage or role.
  void write_members(const std::string& section, const json& of) {
    for (const auto& [key, value] : of.items())
      if (key != "kernels") write_section(value.is_array() ? section + "." + key : section, key, value);
  }

  void write_comparison(const json& of) {
    write_members("comparison", of);
    std::size_t number = 0;
    for (const json& kernel : of.at("kernels")) {
      launch_ = "," + field(kernel.at("kernel")) + ",";
      write_members("comparison.kernels[" + std::to_string(++number) + "]", kernel);
    }
    launch_.clear();
  }

  /// All of a key: an array's elements by number, anything else as one element without.
  void write_section(const std::string& section, const std::string& key, const json& value) {
    const std::string begin = (launch_.empty() ? ",," : launch_) + field(section) + ",";
    if (section == "launch" || !value.is_array()) {
      row_ = begin + ",,";
      write_values(section == key && value.is_object() ? "" : key, value);
      return;
    }
    std::size_t number = 0;
    for (const json& element : value) {
      row_ = begin + std::to_string(++number) + "," + field(name_of(element)) + ",";
      write_values(element.is_object() ? "" : "text", element);
    }
  }

  void write_values(const std::string& path, const json& value) {
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) write_values(path.empty() ? key : path + "." + key, member);
    } else if (value.is_array() && !value.empty()) {
      for (std::size_t i = 0; i < value.size(); ++i) write_values(path + "[" + std::to_string(i + 1) + "]", value[i]);
    } else {
      text_ += row_ + field(path) + "," + value_text(value) + "\n";
    }
  }

  std::string text_;
  std::string launch_;  // the first two columns; empty: none
  std::string row_;     // all columns but the last two
};

}  // namespace

std::string report_csv(const std::string& report_json) { return csv_writer().write(json::parse(report_json)); }

}  // namespace iket::analysis
