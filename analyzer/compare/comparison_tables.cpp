// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/comparison_tables.hpp"

#include <array>

#include "units.hpp"

namespace iket::analysis {
namespace {

std::string time_text(const std::optional<double>& ps) { return ps ? duration_text(*ps) : "-"; }

std::string change_text(const std::optional<double>& fraction) {
  return fraction ? signed_percent_text(*fraction) : "-";
}

style look_of(verdict of) {
  switch (of) {
    case verdict::significant:
      return style::strong;
    case verdict::only_before:
    case verdict::only_after:
      return style::plain;
    default:
      return style::faint;
  }
}

/// Old, new, change, difference, half of the interval.
std::vector<table_cell> value_cells(const compared_value& value) {
  const style look = look_of(value.verdict);
  return {{time_text(value.before), style::plain},
          {time_text(value.after), style::plain},
          {change_text(value.relative()), look},
          {signed_duration_text(value.difference()), look},
          {value.half_width ? "±" + duration_text(*value.half_width) : "-", style::faint}};
}

void append(std::vector<table_cell>& to, std::vector<table_cell> cells) {
  for (table_cell& cell : cells) to.push_back(std::move(cell));
}

}  // namespace

std::vector<std::string> comparison_facts(const comparison& of, const kernel_comparison& kernel) {
  const compared_value& duration = kernel.duration;
  std::string text = "duration " + time_text(duration.after) + ", was " + time_text(duration.before);
  if (const std::optional<double> relative = duration.relative()) text += ": " + signed_percent_text(*relative);
  if (duration.half_width) text += " (±" + duration_text(*duration.half_width) + ")";
  if (duration.verdict != verdict::unknown) text += ", " + std::string(verdict_name(duration.verdict));
  std::vector<std::string> facts{std::move(text)};
  const auto counts = [](std::uint64_t after, std::uint64_t before) {
    return std::to_string(after) + (after == before ? "" : ", was " + std::to_string(before));
  };
  facts.push_back("traced launches: " + counts(kernel.after.launches_timed, kernel.before.launches_timed));
  facts.push_back("traced CTAs: " + counts(kernel.after.ctas_traced, kernel.before.ctas_traced));
  facts.push_back("seed " + std::to_string(of.options.seed));
  return facts;
}

text_table compared_stage_table(const kernel_comparison& of) {
  text_table table;
  table.columns = {{of.per_range ? "self per range" : "self per CTA", true, 14, 0, false},
                   {"kind", true, 0, 2, false},
                   {"old", false, 0, 0, true},
                   {"new", false, 0, 0, true},
                   {"change", false, 0, 0, true},
                   {"difference", false, 0, 4, true},
                   {"interval", false, 0, 3, true},
                   {"part", false, 0, 1, true},
                   {"verdict", true, 0, 0, false}};
  for (const compared_stage_row& row : of.stages) {
    const style look = row.kind == stage_kind::wait ? style::wait : style::plain;
    std::vector<table_cell> cells{{terminal_safe(row.stage), look},
                                  {row.kind == stage_kind::wait ? "wait" : "work", look}};
    append(cells, value_cells(row.self));
    cells.push_back({change_text(row.contribution), style::plain});
    cells.push_back({std::string(verdict_name(row.self.verdict)), look_of(row.self.verdict)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string compared_stage_legend(const comparison& of, const kernel_comparison& kernel) {
  std::string text = "times are real time, not cycles; interval: " + fixed_text(100 * of.options.level, 0) +
                     " % for all rows of a kernel together, from " + std::to_string(of.options.rounds) +
                     " samples of its " +
                     (kernel.over_launches ? "launches and CTAs"
                      : kernel.paired      ? "CTAs, each held against itself"
                                           : "CTAs");
  if (!kernel.per_range) text += "; part: the difference over the old time of all warps";
  return text;
}

text_table compared_role_table(const kernel_comparison& of) {
  text_table table;
  table.columns = {{"role, per warp", true, 14, 0, false},
                   {"time", true, 0, 0, false},
                   {"old", false, 0, 0, true},
                   {"new", false, 0, 0, true},
                   {"change", false, 0, 0, true},
                   {"difference", false, 0, 4, true},
                   {"interval", false, 0, 1, true},
                   {"verdict", true, 0, 0, false}};
  for (const compared_role_row& row : of.roles) {
    std::vector<table_cell> cells{{terminal_safe(row.role), style::plain},
                                  {std::string(row.time), row.time == "wait" ? style::wait : style::plain}};
    append(cells, value_cells(row.value));
    cells.push_back({std::string(verdict_name(row.value.verdict)), look_of(row.value.verdict)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<std::string> unmatched_texts(const comparison& of) {
  std::vector<std::string> texts;
  const auto add = [&](const std::vector<unmatched_kernel>& kernels, const std::string& where) {
    for (const unmatched_kernel& one : kernels)
      texts.push_back("kernel '" + one.kernel + "', grid " + extent_text(one.grid) + ", block " +
                      extent_text(one.block) + ": only in the " + where);
  };
  add(of.only_after, "new trace");
  add(of.only_before, "baseline");
  return texts;
}

}  // namespace iket::analysis
