// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters_markdown.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include "counters_json.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

using namespace markdown;

std::uint64_t count_of(const json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

/// "barrier (98.0 %)"
json stall_cell(const json& part) {
  launch_counters of;
  column_values values;
  for (const auto& [key, value] : part.items())
    if (key == "samples" || key.starts_with("stall_")) {
      of.columns.push_back(key);
      values.push_back(count_of(value));
    }
  const stall_share stall = top_stall(of, values);
  return stall.fraction > 0 ? json(stall.reason + " (" + percent_text(stall.fraction) + ")") : json(nullptr);
}

std::string figures_of(const json& of) {
  std::string text;
  for (const auto& [title, key] : {std::pair("figure", "figures"), std::pair("stall reason", "stall_reasons")}) {
    json rows = json::array();
    for (const auto& [name, value] : of.at(key).items())
      if (name != "duration_s") rows.push_back({{title, name}, {"value", value}});
    if (!rows.empty()) text += "\n" + table_of(rows);
  }
  return text;
}

std::string lines_of(const json& launch) {
  std::string text;
  for (const json& stage : launch.at("stages")) {
    if (stage.at("counters").is_null()) continue;
    for (const auto& [key, what] : {std::pair("spill_lines", "loads and stores of local memory"),
                                    std::pair("conflict_lines", "bank conflicts")}) {
      std::string places;
      for (const json& line : stage["counters"].at(key))
        places += (places.empty() ? "" : ", ") + line.at("file").get<std::string>() + ":" + line.at("line").dump();
      if (!places.empty())
        text += "- " + escaped(stage.at("name").get<std::string>() + ": " + what + " at " + places) + "\n";
    }
  }
  return text.empty() ? text : "\n" + text;
}

std::string parts_of(const json& launch) {
  const json& sums = launch.at("counters").at("sums");
  if (sums.is_null()) return "";
  json rows = json::array();
  const auto add = [&](const std::string& name, const json& kind, const json& values) {
    json row{{"code of", name}, {"kind", kind}};
    for (const auto& [key, value] : values.items()) {
      if (!sums.contains(key) || sums[key] == 0 || key.starts_with("stall_")) continue;
      row[key] = value;
      if (key == "samples") row["top stall"] = stall_cell(values);
    }
    rows.push_back(std::move(row));
  };
  for (const json& stage : launch.at("stages"))
    if (!stage.at("counters").is_null()) add(stage.at("name"), stage.at("kind"), stage["counters"]);
  for (const char* const part : {"shared", "recording", "outside", "unknown", "sums"})
    add("(" + std::string(part) + ")", nullptr, launch.at("counters").at(part));
  return "\n" + table_of(rows);
}

}  // namespace

std::string counters_markdown(const json& launch) {
  const json& of = launch.at("counters");
  std::string text = "\n### hardware counters\n\n- kernel: " + cell_of("", of.at("kernel")) +
                     "\n- launches profiled: " + cell_of("", of.at("launches")) + "\n";
  if (const json& figures = of.at("figures"); figures.contains("duration_s"))
    text += "- duration under the profiler: " + duration_text(1e12 * figures["duration_s"].get<double>()) + "\n";
  text += "- occupancy limited by: " + cell_of("", of.at("occupancy_limit")) + "\n";
  for (const json& doubt : of.at("doubts")) text += "- doubtful: " + escaped(doubt) + "\n";
  for (const json& note : of.at("notes")) text += "- " + escaped(note) + "\n";
  return text + figures_of(of) + parts_of(launch) + lines_of(launch);
}

}  // namespace iket::analysis::counters
