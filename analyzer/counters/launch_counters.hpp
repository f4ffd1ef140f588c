// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Hardware counters of a launch group and of its stages: what the report, its views and the findings read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis::counters {

/// A figure of the whole kernel.
struct kernel_figure {
  std::string key;    ///< in report.json: "dram_throughput_percent"
  std::string label;  ///< in tables: "DRAM throughput"
  double value = 0;
};

/// How the instructions were divided among stages.
enum class division_kind : std::uint8_t {
  none,          ///< there was no page `source`
  instructions,  ///< by the events in the machine code
  lines,         ///< by source lines, each to the nearest begin at or above it
};

/// What one part of the code has of each column; as long as `launch_counters::columns`.
using column_values = std::vector<std::uint64_t>;

/// Adds column by column, as far as both go.
void add(const column_values& values, column_values& to);

/// Whether a part has nothing of any column.
[[nodiscard]] bool is_empty(const column_values& values);

/// The part of one stage.
struct stage_counters {
  std::string stage;
  stage_kind kind = stage_kind::work;
  column_values values;
  /// Where it spills registers, or its accesses conflict: source lines, the most first; empty without -lineinfo.
  std::vector<source_location> spill_lines;
  std::vector<source_location> conflict_lines;
  std::uint64_t spill_instructions = 0;  ///< executed loads and stores of local memory, by warps
};

/// What was measured of a launch group.
struct launch_counters {
  std::string kernel;                        ///< as the profiler names it
  std::vector<std::string> files;            ///< in which it was found
  std::uint64_t launches = 0;                ///< that were profiled; figures are means over them, columns are sums
  std::vector<kernel_figure> figures;        ///< those that the pages have, in the order of a report
  std::vector<kernel_figure> stall_reasons;  ///< warps stalled per issue [warps], the most first
  std::string occupancy_limit;               ///< "registers", "shared memory"; empty: unknown
  division_kind division = division_kind::none;
  std::vector<std::string> columns;    ///< keys: "samples", "instructions", "stall_barrier"
  column_values sums;                  ///< of the page: stages + shared + recording + outside + unknown
  std::vector<stage_counters> stages;  ///< in the order of `launch_report::stages`
  column_values shared;                ///< code that several stages run
  column_values recording;             ///< the events' own instructions
  column_values outside;               ///< code in no stage
  column_values unknown;               ///< code that the division could not follow
  std::vector<std::string> doubts;     ///< one line each: what speaks against them; no findings come from such counters
  std::string time_doubt;              ///< another one, of a launch that took another time; empty: none
  std::vector<std::string> notes;      ///< one line each: what a reader must know to trust the division

  /// Which column has this key.
  [[nodiscard]] std::optional<std::size_t> column(std::string_view key) const;
  /// What a part has of the column; 0 where there is no such column.
  [[nodiscard]] std::uint64_t value(const column_values& part, std::string_view key) const;
  /// The figure of this key.
  [[nodiscard]] std::optional<double> figure(std::string_view key) const;
  /// `recording` + `outside` + `unknown`.
  [[nodiscard]] column_values unattributed() const;
  /// The part of a stage; nullptr where it has none.
  [[nodiscard]] const stage_counters* find(std::string_view stage, stage_kind kind) const;
};

}  // namespace iket::analysis::counters
