// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "text_table.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "utf8.hpp"

namespace iket::analysis {
namespace {

/// Whether the header of a column may reach over the next one.
bool header_spans(const text_table& table, std::size_t column) {
  return !table.columns[column].header.empty() && column + 1 < table.columns.size() &&
         table.columns[column + 1].header.empty();
}

std::vector<std::size_t> natural_widths(const text_table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = header_spans(table, i) ? 0 : display_width(table.columns[i].header);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  return widths;
}

std::size_t total_width(const std::vector<std::size_t>& widths, std::size_t gap) {
  std::size_t total = widths.empty() ? 0 : gap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  return total;
}

void close_up_units(text_table& table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].unit_may_close_up)
      for (auto& row : table.rows) std::erase(row[i].text, ' ');
}

/// Takes `excess` from the columns that may shrink, always from the widest.
void shrink(const text_table& table, std::vector<std::size_t>& widths, std::size_t excess) {
  for (; excess > 0; --excess) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::size_t least = std::max(table.columns[i].shrinks_to, display_width(table.columns[i].header));
      if (table.columns[i].shrinks_to == 0 || widths[i] <= least) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

/// False: no column may go.
bool drop_column(text_table& table, std::vector<std::string>& dropped) {
  std::size_t next = table.columns.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const unsigned order = table.columns[i].drop_order;
    if (order != 0 && (next == table.columns.size() || order < table.columns[next].drop_order)) next = i;
  }
  if (next == table.columns.size()) return false;
  if (!table.columns[next].header.empty()) dropped.push_back(table.columns[next].header);
  const auto at = static_cast<std::ptrdiff_t>(next);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
  return true;
}

/// Every n-th character of a drawing, so that it keeps its proportions.
std::string thinned(std::string_view drawing, std::size_t width) {
  std::vector<std::string_view> characters;
  while (!drawing.empty()) {
    const std::size_t bytes = first_code_point(drawing).bytes;
    characters.push_back(drawing.substr(0, bytes));
    drawing.remove_prefix(bytes);
  }
  std::string result;
  for (std::size_t i = 0; i < width; ++i) result += characters[(2 * i + 1) * characters.size() / (2 * width)];
  return result;
}

std::string fitted(const table_column& column, const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  switch (column.kind) {
    case cell_kind::list:
      return shorten_list(text, width);
    case cell_kind::drawing:
      return thinned(text, width);
    case cell_kind::name:
      break;
  }
  return shorten_middle(text, width);
}

struct layout {
  std::vector<std::size_t> widths;
  std::size_t gap = 2;
  std::size_t indent = 0;
  bool colours = false;
};

void append_header(std::string& out, const text_table& table, const layout& in) {
  std::string line;
  std::size_t start = 0;  // of the column
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& text = table.columns[i].header;
    const bool left = table.columns[i].left || header_spans(table, i);
    const std::size_t at = left ? start : start + in.widths[i] - std::min(in.widths[i], display_width(text));
    if (!text.empty()) line.append(std::max(at, line.size()) - line.size(), ' ').append(text);
    start += in.widths[i] + in.gap;
  }
  out += std::string(in.indent, ' ') + styled(line, style::faint, in.colours) + "\n";
}

void append_row(std::string& out, const text_table& table, const std::vector<table_cell>& row, const layout& in) {
  std::string line(in.indent, ' ');
  std::size_t pending = 0;  // blanks, written only where something follows
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string text = fitted(table.columns[i], row[i].text, in.widths[i]);
    const std::size_t padding = in.widths[i] - display_width(text);
    if (!table.columns[i].left) pending += padding;
    if (!text.empty()) line.append(std::exchange(pending, 0), ' ').append(styled(text, row[i].look, in.colours));
    if (table.columns[i].left) pending += padding;
    pending += in.gap;
  }
  out += line + "\n";
}

/// Makes the table fit into `room` columns as far as it can.
layout lay_out(text_table& table, std::size_t room, std::vector<std::string>& dropped) {
  layout result;
  result.widths = natural_widths(table);
  const auto excess = [&](std::size_t gap) {
    const std::size_t total = total_width(result.widths, gap);
    return total > room ? total - room : 0;
  };
  if (excess(2) != 0) {
    close_up_units(table);
    result.widths = natural_widths(table);
  }
  while (excess(2) != 0) {
    result.gap = 1;
    shrink(table, result.widths, excess(1));
    if (excess(1) == 0 || !drop_column(table, dropped)) return result;
    result.widths = natural_widths(table);
  }
  result.gap = 2;
  return result;
}

}  // namespace

rendered_table render(text_table table, std::size_t width, std::size_t indent, bool colours) {
  rendered_table result;
  layout in = lay_out(table, width > indent ? width - indent : 1, result.dropped);
  in.indent = indent;
  in.colours = colours;
  append_header(result.text, table, in);
  for (const auto& row : table.rows) append_row(result.text, table, row, in);
  return result;
}

}  // namespace iket::analysis
