// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A table that makes do with the width it gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "terminal_text.hpp"

namespace iket::analysis {

/// A safe text and its look.
struct table_cell {
  std::string text;
  style look = style::plain;
};

/// How a text that is too wide is made shorter.
enum class cell_kind : std::uint8_t {
  name,     ///< an ellipsis in the middle
  list,     ///< "a, b": each of its names
  drawing,  ///< evenly
};

struct table_column {
  std::string header;              ///< empty: the header of the column before stands over this one too
  bool left = false;               ///< aligned to the left, otherwise to the right
  std::size_t shrinks_to = 0;      ///< its texts may be shortened down to this width; 0: never
  unsigned drop_order = 0;         ///< where the width does not do, columns go in this order, 1 first; 0: never
  bool unit_may_close_up = false;  ///< "1.20 ms" may become "1.20ms"
  cell_kind kind = cell_kind::name;
};

struct text_table {
  std::vector<table_column> columns;
  std::vector<std::vector<table_cell>> rows;  ///< a cell per column
};

struct rendered_table {
  std::string text;                  ///< lines, each ended
  std::vector<std::string> dropped;  ///< headers of the columns left out, but those without
};

/// Lays the table out within `width` columns, `indent` of them blank: first as it is, then with less space between
/// columns and before units, then with shorter names, then with fewer columns.
[[nodiscard]] rendered_table render(text_table table, std::size_t width, std::size_t indent, bool colours);

}  // namespace iket::analysis
