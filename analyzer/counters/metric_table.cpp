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
#include <system_error>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "ncu_number.hpp"

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

/// What tells a row of a table from a line that the program has printed.
constexpr std::size_t least_fields = 5;

class table_reader {
 public:
  table_reader(csv_reader& rows, const std::string& file, ncu_profile& to) : rows_(rows), file_(file), to_(to) {}

  void read(const csv_row& header) {
    const column_numbers columns(header);
    std::vector<csv_row> body;
    csv_row row;
    while (rows_.next(row)) {
      // Fields that are empty to the end of a row may be left out.
      if (row.size() < least_fields || row.size() > header.size() || rows_.is_cut()) {
        if (rows_.line().front() == '"') ++cut_;  // else the program's own words
        continue;
      }
      if (columns.text(row, "ID").find_first_not_of("0123456789") != std::string::npos) continue;  // words with commas
      if (body.size() == limits::profile_rows) {
        to_.warnings.push_back("'" + file_ + "': only the first " + std::to_string(limits::profile_rows) +
                               " rows were read");
        break;
      }
      body.push_back(std::move(row));
    }
    const std::size_t before = to_.kernels.size();
    if (columns.find("Metric Name"))
      read_details(body, columns);
    else
      read_raw(body, header, columns);
    if (to_.kernels.size() == before)
      to_.warnings.push_back("'" + file_ + "' has no row of a kernel: nothing was profiled, or it was cut off");
    if (cut_ != 0)
      to_.warnings.push_back("'" + file_ +
                             "': rows that were cut off, or have more fields than the header, were left out");
  }

 private:
  void read_raw(const std::vector<csv_row>& body, const csv_row& header, const column_numbers& columns) {
    sign_vote vote;
    const std::size_t first_metric = columns.find("CC").value_or(columns.find("Grid Size").value_or(0)) + 1;
    for (const csv_row& row : body)
      for (std::size_t i = first_metric; i < row.size(); ++i) vote.add(row[i]);
    csv_row units;
    for (const csv_row& row : body) {
      // The row of units has no kernel.
      if (columns.text(row, "Kernel Name").empty()) {
        units = row;
        continue;
      }
      profiled_kernel kernel = kernel_of(row, columns, file_);
      for (std::size_t i = first_metric; i < row.size(); ++i)
        set(row[i], i < units.size() ? units[i] : std::string(), vote.winner(), header[i], kernel, kernel.raw);
      to_.kernels.push_back(std::move(kernel));
    }
  }

  void read_details(const std::vector<csv_row>& body, const column_numbers& columns) {
    sign_vote vote;
    for (const csv_row& row : body) vote.add(columns.text(row, "Metric Value"));
    std::map<std::string, std::size_t> known;  // by ID
    for (const csv_row& row : body) {
      profiled_kernel found = kernel_of(row, columns, file_);
      if (found.name.empty()) continue;
      const auto [at, is_new] = known.try_emplace(found.id, to_.kernels.size());
      if (is_new) to_.kernels.push_back(std::move(found));
      profiled_kernel& kernel = to_.kernels[at->second];
      const std::string metric_name = columns.text(row, "Metric Name");
      if (metric_name.empty()) continue;  // a rule's advice
      set(columns.text(row, "Metric Value"), columns.text(row, "Metric Unit"), vote.winner(),
          columns.text(row, "Section Name") + "/" + metric_name, kernel, kernel.details);
    }
  }

  csv_reader& rows_;
  const std::string& file_;
  ncu_profile& to_;
  std::uint64_t cut_ = 0;
};

}  // namespace

bool begins_metric_table(const csv_row& row) {
  const auto has = [&](const char* name) { return std::find(row.begin(), row.end(), name) != row.end(); };
  return has("Kernel Name") && (has("Grid Size") || has("ID")) && row.size() > 3;
}

void read_metric_table(csv_reader& rows, const csv_row& header, const std::string& file, ncu_profile& to) {
  if (header.size() > limits::profile_columns) {
    to.warnings.push_back("'" + file + "' has more than " + std::to_string(limits::profile_columns) +
                          " columns: it was not read");
    return;
  }
  table_reader(rows, file, to).read(header);
}

}  // namespace iket::analysis::counters
