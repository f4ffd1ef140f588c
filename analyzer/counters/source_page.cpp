// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "source_page.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "metric_table.hpp"
#include "ncu_number.hpp"
#include "sass_instruction.hpp"
#include "units.hpp"
#include "utf8.hpp"

namespace iket::analysis::counters {
namespace {

constexpr std::size_t most_told = 40;  // bytes of a field that cannot be read

/// Columns whose numbers add up, and their keys. Averages, ratios, sizes and policies do not. Of two with one key the
/// first in the page counts, or "# Samples".
constexpr std::array<std::pair<std::string_view, const char*>, 17> adding_columns = {{
    {"# Samples", "samples"},
    {"Samples", "samples"},
    {"Warp Stall Sampling (All Samples)", "samples"},
    {"Warp Stall Sampling (Not-issued Samples)", "samples_not_issued"},
    {"Instructions Executed", "instructions"},
    {"Thread Instructions Executed", "thread_instructions"},
    {"Predicated-On Thread Instructions Executed", "predicated_thread_instructions"},
    {"Divergent Branches", "divergent_branches"},
    {"L1 Tag Requests Global", "l1_tag_requests_global"},
    {"L1 Wavefronts Shared", "shared_wavefronts"},
    {"L1 Wavefronts Shared Excessive", "shared_wavefronts_excessive"},
    {"L1 Wavefronts Shared Ideal", "shared_wavefronts_ideal"},
    {"L2 Theoretical Sectors Global", "l2_sectors_global"},
    {"L2 Theoretical Sectors Global Excessive", "l2_sectors_global_excessive"},
    {"L2 Theoretical Sectors Global Ideal", "l2_sectors_global_ideal"},
    {"L2 Theoretical Sectors Local", "l2_sectors_local"},
    {"L2 Sectors Global", "l2_sectors_global"},
}};

std::string key_of(std::string_view column) {
  for (const auto& [name, key] : adding_columns)
    if (column == name) return key;
  constexpr std::string_view stall = "stall_", not_issued = " (Not Issued)";
  if (!column.starts_with(stall)) return {};
  const bool is_not_issued = column.ends_with(not_issued);
  std::string key(column.substr(0, column.size() - (is_not_issued ? not_issued.size() : 0)));
  if (key.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") != std::string::npos) return {};
  return key + (is_not_issued ? "_not_issued" : "");
}

/// Where a section's table has what.
struct section_columns {
  std::size_t count = 0;
  std::optional<std::size_t> line;         // "Line No"
  std::optional<std::size_t> line_source;  // the source line
  std::optional<std::size_t> address;
  std::optional<std::size_t> code;  // the instruction
  std::vector<std::size_t> values;  // of `source_listing::columns`
  std::vector<source_column> columns;
};

section_columns columns_of(const csv_row& header) {
  section_columns found;
  found.count = header.size();
  std::map<std::string, std::size_t> keys;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string& name = header[i];
    if (name == "Line No" || name == "#") found.line = i;
    if (name == "Address") found.address = i;
    if (name == "Source") (found.line && !found.line_source ? found.line_source : found.code) = i;
    const std::string key = key_of(name);
    if (key.empty() || key.size() > limits::source_key_bytes) continue;
    if (keys.size() == limits::source_columns && !keys.contains(key)) continue;
    const auto [at, is_new] = keys.try_emplace(key, found.columns.size());
    if (is_new) {
      found.values.push_back(i);
      found.columns.push_back({key, name});
    } else if (name == adding_columns.front().first) {
      found.values[at->second] = i;
      found.columns[at->second].name = name;
    }
  }
  return found;
}

/// Whether a row is the header of a listing, whatever the order of its columns.
bool begins_listing(const csv_row& row) {
  const auto has = [&](const char* name) { return std::find(row.begin(), row.end(), name) != row.end(); };
  return has("Source") && (has("Line No") || has("#") || has("Address"));
}

std::optional<std::uint64_t> address_in(const std::string& text) {
  if (const auto address = address_of(text)) return address;
  std::uint64_t value = 0;  // an older one prints offsets
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class page_reader {
 public:
  page_reader(csv_reader& rows, const std::string& file, profile_builder& to) : rows_(rows), file_(file), to_(to) {}

  std::optional<csv_row> read(csv_row row) {
    std::optional<csv_row> behind;
    (void)take_heading(row);  // whatever else it looks like, the page begins with it
    while (rows_.next(row)) {
      if (begins_metric_table(row)) {
        behind = std::move(row);
        break;
      }
      if (!take_heading(row)) take(row);
    }
    finish(true);
    warn();
    return behind;
  }

 private:
  /// "File Path" and then "Function Name", or "Kernel Name"; then the table's header.
  bool take_heading(const csv_row& row) {
    if (row.size() < 2) return false;
    const std::string& what = row.front();
    if (what == "File Path" || what == "File Name") {
      path_ = row[1];
      kernel_.clear();
      has_table_ = false;
      return true;
    }
    if (what == "Kernel Name" || what == "Function Name") {
      kernel_ = row[1];
      if (what == "Kernel Name") path_.clear();
      has_table_ = false;
      return true;
    }
    if (!begins_listing(row)) return false;
    begin_table(row);
    return true;
  }

  void begin_table(const csv_row& header) {
    table_ = columns_of(header);
    has_table_ = true;
    is_quoted_ = rows_.line().starts_with('"');
    has_line_ = false;
    line_ = {};
    lacks_figures_ = lacks_figures_ || table_.values.empty();
    // A file's section comes once in a listing; a listing of a kernel alone is the listing.
    const bool begins = listing_.kernel != kernel_ || path_.empty() || !paths_.insert(path_).second;
    if (!begins && has_columns_of_listing()) return;
    finish(false);
    listing_.kernel = kernel_;
    listing_.file = file_;
    listing_.columns = table_.columns;
    paths_.insert(path_);
  }

  [[nodiscard]] bool has_columns_of_listing() const {
    return std::equal(table_.columns.begin(), table_.columns.end(), listing_.columns.begin(), listing_.columns.end(),
                      [](const source_column& a, const source_column& b) { return a.key == b.key; });
  }

  void take(csv_row& row) {
    if (!has_table_ || table_.values.empty()) return;
    // What is too long has its text split; what is too short was cut off.
    join_surplus(row, table_.count, split_column(row));
    const bool is_quoted = rows_.line().starts_with('"');
    if (is_quoted_ && !is_quoted) return;  // the program's words
    if (row.size() < table_.count || rows_.is_cut()) {
      ++rows_cut_;
      return;
    }
    const std::optional<std::uint64_t> address =
        table_.address ? address_in(row[*table_.address]) : std::optional<std::uint64_t>();
    if (address && table_.code) {
      take_instruction(*address, row);
    } else if (table_.line && !row[*table_.line].empty()) {
      take_line(row);
    }
  }

  /// Which column has text that may hold separators: the source line, or in a row of an instruction that.
  [[nodiscard]] std::size_t split_column(const csv_row& row) const {
    const bool is_line = table_.line && *table_.line < row.size() && !row[*table_.line].empty();
    if (is_line && table_.line_source) return *table_.line_source;
    return table_.code.value_or(table_.line_source.value_or(table_.count));
  }

  void take_instruction(std::uint64_t address, const csv_row& row) {
    const auto [at, is_new] = places_.try_emplace(address, listing_.rows.size());
    if (is_new) {
      if (listing_.rows.size() >= limits::source_rows) {
        places_.erase(at);
        too_long_ = true;
        return;
      }
      listing_.rows.push_back({address, row[*table_.code], {}, values_of(row)});
    } else if (listing_.rows[at->second].values != values_of(row)) {
      is_contradictory_ = listing_.is_doubtful = true;
    }
    if (!has_line_) return;
    std::vector<source_location>& sources = listing_.rows[at->second].sources;
    if (std::find(sources.begin(), sources.end(), line_) == sources.end() && sources.size() < limits::inlined_lines)
      sources.push_back(line_);
  }

  void take_line(const csv_row& row) {
    std::uint32_t number = 0;
    const std::string& text = row[*table_.line];
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    has_line_ = failure == std::errc() && end == text.data() + text.size();
    if (!has_line_) return;
    is_sorted_ = is_sorted_ && line_.line <= number;
    line_ = {path_, number};
    if (lines_.size() >= limits::source_rows) {
      too_long_ = true;
      return;
    }
    lines_.push_back({0, table_.line_source ? row[*table_.line_source] : std::string(), {line_}, values_of(row)});
  }

  [[nodiscard]] std::vector<std::uint64_t> values_of(const csv_row& row) {
    std::vector<std::uint64_t> values;
    values.reserve(table_.values.size());
    for (const std::size_t column : table_.values) values.push_back(value_of(row[column]));
    return values;
  }

  /// 0 where there is none, "-" or nothing.
  [[nodiscard]] std::uint64_t value_of(const std::string& text) {
    constexpr std::uint64_t most = std::uint64_t{1} << 60;  // sums of such have room
    if (const std::optional<std::uint64_t> count = count_of(text); count && *count < most) return *count;
    if (text.empty() || text == "-" || text == "n/a" || text == "N/A" || text == "nan") return 0;
    if (unreadable_++ == 0) first_unreadable_ = std::string(first_bytes(text, most_told));
    listing_.is_doubtful = true;
    return 0;
  }

  void finish(bool at_end) {
    if (listing_.rows.empty()) {
      listing_.rows = std::move(lines_);
    } else {
      listing_.has_instructions = true;
      std::stable_sort(listing_.rows.begin(), listing_.rows.end(),
                       [](const source_row& a, const source_row& b) { return a.address < b.address; });
    }
    found_ = found_ || !listing_.rows.empty();
    // Instructions stand behind their line: in another order nobody knows which is whose.
    if (!is_sorted_ && listing_.has_instructions) {
      for (source_row& one : listing_.rows) one.sources.clear();
      lost_lines_ = true;
    }
    is_sorted_ = true;
    if (at_end && to_.is_cut_repetition(listing_))
      is_cut_ = true;
    else if (!listing_.rows.empty())
      to_.add(std::move(listing_));
    listing_ = {};
    lines_.clear();
    places_.clear();
    paths_.clear();
  }

  void warn() {
    const auto add = [&](const std::string& text) { to_.warn(file_, text); };
    if (!found_ && !lacks_figures_)
      add(" has no row of an instruction or a line: it was cut off, or has lost a column");
    if (lacks_figures_)
      add(" lists source lines without any figure; print the page with --print-source cuda,sass, or sass");
    if (rows_cut_ != 0) add(": rows that were cut off, or have fewer fields than their header, were left out");
    if (unreadable_ != 0)
      add(": " + count_text(unreadable_, "figure") + " taken for 0, as they are no counts, such as '" +
          first_unreadable_ + "'; a spreadsheet may have rounded them, so print the page again");
    if (lost_lines_)
      add(" has its source lines in another order than the profiler's, so they are not known; print the page again");
    if (is_contradictory_) add(" has an instruction twice, with other figures: print the page again");
    if (is_cut_) add(" was cut off in a listing: print the page again");
    if (too_long_) add(": only the first " + std::to_string(limits::source_rows) + " rows of a listing were read");
  }

  csv_reader& rows_;
  const std::string& file_;
  profile_builder& to_;
  std::string path_, kernel_;
  section_columns table_;
  bool has_table_ = false;
  bool is_quoted_ = false;  // the table's fields
  source_listing listing_;
  std::vector<source_row> lines_;                // where the listing has no instructions
  std::map<std::uint64_t, std::size_t> places_;  // of instructions, in the listing
  std::set<std::string> paths_;                  // of the listing's sections
  source_location line_;                         // under which instructions stand
  bool has_line_ = false;
  bool lacks_figures_ = false;
  bool too_long_ = false;
  bool found_ = false;     // a row with figures
  bool is_cut_ = false;    // within a listing
  bool is_sorted_ = true;  // the listing's lines, in each section
  bool lost_lines_ = false;
  bool is_contradictory_ = false;
  std::uint64_t rows_cut_ = 0;
  std::uint64_t unreadable_ = 0;
  std::string first_unreadable_;
};

}  // namespace

bool begins_source_page(const csv_row& row) {
  return row.size() >= 2 &&
         (row.front() == "File Path" || row.front() == "File Name" ||
          (row.front() == "Kernel Name" && row.size() <= 3)) &&
         row[1] != "Context";
}

std::optional<csv_row> read_source_page(csv_reader& rows, csv_row first, const std::string& file, profile_builder& to) {
  return page_reader(rows, file, to).read(std::move(first));
}

}  // namespace iket::analysis::counters
