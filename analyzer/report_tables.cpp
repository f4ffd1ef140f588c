// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "units.hpp"

namespace iket::analysis {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) result += (result.empty() ? "" : ", ") + name;
  return result;
}

}  // namespace

text_table stage_table(const launch_report& launch) {
  text_table table;
  table.columns = {
      {"stage", true, 20, 0, false}, {"kind", true, 0, 0, false},  {"roles", true, 10, 6, false, cell_kind::list},
      {"count", false, 0, 0, false}, {"total", false, 0, 1, true}, {"self", false, 0, 0, true},
      {"mean", false, 0, 4, true},   {"p50", false, 0, 0, true},   {"p90", false, 0, 3, true},
      {"p99", false, 0, 6, true},    {"max", false, 0, 5, true},   {"share", false, 0, 0, true}};
  const bool estimated = std::any_of(launch.stages.begin(), launch.stages.end(),
                                     [](const stage_statistics& stage) { return stage.overhead.has_value(); });
  if (estimated) table.columns.push_back({"tracing", false, 0, 2, true});
  for (const stage_statistics& stage : launch.stages) {
    const bool waits = stage.kind == stage_kind::wait;
    const auto duration = [&](picoseconds duration_spread::*member) -> table_cell {
      if (!stage.spread) return {"-", style::faint};
      return {duration_text(static_cast<double>((*stage.spread).*member)), style::plain};
    };
    // In front of the median, of which the mark tells, and which no width drops.
    table_cell median = duration(&duration_spread::p50);
    if (stage.is_too_short()) median.text.insert(0, 1, '~');
    const auto optional_text = [](const std::optional<double>& value, std::string (*text)(double)) {
      return value ? text(*value) : std::string("-");
    };
    const style look = waits ? style::wait : style::plain;
    table.rows.push_back({{terminal_safe(stage.name), look},
                          {waits ? "wait" : "work", look},
                          {terminal_safe(joined(stage.roles)), style::plain},
                          {std::to_string(stage.count), style::plain},
                          {duration_text(static_cast<double>(stage.total)), style::plain},
                          {duration_text(static_cast<double>(stage.self)), style::plain},
                          {optional_text(stage.mean_ps(), duration_text), style::plain},
                          std::move(median),
                          duration(&duration_spread::p90),
                          duration(&duration_spread::p99),
                          duration(&duration_spread::max),
                          {optional_text(stage.share(), percent_text), look}});
    if (estimated) table.rows.back().push_back({optional_text(stage.overhead, percent_text), style::faint});
  }
  return table;
}

std::string stage_legend(const launch_report& launch) {
  std::string text;
  if (std::any_of(launch.stages.begin(), launch.stages.end(),
                  [](const stage_statistics& stage) { return stage.overhead.has_value(); }))
    text = "tracing: the events' part of a stage, an estimate";
  const auto is_marked = [](const stage_statistics& stage) { return stage.is_too_short(); };
  if (std::none_of(launch.stages.begin(), launch.stages.end(), is_marked)) return text;
  return text + (text.empty() ? "" : "; ") + "~ shorter than the cost of " + fixed_text(too_short_events, 0) +
         " events (an estimated " + duration_text(launch.too_short_ps) + ")";
}

namespace {

/// How a role's time divides, in `width` characters: work, wait, untracked, lost.
std::string bar_of(const role_statistics& role, std::size_t width) {
  const auto lifetime = static_cast<double>(role.lifetime());
  if (lifetime <= 0) return {};
  const std::pair<picosecond_sum, const char*> parts[] = {
      {role.work, "█"}, {role.wait, "▒"}, {role.untracked, "·"}, {role.lost, "x"}};
  std::string bar;
  std::size_t drawn = 0;
  double end = 0;
  for (const auto& [time, character] : parts) {
    end += static_cast<double>(time) / lifetime;
    for (; drawn < static_cast<std::size_t>(std::lround(end * static_cast<double>(width))); ++drawn) bar += character;
  }
  return bar;
}

}  // namespace

text_table role_table(const launch_report& launch) {
  constexpr std::size_t bar_width = 20;
  text_table table;
  table.columns = {
      {"role", true, 8, 0, false}, {"warps", false, 0, 0, false},    {"lifetime", false, 0, 6, true},
      {"work", false, 0, 0, true}, {"", false, 0, 4, true},          {"wait", false, 0, 0, true},
      {"", false, 0, 5, true},     {"untracked", false, 0, 0, true}, {"", false, 0, 2, true},
      {"lost", false, 0, 0, true}, {"", false, 0, 1, true},          {"", true, 10, 3, false, cell_kind::drawing}};
  for (const role_statistics& role : launch.roles) {
    const auto lifetime = static_cast<double>(role.lifetime());
    const auto mean = [&](picosecond_sum time) {
      return duration_text(static_cast<double>(time) / static_cast<double>(role.warps));
    };
    const auto part = [&](picosecond_sum time) {
      return lifetime > 0 ? percent_text(static_cast<double>(time) / lifetime) : std::string("-");
    };
    const style waits = role.wait != 0 ? style::wait : style::plain;
    table.rows.push_back({{terminal_safe(role.name), style::plain},
                          {std::to_string(role.warps), style::plain},
                          {mean(role.lifetime()), style::plain},
                          {part(role.work), style::plain},
                          {mean(role.work), style::plain},
                          {part(role.wait), waits},
                          {mean(role.wait), waits},
                          {part(role.untracked), style::plain},
                          {mean(role.untracked), style::plain},
                          {part(role.lost), style::plain},
                          {mean(role.lost), style::plain},
                          {bar_of(role, bar_width), style::plain}});
  }
  return table;
}

}  // namespace iket::analysis
