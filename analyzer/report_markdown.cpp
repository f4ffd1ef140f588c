// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_markdown.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "standing_text.hpp"
#include "terminal_text.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

using json = nlohmann::ordered_json;

/// Whether "www" in any case stands before a place.
bool ends_with_www(std::string_view text, std::size_t place) {
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(place) - 3,
                     text.begin() + static_cast<std::ptrdiff_t>(place), [](char one) { return (one | 0x20) == 'w'; });
}

/// Text that Markdown shows as it is, on one line, and makes no link, image, mention or HTML of. Sites look for
/// mentions in what Markdown has made of it, where no escape is left: those have a zero-width space in them.
std::string escaped(const std::string& text) {
  const std::string safe = terminal_safe(text);
  std::string result;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const bool is_active = std::string_view("\\`*_{}[]<>()#+!|~&$").find(safe[i]) != std::string_view::npos;
    // Addresses are links without any marks around them.
    const bool is_address = safe.compare(i, 3, "://") == 0 || (safe[i] == '.' && i >= 3 && ends_with_www(safe, i));
    if (is_active || is_address) result += '\\';
    result += safe[i];
    if (safe[i] == '@') result += "\u200B";
  }
  return result;
}

std::string heading_of(const json& kernel) {
  const std::string name = kernel.at("kernel");
  return name.empty() ? "(unnamed kernel)" : escaped(name);
}

/// A key in words; without the unit, which stands in the cells, unless another key is called that.
std::string header_of(std::string key, const json& among) {
  for (const std::string_view unit : {"_ns", "_fraction"}) {
    if (!key.ends_with(unit) || among.at(key).is_string()) continue;
    const std::string bare = key.substr(0, key.size() - unit.size());
    key = among.contains(bare) ? bare + (unit == "_ns" ? " time" : " part") : bare;
    break;
  }
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string cell_of(const std::string& key, const json& value);

/// "load (61.2 %), mma (3.0 %)"
std::string list_of(const json& values) {
  std::string text;
  for (const json& one : values) {
    text += text.empty() ? "" : ", ";
    if (!one.is_object()) {
      text += cell_of("", one);
      continue;
    }
    std::string about, rest;
    for (const auto& [key, member] : one.items())
      (about.empty() ? about : rest) += (about.empty() ? "" : rest.empty() ? "" : ", ") + cell_of(key, member);
    text += rest.empty() ? about : about + " (" + rest + ")";
  }
  return text;
}

/// A value by what its key says of its unit.
std::string cell_of(const std::string& key, const json& value) {
  if (value.is_null() || (value.is_structured() && value.empty())) return "-";
  if (value.is_string()) return escaped(value.get<std::string>());
  if (value.is_array() || value.is_object()) return list_of(value.is_object() ? json::array({value}) : value);
  const bool is_time = key == "ns" || key.ends_with("_ns");
  const bool is_fraction =
      key == "fraction" || key.ends_with("share") || key.ends_with("_fraction") || key.starts_with("fraction_");
  if (value.is_number() && is_time) return duration_text(1000.0 * value.get<double>());
  if (value.is_number() && is_fraction) return percent_text(value.get<double>());
  if (value.is_number_float()) return fixed_text(value.get<double>(), 3);
  return value.dump();
}

bool is_number_column(const json& rows, const std::string& key) {
  return std::all_of(rows.begin(), rows.end(), [&](const json& row) {
    const json value = row.value(key, json());
    return value.is_number() || value.is_null();
  });
}

/// Whether a value has too much in it for a cell.
bool is_wide(const json& value) {
  constexpr std::size_t most_in_a_cell = 3;
  return value.is_array() && !value.empty() && value.front().is_object() && value.front().size() > most_in_a_cell;
}

/// One row an element; columns that are empty in all of them are left out, and so is what is a table itself.
std::string table_of(const json& rows) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows.front().items()) {
    const bool is_empty = std::all_of(rows.begin(), rows.end(), [name = key](const json& row) {
      return !row.contains(name) || row[name].is_null() || (row[name].is_structured() && row[name].empty()) ||
             is_wide(row[name]);
    });
    if (!is_empty && key != "sources" && key != "counters") keys.push_back(key);
  }
  std::string text = "|";
  for (const std::string& key : keys) text += " " + header_of(key, rows.front()) + " |";
  text += "\n|";
  for (const std::string& key : keys) text += is_number_column(rows, key) ? " ---: |" : " --- |";
  for (const json& row : rows) {
    text += "\n|";
    for (const std::string& key : keys) text += " " + cell_of(key, row.value(key, json())) + " |";
  }
  return text + "\n";
}

/// The tables within the rows of another one.
std::string inner_tables_of(const json& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [key, value] : rows[i].items())
      if (is_wide(value) && key != "sources")
        text += "\n" + header_of(key, rows[i]) + (rows.size() > 1 ? " of row " + std::to_string(i + 1) : "") + ":\n\n" +
                table_of(value);
  return text;
}

/// The members of an object that are no table of their own.
std::string facts_of(const json& of) {
  std::string text;
  for (const auto& [key, value] : of.items()) {
    const bool is_table = value.is_array() && (value.empty() || value.front().is_structured());
    if (is_table || value.is_null() || key == "kernel" || key == "clock" || key == "counters") continue;
    text += "- " + header_of(key, of) + ": ";
    if (value.is_object()) {
      std::string members;
      for (const auto& [name, member] : value.items())
        members += (members.empty() ? "" : ", ") + header_of(name, value) + " " + cell_of(name, member);
      text += members;
    } else {
      text += cell_of(key, value);
    }
    text += "\n";
  }
  return text;
}

std::string findings_of(const json& launch) {
  std::string text;
  for (const json& one : launch.at("findings"))
    text += "- **" + one.at("severity").get<std::string>() + "**: " + escaped(one.at("text")) + "\n";
  return text;
}

/// What a profiler has measured: a table of the kernel's figures, and one of the parts of its code.
std::string counters_of(const json& launch) {
  const json& of = launch.at("counters");
  std::string text = "\n### hardware counters\n\n- kernel: " + cell_of("", of.at("kernel")) +
                     "\n- launches profiled: " + cell_of("", of.at("launches")) +
                     "\n- occupancy limited by: " + cell_of("", of.at("occupancy_limit")) + "\n";
  for (const json& note : of.at("notes")) text += "- " + escaped(note) + "\n";
  for (const auto& [title, key] : {std::pair("figure", "figures"), std::pair("stall reason", "stall_reasons")}) {
    json rows = json::array();
    for (const auto& [name, value] : of.at(key).items()) rows.push_back({{title, name}, {"value", value}});
    if (!rows.empty()) text += "\n" + table_of(rows);
  }
  if (of.at("sums").is_null()) return text;
  json rows = json::array();
  const auto add = [&](const std::string& name, json values) {
    json row{{"code of", name}};
    for (const auto& [key, value] : values.items())
      if (of.at("sums").contains(key) && of["sums"][key] != 0 && !key.starts_with("stall_")) row[key] = value;
    rows.push_back(std::move(row));
  };
  for (const json& stage : launch.at("stages"))
    if (!stage.at("counters").is_null()) add(stage.at("name"), stage["counters"]);
  for (const char* const part : {"shared", "recording", "outside", "unknown", "sums"})
    add("(" + std::string(part) + ")", of.at(part));
  return text + "\n" + table_of(rows);
}

std::string launch_text(const json& launch) {
  std::string text = "\n## " + heading_of(launch) + "\n\n" + findings_of(launch) + "\n" + facts_of(launch);
  for (const auto& [key, value] : launch.items())
    if (value.is_array() && !value.empty() && value.front().is_object() && key != "findings")
      text += "\n### " + header_of(key, launch) + "\n\n" + table_of(value) + inner_tables_of(value);
  return launch.contains("counters") ? text + counters_of(launch) : text;
}

std::size_t unended_of(const json& launch) {
  return launch.at("running").get<std::size_t>() + launch.at("failed").get<std::size_t>();
}

/// How many launches had not ended, by kernel.
std::map<std::string, std::size_t> unended_by_kernel(const json& launches) {
  std::map<std::string, std::size_t> counts;
  for (const json& launch : launches) counts[launch.at("kernel")] += unended_of(launch);
  return counts;
}

/// Where the warps of launches stand, of which none had ended: to be read before all else. `several` of its kernel are
/// told.
std::string standing_text(const json& launch, bool several) {
  std::string text, not_begun;
  const auto heading = [&](const std::string& which, const std::string& title) {
    const std::string place = several ? " (" + which + ", grid " + cell_of("grid", launch.at("grid")) + ")" : "";
    return "\n### " + heading_of(launch) + escaped(place + ": ") + escaped(title) + "\n\n";
  };
  for (const json& of : launch.at("unended")) {
    const std::string block = heading("launch " + of.at("launch").dump(), of.at("text"));
    if (!of.at("begun")) {
      if (not_begun.empty()) not_begun = block;
      continue;
    }
    text += block;
    for (const json& line : launch.at("standing"))
      if (line.at("launch") == of.at("launch"))
        text += std::string("- ") + (line.at("apart") ? "**apart**: " : "") + escaped(line.at("text")) + "\n";
    for (const json& note : of.at("notes")) text += "- " + escaped(note) + "\n";
  }
  const auto without = launch.at("not_begun").get<std::uint64_t>();
  text += not_begun;
  if (not_begun.empty() && without != 0)  // there was no room for one of them
    text += heading(count_text(without, "launch"), not_begun_text(without, launch.at("running") != 0));
  else if (without > 1)
    text += "- " + std::to_string(without) + " launches in all\n";
  if (launch.at("unended_left_out") != 0)
    text += "\n" + cell_of("", launch.at("unended_left_out")) + " more of this kernel had not ended\n";
  return text;
}

std::string sides_of(const json& kernel) {
  json rows = json::array();
  for (const char* const name : {"old", "new"}) {
    json row{{"side", name}};
    row.update(kernel.at(name));
    rows.push_back(std::move(row));
  }
  return table_of(rows);
}

/// Tables of a comparison's kernel, and what to know of them.
std::string compared_text(const json& kernel) {
  std::string text = "\n### " + heading_of(kernel) + "\n\n";
  for (const json& note : kernel.at("notes")) text += "- " + escaped(note) + "\n";
  text += "\n#### sides\n\n" + sides_of(kernel);
  text += "\n#### duration\n\n" + table_of(json::array({kernel.at("duration")}));
  for (const char* const rows : {"stages", "roles"})
    if (!kernel.at(rows).empty()) text += "\n#### " + std::string(rows) + "\n\n" + table_of(kernel.at(rows));
  return text;
}

std::string comparison_text(const json& of) {
  std::string text = "\n## Comparison\n\n" + facts_of(of);
  for (const json& kernel : of.at("kernels")) text += compared_text(kernel);
  for (const char* const side : {"only_old", "only_new"})
    if (!of.at(side).empty()) text += "\n### " + header_of(side, of) + "\n\n" + table_of(of.at(side));
  return text;
}

}  // namespace

std::string report_markdown(const std::string& report_json) {
  const json report = json::parse(report_json);
  std::string standing;
  const std::map<std::string, std::size_t> unended = unended_by_kernel(report.at("launches"));
  for (const json& launch : report.at("launches"))
    if (unended_of(launch) != 0) standing += standing_text(launch, unended.at(launch.at("kernel")) > 1);
  std::string text = "# IKET report\n\n" + (standing.empty() ? "" : "## Where the warps stand\n" + standing + "\n") +
                     table_of(report.at("traces"));
  for (const json& warning : report.at("warnings")) text += "\n> " + escaped(warning) + "\n";
  if (report.contains("slice")) text += "\n## Drawn part\n\n" + facts_of(report["slice"]);
  if (report.contains("gates")) text += "\n## Gates\n\n" + table_of(report["gates"]);
  if (report.contains("comparison")) text += comparison_text(report["comparison"]);
  for (const json& launch : report.at("launches")) text += launch_text(launch);
  return text;
}

}  // namespace iket::analysis
