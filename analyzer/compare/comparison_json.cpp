// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/comparison_json.hpp"

#include <string>
#include <utility>

namespace iket::analysis {
namespace {

using namespace report_values;

json optional_ns(const std::optional<double>& ps) { return ps ? json(*ps / 1000.0) : json(nullptr); }

json significance_of(const compared_value& value) {
  if (value.verdict == verdict::significant) return true;
  return value.verdict == verdict::noise || value.verdict == verdict::too_small ? json(false) : json(nullptr);
}

void add_value(const compared_value& value, json& to) {
  const double difference = value.difference();
  const auto end = [&](double sign) {
    return value.half_width ? json((difference + sign * *value.half_width) / 1000.0) : json(nullptr);
  };
  to["old_ns"] = optional_ns(value.before);
  to["new_ns"] = optional_ns(value.after);
  to["difference_ns"] = value.before || value.after ? json(difference / 1000.0) : json(nullptr);
  to["low_ns"] = end(-1);
  to["high_ns"] = end(1);
  to["relative_fraction"] = optional_number(value.relative());
  to["significant"] = significance_of(value);
  to["verdict"] = verdict_name(value.verdict);
}

json side_json(const compared_side& side) {
  return {{"kernel", side.kernel},
          {"grid", side.grid},
          {"block", side.block},
          {"device", side.device.empty() ? json(nullptr) : json(side.device)},
          {"launches", integer(side.launches)},
          {"ctas_traced", integer(side.ctas_traced)},
          {"ctas_total", integer(side.ctas_total)},
          {"resampled", integer(side.units)},
          {"records_lost", integer(side.lost)},
          {"sm_ghz", side.sm_ghz > 0 ? json(side.sm_ghz) : json(nullptr)}};
}

/// Figures of single ranges, old and new, each null where its side has none.
void add_range_figures(const compared_stage_row& row, json& to) {
  const auto add = [&](const std::string& figure, const auto& of) {
    to["old_" + figure] = row.before ? of(*row.before) : json(nullptr);
    to["new_" + figure] = row.after ? of(*row.after) : json(nullptr);
  };
  const auto spread = [](picoseconds duration_spread::*member) {
    return [member](const stage_statistics& stage) {
      return stage.spread ? json(nanoseconds(*stage.spread.*member)) : json(nullptr);
    };
  };
  add("count", [](const stage_statistics& stage) { return integer(stage.count); });
  add("mean_ns", [](const stage_statistics& stage) { return optional_ns(stage.mean_ps()); });
  add("p50_ns", spread(&duration_spread::p50));
  add("p90_ns", spread(&duration_spread::p90));
  add("p99_ns", spread(&duration_spread::p99));
  add("max_ns", spread(&duration_spread::max));
  add("share", [](const stage_statistics& stage) { return optional_number(stage.share()); });
}

json stage_json(const compared_stage_row& row) {
  json result{{"stage", row.stage}, {"kind", row.kind == stage_kind::wait ? "wait" : "work"}};
  add_value(row.self, result);
  result["contribution_fraction"] = optional_number(row.contribution);
  add_range_figures(row, result);
  return result;
}

json role_json(const compared_role_row& row) {
  json result{{"role", row.role}, {"time", row.time}};
  add_value(row.value, result);
  return result;
}

json kernel_json(const kernel_comparison& one) {
  json result{{"kernel", one.after.kernel},  {"old", side_json(one.before)},
              {"new", side_json(one.after)}, {"self_per", one.per_range ? "range" : "cta"},
              {"paired", one.paired},        {"intervals_over", one.over_launches ? "launches and CTAs" : "CTAs"},
              {"notes", one.notes}};
  json duration;
  add_value(one.duration, duration);
  result["duration"] = std::move(duration);
  result["stages"] = array_of(one.stages, stage_json);
  result["roles"] = array_of(one.roles, role_json);
  return result;
}

json unmatched_json(const unmatched_kernel& one) {
  return {{"kernel", one.kernel}, {"grid", one.grid}, {"block", one.block}};
}

json comparison_json(const comparison& of) {
  return {{"baseline", of.baseline},
          {"level", of.options.level},
          {"rounds", integer(of.options.rounds)},
          {"seed", integer(of.options.seed)},
          {"kernels", array_of(of.kernels, kernel_json)},
          {"only_old", array_of(of.only_before, unmatched_json)},
          {"only_new", array_of(of.only_after, unmatched_json)}};
}

json gate_json(const gate_result& of) {
  constexpr const char* units[] = {"ns", "count", "fraction"};
  constexpr const char* subjects[] = {"stage", "role", "launch"};
  const gate_unit unit = of.gate.unit();
  const auto value = [&](double figure) { return json(unit == gate_unit::time ? figure / 1000.0 : figure); };
  return {{"gate", of.gate.text},
          {"failed", of.failed},
          {"kernel", of.kernel},
          {"subject", subjects[static_cast<std::size_t>(of.gate.subject)]},
          {"name", of.gate.name},
          {"metric", of.gate.metric},
          {"unit", units[static_cast<std::size_t>(unit)]},
          {"old", of.before ? value(*of.before) : json(nullptr)},
          {"new", value(of.after)},
          {"limit", value(of.limit)},
          {"unended", integer(of.unended)}};
}

}  // namespace

void add_comparison(const report& source, report_values::json& to) {
  if (source.comparison) to["comparison"] = comparison_json(*source.comparison);
  if (!source.gates.empty()) to["gates"] = array_of(source.gates, gate_json);
}

}  // namespace iket::analysis
