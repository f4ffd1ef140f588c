// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "csv_rows.hpp"

#include <algorithm>

#include "limits.hpp"

namespace iket::analysis::counters {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Where the line begins that has what each page's header has; 0 if none has.
std::size_t begin_of_table(std::string_view text) {
  const std::size_t header = std::min({text.find("Kernel Name"), text.find("File Path"), text.find("File Name")});
  if (header == std::string_view::npos) return 0;
  const std::size_t end = text.rfind('\n', header);
  return end == std::string_view::npos ? 0 : end + 1;
}

std::string unescaped(std::string_view field) {
  std::string text;
  text.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace

csv_reader::csv_reader(std::string_view text) : rest_(text) {
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  const std::string_view table = rest_.substr(begin_of_table(rest_));
  // Of a page with semicolons, whose numbers have commas.
  const std::size_t semicolons = table.find("\";\""), commas = table.find("\",\"");
  const std::size_t first = table.find("ID;"), second = table.find("ID,");
  if (semicolons < commas || (commas == std::string_view::npos && first < second)) separator_ = ';';
}

bool csv_reader::next(csv_row& row) {
  row.clear();
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (line_.starts_with(byte_order_mark)) line_.remove_prefix(byte_order_mark.size());  // of a file behind another
    if (line_.empty()) continue;
    if (line_.front() == '"')
      split_quoted(row);
    else
      split_bare(row);
    return true;
  }
  return false;
}

bool csv_reader::is_cut() const noexcept {
  if (!line_.starts_with('"') || line_.ends_with(separator_)) return false;  // empty fields may be left out at the end
  // Behind a separator a quote begins a field.
  const char opening[] = {'"', separator_, '"', '\0'};
  return line_.size() == 1 || !line_.ends_with('"') || line_.ends_with(opening);
}

void csv_reader::split_quoted(csv_row& row) const {
  const char between[] = {'"', separator_, '"', '\0'};
  std::size_t begin = 1;
  while (begin <= line_.size()) {
    std::size_t end = line_.find(between, begin);
    // An empty field's own quotes are no end: `"","a"`.
    if (end == std::string_view::npos || row.size() == limits::profile_columns) break;
    row.push_back(unescaped(line_.substr(begin, end - begin)));
    begin = end + 3;
  }
  std::string_view last = begin <= line_.size() ? line_.substr(begin) : std::string_view();
  if (last.ends_with(separator_)) last.remove_suffix(1);  // of a line that ends in an empty field without quotes
  if (last.ends_with('"')) last.remove_suffix(1);
  row.push_back(unescaped(last));
}

void csv_reader::split_bare(csv_row& row) const {
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < line_.size(); ++i) {
    const char character = line_[i];
    if (character == '"' && quoted && i + 1 < line_.size() && line_[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (character == '"' && (quoted || field.empty())) {
      quoted = !quoted;
    } else if (character == separator_ && !quoted) {
      if (row.size() == limits::profile_columns) break;
      row.push_back(std::move(field));
      field.clear();
    } else {
      field += character;
    }
  }
  row.push_back(std::move(field));
}

void join_surplus(csv_row& row, std::size_t columns, std::size_t source) {
  if (row.size() <= columns || source >= columns) return;
  const std::size_t surplus = row.size() - columns;
  for (std::size_t i = 1; i <= surplus; ++i) row[source] += "\",\"" + row[source + i];
  const auto first = row.begin() + static_cast<std::ptrdiff_t>(source) + 1;
  row.erase(first, first + static_cast<std::ptrdiff_t>(surplus));
}

}  // namespace iket::analysis::counters
