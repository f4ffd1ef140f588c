// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "counters_json.hpp"
#include "fraction.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

/// In the unit in which it is no 1000 even when rounded: "1.0 MB" and never "1000.0 kB".
std::string thousands_text(double value, int decimals, std::span<const char* const> units) {
  const double bound = 1000 - 0.5 * std::pow(10.0, -decimals);
  std::size_t unit = 0;
  for (; value >= bound && unit + 1 < units.size(); ++unit) value /= 1000;
  return fixed_text(value, decimals) + " " + units[unit];
}

/// Bytes as the profiler prints them, in powers of 1000: "47.3 MB".
std::string size_text(double bytes) {
  constexpr std::array<const char*, 4> units = {"kB", "MB", "GB", "TB"};
  return bytes < 999.5 ? fixed_text(bytes, 0) + " bytes" : thousands_text(bytes / 1000, 1, units);
}

std::string percent(double value) { return fixed_text(value, 1) + " %"; }

/// Counts of millions as "12.34 M".
std::string number_text(double value) {
  constexpr std::array<const char*, 3> units = {"M", "G", "T"};
  return value < 999'999.5 ? fixed_text(value, 0) : thousands_text(value / 1e6, 2, units);
}

class fact_list {
 public:
  explicit fact_list(const launch_counters& of) : of_(of) {}

  /// "DRAM 6.7 % of peak", and what `more` says of it in brackets.
  void add_percent(const char* key, const std::string& name, const std::string& of_what, std::string more = {}) {
    const std::optional<double> value = of_.figure(key);
    if (!value) return;
    facts_.push_back(name + " " + percent(*value) + of_what + (more.empty() ? "" : " (" + std::move(more) + ")"));
  }

  [[nodiscard]] std::string percent_of(const char* key, const std::string& before) const {
    const std::optional<double> value = of_.figure(key);
    return value ? before + percent(*value) : std::string();
  }

  [[nodiscard]] std::string size_of(const char* key, const std::string& behind) const {
    const std::optional<double> value = of_.figure(key);
    return value ? size_text(*value) + behind : std::string();
  }

  void add(std::string text) {
    if (!text.empty()) facts_.push_back(std::move(text));
  }

  void add_count(const char* key, const std::string& name, bool also_none = false) {
    const std::optional<double> value = of_.figure(key);
    if (value && (also_none || *value != 0)) facts_.push_back(number_text(*value) + name);
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(facts_); }

 private:
  const launch_counters& of_;
  std::vector<std::string> facts_;
};

std::string joined(const std::string& a, const std::string& b) { return a + (a.empty() || b.empty() ? "" : ", ") + b; }

std::string stalls_text(const launch_counters& of) {
  constexpr std::size_t most = 3;
  constexpr double least_shown = 0.05;  // less is 0.0
  std::string text;
  std::size_t told = 0;
  for (const kernel_figure& reason : of.stall_reasons) {
    if (reason.key == "stalled_selected" || reason.key == "stalled_not_selected") continue;
    if (reason.value < least_shown || told++ == most) break;
    text += (text.empty() ? "warps stalled at an issue: " : ", ") + reason.label + " " + fixed_text(reason.value, 1);
  }
  return text;
}

/// A stage's name; with its kind where work and waits are called the same.
std::string row_name(const launch_counters& of, const stage_counters& stage) {
  const stage_kind other = stage.kind == stage_kind::wait ? stage_kind::work : stage_kind::wait;
  if (of.find(stage.stage, other) == nullptr) return stage.stage;
  return stage.stage + (stage.kind == stage_kind::wait ? " (wait)" : " (work)");
}

/// A part of the code as a row.
struct part_row {
  std::string name;
  const column_values* values = nullptr;
  style look = style::plain;
};

/// A column of the table, from a column of the page.
struct part_column {
  const char* key;
  const char* header;
  unsigned drop_order;
};

constexpr std::array part_columns = {
    part_column{"samples", "samples", 0},
    part_column{"instructions", "instructions", 3},
    part_column{"l2_sectors_global", "L2 sectors", 5},
    part_column{"l2_sectors_local", "local", 4},
    part_column{"shared_wavefronts_excessive", "conflicts", 6},
};

std::vector<table_cell> row_of(const launch_counters& of, const part_row& part, const std::vector<part_column>& columns,
                               bool is_sum) {
  std::vector<table_cell> row{{terminal_safe(part.name), part.look}};
  for (const part_column& column : columns) {
    const std::uint64_t value = of.value(*part.values, column.key);
    row.push_back({is_sum ? number_text(static_cast<double>(value))
                          : percent_text(fraction(value, of.value(of.sums, column.key))),
                   part.look});
    if (std::string_view(column.key) != "samples") continue;
    const stall_share stall = top_stall(of, *part.values);
    row.push_back({stall.fraction > 0 ? stall.reason : "-", part.look});
    row.push_back({stall.fraction > 0 ? percent_text(stall.fraction) : "-", part.look});
  }
  return row;
}

}  // namespace

std::vector<std::string> counter_facts(const launch_counters& of) {
  fact_list facts(of);
  facts.add("hardware counters of " + terminal_safe(of.kernel.substr(0, of.kernel.find('('))) +
            (of.launches > 1 ? ", means of " + std::to_string(of.launches) + " launches" : ""));
  if (const std::optional<double> seconds = of.figure("duration_s"))
    facts.add(duration_text(*seconds * 1e12) + " under the profiler");
  facts.add_percent("sm_throughput_percent", "compute", " of peak");
  facts.add_percent("tensor_pipe_percent", "tensor pipe", "");
  facts.add_percent("issue_slots_percent", "issue slots", "");
  facts.add_percent("memory_throughput_percent", "memory", " of peak");
  facts.add_percent("dram_throughput_percent", "DRAM", "",
                    joined(facts.size_of("dram_read_bytes", " read"), facts.size_of("dram_write_bytes", " written")));
  facts.add_percent("l2_throughput_percent", "L2", "", facts.percent_of("l2_hit_percent", "hits "));
  facts.add_percent("l1_throughput_percent", "L1", "", facts.percent_of("l1_hit_percent", "hits "));
  facts.add_percent("occupancy_percent", "occupancy", "",
                    joined(facts.percent_of("occupancy_theoretical_percent", "at most "),
                           of.occupancy_limit.empty() ? "" : "by " + of.occupancy_limit));
  facts.add_count("registers_per_thread", " registers a thread");
  const double shared = of.figure("shared_static_bytes").value_or(0) + of.figure("shared_dynamic_bytes").value_or(0);
  if (shared > 0) facts.add(size_text(shared) + " of shared memory a CTA");
  facts.add_count("bank_conflicts", " bank conflicts");
  const double local = of.figure("local_loads").value_or(0) + of.figure("local_stores").value_or(0);
  if (local > 0) facts.add(number_text(local) + " loads and stores of local memory");
  facts.add_count("spill_requests", " requests for spilled registers");
  facts.add(stalls_text(of));
  return facts.take();
}

text_table counter_table(const launch_counters& of) {
  text_table table;
  if (of.division == division_kind::none) return table;
  std::vector<part_column> columns;
  for (const part_column& column : part_columns)
    if (of.value(of.sums, column.key) != 0) columns.push_back(column);
  if (columns.empty()) return table;
  table.columns = {{"counters", true, 18, 0, false}};
  for (const part_column& column : columns) {
    table.columns.push_back({column.header, false, 0, column.drop_order, true});
    if (std::string_view(column.key) != "samples") continue;
    table.columns.push_back({"top stall", true, 8, 2, false});
    table.columns.push_back({"of them", false, 0, 1, true});
  }
  for (const stage_counters& stage : of.stages)
    table.rows.push_back(
        row_of(of, {row_name(of, stage), &stage.values, stage.kind == stage_kind::wait ? style::wait : style::plain},
               columns, false));
  const std::array<std::pair<const char*, const column_values*>, 4> others = {{{"(shared)", &of.shared},
                                                                               {"(recording)", &of.recording},
                                                                               {"(outside stages)", &of.outside},
                                                                               {"(not followed)", &of.unknown}}};
  for (const auto& [name, values] : others)
    if (!is_empty(*values)) table.rows.push_back(row_of(of, {name, values, style::faint}, columns, false));
  table.rows.push_back(row_of(of, {"sum", &of.sums, style::strong}, columns, true));
  return table;
}

std::string counter_legend(const launch_counters& of) {
  constexpr double much_recording = 0.05;
  std::string text =
      "parts of the sums of the page 'source'; top stall: the commonest reason not to issue, and its part of the "
      "samples";
  if (of.value(of.sums, "l2_sectors_local") != 0) text += "; local: L2 sectors of local memory";
  if (of.value(of.sums, "shared_wavefronts_excessive") != 0) text += "; conflicts: of banks of shared memory";
  if (!is_empty(of.shared)) text += "; shared: code that several stages run";
  if (fraction(of.value(of.recording, "samples"), of.value(of.sums, "samples")) >= much_recording)
    text += "; recording: where warps stood at events, which is not what these cost";
  if (!is_empty(of.unknown)) text += "; not followed: code to which no known way leads";
  return text;
}

}  // namespace iket::analysis::counters
