// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "metric_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "ncu_number.hpp"
#include "source_page.hpp"

namespace iket::analysis::counters {
namespace {

/// "(264, 1, 1)"
std::optional<std::array<std::uint32_t, 3>> extent_in(const std::string& text) {
  std::array<std::uint32_t, 3> extent{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint32_t& one : extent) {
    while (at != end && (*at < '0' || *at > '9')) ++at;
    const auto [stop, failure] = std::from_chars(at, end, one);
    if (failure != std::errc()) return std::nullopt;
    at = stop;
  }
  return extent;
}

class column_numbers {
 public:
  column_numbers() = default;
  explicit column_numbers(const csv_row& header) {
    for (std::size_t i = 0; i < header.size(); ++i) numbers_.try_emplace(header[i], i);
  }
  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? std::nullopt : std::optional(at->second);
  }
  [[nodiscard]] std::string text(const csv_row& row, const std::string& name) const {
    const std::optional<std::size_t> at = find(name);
    return at && *at < row.size() ? row[*at] : std::string();
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

profiled_kernel kernel_of(const csv_row& row, const column_numbers& columns, const std::string& file) {
  profiled_kernel kernel;
  kernel.file = file;
  kernel.id = columns.text(row, "ID");
  kernel.name = columns.text(row, "Kernel Name");
  kernel.grid = extent_in(columns.text(row, "Grid Size"));
  kernel.block = extent_in(columns.text(row, "Block Size"));
  return kernel;
}

/// The sign that most of a page's numbers tell; a point where none does.
class sign_vote {
 public:
  void add(const std::string& number) {
    if (const std::optional<decimal_sign> sign = sign_in(number)) votes_ += *sign == decimal_sign::comma ? 1 : -1;
  }
  [[nodiscard]] decimal_sign winner() const { return votes_ > 0 ? decimal_sign::comma : decimal_sign::point; }

 private:
  std::int64_t votes_ = 0;
};

void set(const std::string& text, const std::string& unit, decimal_sign sign, const std::string& name,
         profiled_kernel& of, std::map<std::string, metric>& to) {
  if (name.empty() || name.size() > limits::metric_name_bytes) return;
  const base_unit base = base_of(unit);
  if (const std::optional<double> value = number_of(text, sign); value && std::isfinite(*value * base.factor))
    to[name] = {*value * base.factor, base.name};
  else if (!text.empty() && text != "-" && text != "n/a" && text != "N/A" && text != "nan")
    of.texts[name] = text;
}

bool is_number(const std::string& text) { return text.find_first_not_of("0123456789") == std::string::npos; }

class table_reader {
 public:
  table_reader(csv_reader& rows, const std::string& file, profile_builder& to) : rows_(rows), file_(file), to_(to) {}

  std::optional<csv_row> read(const csv_row& header) {
    header_ = header;
    columns_ = column_numbers(header);
    is_quoted_ = rows_.line().starts_with('"');
    // A page `details` leaves out the fields behind the value where they are empty.
    const std::optional<std::size_t> value = columns_.find("Metric Value");
    least_fields_ = value ? *value + 1 : header.size();
    std::optional<csv_row> behind;
    csv_row row;
    while (rows_.next(row)) {
      if (begins_metric_table(row) || begins_source_page(row)) {
        behind = std::move(row);
        break;
      }
      take(std::move(row));
    }
    if (columns_.find("Metric Name") && !value)
      to_.warn(file_, " is a summary of launches, which tells none of them: print the page without --print-summary");
    else if (value)
      read_details();
    else
      read_raw();
    warn();
    return behind;
  }

 private:
  /// Takes what is a row of the table; the program's own words, with separators or without, are none.
  void take(csv_row row) {
    const bool is_quoted = rows_.line().starts_with('"');
    if ((is_quoted_ && !is_quoted) || !is_number(columns_.text(row, "ID"))) return;
    const bool has_grid = extent_in(columns_.text(row, "Grid Size")).has_value();
    if (row.size() < least_fields_ || row.size() > header_.size() || rows_.is_cut()) {
      is_cut_ = is_cut_ || has_grid || (is_quoted && row.size() > 1);
      return;
    }
    // Behind a row of units, which is the first and has no kernel, each row has one.
    const bool may_be_units = body_.empty() && columns_.text(row, "Kernel Name").empty();
    if (!may_be_units && columns_.find("Grid Size") && !has_grid) return;
    if (!known_.insert(rows_.line()).second) return;  // a page that stands in the file twice
    if (body_.size() == limits::profile_rows) {
      too_long_ = true;
      return;
    }
    body_.push_back(std::move(row));
  }

  void warn() const {
    const bool is_summary = columns_.find("Metric Name") && !columns_.find("Metric Value");
    if (!has_kernel_ && !is_summary)
      to_.warn(file_, " has no row of a kernel: nothing was profiled, or it was cut off");
    if (too_long_)
      to_.warn(file_, ": only the first " + std::to_string(limits::profile_rows) + " rows of a table were read");
    if (is_cut_) to_.warn(file_, ": rows that were cut off, or have more fields than the header, were left out");
    if (lacks_units_) to_.warn(file_, " has no row of units behind its header: print the page again");
  }

  void add(profiled_kernel&& kernel) {
    has_kernel_ = true;
    to_.add(std::move(kernel));
  }

  void read_raw() {
    sign_vote vote;
    const std::size_t first_metric = columns_.find("CC").value_or(columns_.find("Grid Size").value_or(0)) + 1;
    for (const csv_row& row : body_)
      for (std::size_t i = first_metric; i < row.size(); ++i) vote.add(row[i]);
    csv_row units(header_.size(), unknown_unit);
    for (const csv_row& row : body_) {
      if (columns_.text(row, "Kernel Name").empty()) {
        units = row;
        continue;
      }
      lacks_units_ = lacks_units_ || units.front() == unknown_unit;
      profiled_kernel kernel = kernel_of(row, columns_, file_);
      for (std::size_t i = first_metric; i < row.size(); ++i)
        set(row[i], units[i], vote.winner(), header_[i], kernel, kernel.raw);
      add(std::move(kernel));
    }
  }

  void read_details() {
    sign_vote vote;
    for (const csv_row& row : body_) vote.add(columns_.text(row, "Metric Value"));
    std::vector<profiled_kernel> kernels;
    std::map<std::string, std::size_t> known;  // by ID
    for (const csv_row& row : body_) {
      profiled_kernel found = kernel_of(row, columns_, file_);
      if (found.name.empty()) continue;
      const auto [at, is_new] = known.try_emplace(found.id, kernels.size());
      if (is_new) kernels.push_back(std::move(found));
      profiled_kernel& kernel = kernels[at->second];
      const std::string metric_name = columns_.text(row, "Metric Name");
      if (metric_name.empty()) continue;  // a rule's advice
      set(columns_.text(row, "Metric Value"), columns_.text(row, "Metric Unit"), vote.winner(),
          columns_.text(row, "Section Name") + "/" + metric_name, kernel, kernel.details);
    }
    for (profiled_kernel& kernel : kernels) add(std::move(kernel));
  }

  static constexpr const char* unknown_unit = "of no unit";

  csv_reader& rows_;
  const std::string& file_;
  profile_builder& to_;
  csv_row header_;
  column_numbers columns_;
  bool is_quoted_ = false;
  std::size_t least_fields_ = 0;
  std::vector<csv_row> body_;
  std::set<std::string_view> known_;  // lines of `body_`
  bool has_kernel_ = false;
  bool is_cut_ = false;
  bool too_long_ = false;
  bool lacks_units_ = false;
};

}  // namespace

bool begins_metric_table(const csv_row& row) {
  const auto has = [&](const char* name) { return std::find(row.begin(), row.end(), name) != row.end(); };
  return has("Kernel Name") && (has("Grid Size") || has("ID")) && row.size() > 3;
}

std::optional<csv_row> read_metric_table(csv_reader& rows, const csv_row& header, const std::string& file,
                                         profile_builder& to) {
  if (header.size() <= limits::profile_columns) return table_reader(rows, file, to).read(header);
  to.warn(file, " has more than " + std::to_string(limits::profile_columns) + " columns: it was not read");
  return std::nullopt;
}

}  // namespace iket::analysis::counters
