// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_markdown.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "counters/counters_markdown.hpp"
#include "markdown_table.hpp"
#include "standing_text.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

using namespace markdown;

std::string heading_of(const json& kernel) {
  const std::string name = kernel.at("kernel");
  return name.empty() ? "(unnamed kernel)" : escaped(name);
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

std::string launch_text(const json& launch) {
  std::string text = "\n## " + heading_of(launch) + "\n\n" + findings_of(launch) + "\n" + facts_of(launch);
  for (const auto& [key, value] : launch.items())
    if (value.is_array() && !value.empty() && value.front().is_object() && key != "findings")
      text += "\n### " + header_of(key, launch) + "\n\n" + table_of(value) + inner_tables_of(value);
  return launch.contains("counters") ? text + counters::counters_markdown(launch) : text;
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
