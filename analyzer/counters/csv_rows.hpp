// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The rows of a CSV as Nsight Compute prints it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iket::analysis::counters {

using csv_row = std::vector<std::string>;

/// Reads a page line by line. Fields are quoted, unless a spreadsheet has written the page anew; a quote within a field
/// is doubled, or as Nsight Compute prints source code, not even that: `"11","#include "tile.cuh""`. So a field ends at
/// a quote behind which a separator or the line's end comes. The separator is what the table's header has behind its
/// first field, a comma or a semicolon, whatever the program has printed before it. Of fields beyond
/// `limits::profile_columns` one comes out at most, which tells that there are more.
class csv_reader {
 public:
  /// `text` outlives the reader.
  explicit csv_reader(std::string_view text);

  /// The next line that is not empty, as fields; false at the end.
  [[nodiscard]] bool next(csv_row& row);

  /// The line that `next` read, as it is.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

  /// Whether the line that `next` read has quoted fields, and the last of them does not end.
  [[nodiscard]] bool is_cut() const noexcept;

 private:
  void split_quoted(csv_row& row) const;
  void split_bare(csv_row& row) const;

  std::string_view rest_;
  std::string_view line_;
  char separator_ = ',';
};

/// Joins what too many separators have split: source code may have `","` in it. Fields of `row` beyond `columns` belong
/// to the one with number `source`.
void join_surplus(csv_row& row, std::size_t columns, std::size_t source);

}  // namespace iket::analysis::counters
