// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The report as CSV and as Markdown: all of report.json, and names as they are.
#include <catch.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "random_timeline.hpp"
#include "report.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "sample_timeline.hpp"

namespace iket::test {
namespace {

using nlohmann::json;
using rows = std::vector<std::vector<std::string>>;

/// By RFC 4180; a row of no field where the text is no CSV.
rows parse_csv(const std::string& text) {
  rows result(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = result.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      field += text[i++];
    } else if (text[i] == '"') {
      if (!quoted && !field.empty()) return {{}};
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      result.back().emplace_back();
    } else if (!quoted && text[i] == '\n') {
      result.emplace_back(1);
    } else {
      field += text[i];
    }
  }
  if (quoted || result.back() != std::vector<std::string>{""}) return {{}};
  result.pop_back();
  return result;
}

std::size_t leaves_of(const json& value) {
  if (!value.is_structured() || value.empty()) return 1;
  std::size_t count = 0;
  for (const json& member : value) count += leaves_of(member);
  return count;
}

/// The one row with these columns; an empty value where there is none.
std::string value_at(const rows& table, const std::vector<std::string>& columns) {
  std::string found;
  for (const std::vector<std::string>& row : table)
    if (std::equal(columns.begin(), columns.end(), row.begin())) found = row.back();
  return found;
}

TEST_CASE("the CSV has every figure of the report, one a row") {
  const std::string text = report_json(make_report(sample_timeline()));
  const rows table = parse_csv(report_csv(text));
  CHECK(table.front() == std::vector<std::string>{"launch", "kernel", "section", "row", "name", "figure", "value"});
  const json report = json::parse(text);
  std::size_t figures = 0;
  for (const auto& [key, value] : report.items()) {
    // Of an array that is empty there is nothing to say.
    if (key != "launches") figures += value.is_array() && value.empty() ? 0 : leaves_of(value);
  }
  for (const json& launch : report["launches"])
    for (const auto& [key, value] : launch.items()) figures += value.is_array() && value.empty() ? 0 : leaves_of(value);
  CHECK(table.size() == figures + 1);
  std::set<std::vector<std::string>> keys;
  for (const std::vector<std::string>& row : table) {
    REQUIRE(row.size() == 7);
    CHECK(keys.emplace(row.begin(), row.end() - 1).second);
  }
  const json& stage = report["launches"][0]["stages"][0];
  CHECK(value_at(table, {"1", "pipeline", "stages", "1", stage["name"], "p50_ns"}) == stage["p50_ns"].dump());
  CHECK(value_at(table, {"1", "pipeline", "launch", "", "", "records.kept"}) ==
        report["launches"][0]["records"]["kept"].dump());
  CHECK(value_at(table, {"", "", "traces", "1", "hand_made.bin", "sms"}) == "132");
  CHECK(value_at(table, {"", "", "schema", "", "", "schema"}) == "iket-report/1");
  CHECK(value_at(table, {"", "", "warnings", "1", "", "text"}).find("truncated") == 0);
}

TEST_CASE("names cannot break out of the CSV") {
  hand_made made;
  const std::string name = "a,\"b\"\r\n=c";
  made.launch(name).warp(0, 0, name, 0, 1000).wait(name, 0, 500);
  const rows table = parse_csv(report_csv(report_json(make_report(made.take()))));
  for (const std::vector<std::string>& row : table) REQUIRE(row.size() == 7);
  const std::string shown = "a,\"b\"\\x0d\\x0a=c";
  CHECK(value_at(table, {"1", shown, "stages", "1", shown, "name"}) == shown);
  CHECK(value_at(table, {"1", shown, "roles", "1", shown, "wait_ns"}) == "0.5");
}

TEST_CASE("names are no formulas in a spreadsheet") {
  const auto cell_of = [](const std::string& name) {
    hand_made made;
    made.launch("k").warp(0, 0, "r", 0, 1000).work(name, 0, 500);
    const rows table = parse_csv(report_csv(report_json(make_report(made.take()))));
    for (const std::vector<std::string>& row : table)
      if (row[2] == "stages" && row[5] == "name") return row[6];
    return std::string();
  };
  for (const std::string name : {"=1+2", "+cmd|'/C calc'!A0", "-2+3", "@SUM(A1)",
                                 "\xEF\xBC\x9D"
                                 "1",
                                 "-x", "-1e5 "})
    CHECK(cell_of(name) == "'" + name);
  for (const std::string name : {"-", "=", "a=b", "-12.5e-3", "'=1"}) CHECK(cell_of(name) == name);
  CHECK(cell_of("\t=1") == "\\x09=1");
}

TEST_CASE("no output steers the terminal that shows it") {
  const std::string name =
      "a\x1b[31m\x07\xC2\x9B"
      "b\xE2\x80\xAE"
      "c\xE2\x81\xA6"
      "d\x7F";
  hand_made made;
  made.launch(name).warp(0, 0, name, 0, 1000).wait(name, 0, 500);
  const report report = make_report(made.take());
  const std::string text = report_json(report);
  CHECK(json::parse(text)["launches"][0]["kernel"] == name);
  for (const std::string& output : {text, report_csv(text), report_markdown(text), report_text(report, {})})
    for (const char* const part : {"\x1b", "\x07", "\xC2\x9B", "\xE2\x80\xAE", "\xE2\x81\xA6", "\x7F"})
      CHECK(output.find(part) == std::string::npos);
  CHECK(text.find(R"(a\u001b[31m\u0007\u009bb\u202ec\u2066d\u007f)") != std::string::npos);
}

TEST_CASE("Markdown makes no links or mentions of names") {
  hand_made made;
  made.launch("https://github.com/x www.z.com WWW.z @user a.cu:8").warp(0, 0, "r", 0, 1000).work("w", 0, 500);
  const std::string text = report_markdown(report_json(make_report(made.take())));
  CHECK(text.find("## https\\://github.com/x www\\.z.com WWW\\.z @\u200Buser a.cu:8\n") != std::string::npos);
}

TEST_CASE("the Markdown has a table for each array, with as many cells in each row") {
  std::vector<timeline> traces{sample_timeline()};
  for (std::uint32_t seed = 1; seed <= 10; ++seed) traces.push_back(random_timeline(seed, 5000, 1000).make());
  for (const timeline& trace : traces) {
    const std::string text = report_markdown(report_json(make_report(trace)));
    CHECK(text.find("# IKET report\n") == 0);
    for (const char* part : {"\n### stages\n", "\n### roles\n", "| wait"}) CHECK(text.find(part) != std::string::npos);
    std::size_t cells = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      std::size_t bars = 0;
      for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
      if (line.empty() || line[0] != '|') {
        cells = 0;
        continue;
      }
      if (cells == 0) cells = bars;
      CHECK(bars == cells);
    }
  }
}

TEST_CASE("what was left out is in all views") {
  report source = make_report(sample_timeline());
  source.slice = slice_summary{{}, {}, 1'000'000, {1, 8, 8, 8, 8}, {1, 8, 8, 8, 8}, drawn_counts{1, 2, 2, 2, 2}};
  const std::string text = report_json(source);
  CHECK(json::parse(text)["slice"]["ctas_over_limit"] == 6);
  CHECK(value_at(parse_csv(report_csv(text)), {"", "", "slice", "", "", "drawn.ctas"}) == "2");
  CHECK(report_markdown(text).find("- drawn: launches 1, ctas 2, ") != std::string::npos);
  source.slice->drawn = source.slice->chosen;
  CHECK(!json::parse(report_json(source)).contains("slice"));
}

TEST_CASE("names cannot be Markdown") {
  hand_made made;
  const std::string name = "|`<b>[x](y)\n# *z*\\";
  made.launch(name).warp(0, 0, name, 0, 1000).wait(name, 0, 500);
  const std::string text = report_markdown(report_json(make_report(made.take())));
  CHECK(text.find("## \\|\\`\\<b\\>\\[x\\]\\(y\\)") != std::string::npos);
  CHECK(text.find("\n# ") == std::string::npos);
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("[x]") == std::string::npos);
}

}  // namespace
}  // namespace iket::test
