// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters_json.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fraction.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

using namespace report_values;

json columns_of(const launch_counters& of, const column_values& part) {
  json result = json::object();
  for (std::size_t i = 0; i < std::min(part.size(), of.columns.size()); ++i) result[of.columns[i]] = integer(part[i]);
  return result;
}

json lines_of(const std::vector<source_location>& lines) {
  return array_of(lines, [](const source_location& line) { return json{{"file", line.file}, {"line", line.line}}; });
}

/// Counts as integers.
json number_of(double value) {
  const bool is_count = value >= 0 && value < static_cast<double>(largest_exact_integer) && std::floor(value) == value;
  return is_count ? json(static_cast<std::uint64_t>(value)) : json(value);
}

json figures_by_key(const std::vector<kernel_figure>& figures) {
  json result = json::object();
  for (const kernel_figure& one : figures) result[one.key] = number_of(one.value);
  return result;
}

/// What a viewer shows: it drops what is null or empty, and takes fractions of some digits only.
json shown(const json& value) {
  if (value.is_object()) {
    json result = json::object();
    for (const auto& [key, member] : value.items())
      if (json kept = shown(member); !kept.is_null() && !(kept.is_structured() && kept.empty()))
        result[key] = std::move(kept);
    return result;
  }
  if (value.is_array()) return array_of(value, [](const json& one) { return shown(one); });
  constexpr double digits = 1e9;
  return value.is_number_float() ? number_of(std::round(value.get<double>() * digits) / digits) : value;
}

json division_of(const launch_counters& of) {
  if (of.division == division_kind::none) return nullptr;
  return of.division == division_kind::lines ? "lines" : "instructions";
}

json json_of(const launch_counters& of, const stage_counters& stage) {
  json result = columns_of(of, stage.values);
  result["spill_instructions"] = integer(stage.spill_instructions);
  result["spill_lines"] = lines_of(stage.spill_lines);
  result["conflict_lines"] = lines_of(stage.conflict_lines);
  return result;
}

}  // namespace

json json_of(const launch_counters& of) {
  json result{{"kernel", of.kernel},
              {"files", of.files},
              {"launches", integer(of.launches)},
              {"figures", figures_by_key(of.figures)},
              {"stall_reasons", figures_by_key(of.stall_reasons)},
              {"occupancy_limit", of.occupancy_limit.empty() ? json(nullptr) : json(of.occupancy_limit)},
              {"division", division_of(of)}};
  const bool has_columns = of.division != division_kind::none;
  const auto part = [&](const column_values& values) { return has_columns ? columns_of(of, values) : json(nullptr); };
  result["sums"] = part(of.sums);
  result["shared"] = part(of.shared);
  result["recording"] = part(of.recording);
  result["outside"] = part(of.outside);
  result["unknown"] = part(of.unknown);
  result["unattributed"] = part(of.unattributed());
  result["doubts"] = of.doubts;
  if (!of.time_doubt.empty()) result["doubts"].push_back(of.time_doubt);
  result["notes"] = of.notes;
  return result;
}

json json_of_stage(const launch_counters& of, const std::string& stage, stage_kind kind) {
  const stage_counters* const found = of.find(stage, kind);
  return found != nullptr ? json_of(of, *found) : json(nullptr);
}

stall_share top_stall(const launch_counters& of, const column_values& part) {
  stall_share best, issuing;
  const std::uint64_t samples = of.value(part, "samples");
  for (std::size_t i = 0; i < std::min(part.size(), of.columns.size()); ++i) {
    const std::string& key = of.columns[i];
    if (!key.starts_with("stall_") || key.ends_with("_not_issued")) continue;
    const std::string reason = key.substr(6);
    stall_share& to = reason == "selected" || reason == "not_selected" ? issuing : best;
    if (part[i] != 0 && fraction(part[i], samples) > to.fraction) to = {reason, fraction(part[i], samples)};
  }
  return best.fraction > 0 ? best : issuing;
}

std::string stage_text(const launch_counters& of, const stage_counters& stage) {
  std::string text;
  const auto add = [&](const char* key, const char* name) {
    const std::uint64_t sum = of.value(of.sums, key);
    if (of.value(stage.values, key) == 0) return;
    text += (text.empty() ? "" : "; ") + percent_text(fraction(of.value(stage.values, key), sum)) + " of " + name;
    const stall_share stall = top_stall(of, stage.values);
    if (std::string_view(key) == "samples" && stall.fraction > 0) text += ", mostly " + stall.reason;
  };
  add("samples", "samples");
  add("instructions", "instructions");
  add("l2_sectors_global", "L2 sectors");
  add("l2_sectors_local", "L2 sectors of local memory");
  add("shared_wavefronts_excessive", "bank conflicts");
  return text;
}

std::string launch_args(const launch_counters& of) {
  json args = json_of(of);
  json stages = json::object();
  for (const stage_counters& stage : of.stages)
    stages[stage.stage + (stage.kind == stage_kind::wait ? " (wait)" : "")] = json_of(of, stage);
  args["stages"] = std::move(stages);
  return shown(args).dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace iket::analysis::counters
