// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A comparison in report.json and its views.
#include <catch.hpp>

#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "before_and_after.hpp"
#include "compare/judge_gates.hpp"
#include "report.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "terminal_text.hpp"
#include "units.hpp"

namespace iket::test {
namespace {

using nlohmann::json;

/// Stages with long names, one of them slower; one kernel a side without a partner; gates.
report compared() {
  const std::string name = "a kernel whose name is so long that no terminal has room for all of it on one line | *";
  noisy_kernel like{.launches = 2, .ctas = 8, .name = name};
  timeline before = noisy_timeline(like, 1);
  like.change = 0.5;
  timeline after = noisy_timeline(like, 2);
  before.launches.push_back(before.launches[0]);
  before.launches.back().kernel = "left";
  after.launches.push_back(after.launches[0]);
  after.launches.back().kernel = "come";
  for (timeline* const side : {&before, &after})
    for (stage& one : side->stages) one.name += " of a stage with a long name | `x`";
  report result = make_report(after);
  result.comparison = compare(before, after, {0.95, 200, 1});
  result.gates = judge_gates(
      {parse_gate("stage:stage 0 of a stage with a long name | `x`:p50>+10%"), parse_gate("launch:duration>1s")}, after,
      &*result.comparison);
  return result;
}

TEST_CASE("the comparison is in the JSON, each figure with its sign") {
  const json all = json::parse(report_json(compared()));
  const json& made = all["comparison"];
  CHECK(made["baseline"] == "hand_made.bin");
  CHECK(made["level"] == 0.95);
  CHECK(made["rounds"] == 200);
  CHECK(made["seed"] == 1);
  REQUIRE(made["kernels"].size() == 1);
  CHECK(made["only_old"][0]["kernel"] == "left");
  CHECK(made["only_new"][0]["kernel"] == "come");
  const json& kernel = made["kernels"][0];
  CHECK(kernel["self_per"] == "cta");
  CHECK(kernel["paired"] == true);
  CHECK(kernel["intervals_over"] == "launches and CTAs");
  CHECK(kernel["old"]["launches"] == 2);
  CHECK(kernel["new"]["ctas_traced"] == 16);
  const json& first = kernel["stages"][0];
  CHECK(first["stage"] == "stage 0 of a stage with a long name | `x`");
  CHECK(first["significant"] == true);
  CHECK(first["verdict"] == "significant");
  CHECK(first["difference_ns"].get<double>() == Approx(first["new_ns"].get<double>() - first["old_ns"].get<double>()));
  CHECK(first["low_ns"].get<double>() > 0);
  CHECK(first["low_ns"].get<double>() + first["high_ns"].get<double>() ==
        Approx(2 * first["difference_ns"].get<double>()));
  CHECK(first["relative_fraction"].get<double>() == Approx(0.5).epsilon(0.1));
  CHECK(first["old_count"] == 32);
  CHECK(kernel["stages"][1]["significant"] == false);
  CHECK(kernel["roles"].size() == 6);
  CHECK(kernel["duration"]["old_ns"].is_number());
  const json& gates = all["gates"];
  // The change of the pair, and the duration of each kernel.
  REQUIRE(gates.size() == 3);
  CHECK(gates[0]["failed"] == true);
  CHECK(gates[0]["unit"] == "ns");
  CHECK(gates[0]["limit"].get<double>() == Approx(1.1 * gates[0]["old"].get<double>()));
  CHECK(gates[1]["old"].is_null());
}

TEST_CASE("differences are written with their sign") {
  CHECK(signed_duration_text(1'200'000) == "+1.20 us");
  CHECK(signed_duration_text(-812'000) == "-812 ns");
  CHECK(signed_duration_text(0) == "0 ns");
  CHECK(duration_text(-12'340'000) == "-12.3 us");
  CHECK(signed_percent_text(0.051) == "+5.1 %");
  CHECK(signed_percent_text(-0.003) == "-0.3 %");
  CHECK(signed_percent_text(-0.0004) == "0.0 %");
}

TEST_CASE("without a baseline and gates the report has nothing of them") {
  const json all = json::parse(report_json(make_report(noisy_timeline({.ctas = 2}, 1))));
  CHECK(!all.contains("comparison"));
  CHECK(!all.contains("gates"));
}

TEST_CASE("the comparison is in the CSV and in the Markdown") {
  const std::string text = report_json(compared());
  const std::string csv = report_csv(text);
  for (const char* const part :
       {",comparison.kernels[1].stages,1,stage 0 of a stage with a long name | `x`,verdict,significant\n",
        ",comparison.kernels[1].roles,1,", ",consumer,time,work\n", ",comparison.kernels[1],,,duration.old_ns,",
        "\n,,comparison.only_old,1,left,kernel,left\n", "\n,,comparison,,,seed,1\n", ",failed,true\n"})
    CHECK(csv.find(part) != std::string::npos);
  const std::string markdown = report_markdown(text);
  for (const char* const part : {"\n## Gates\n", "\n## Comparison\n", "\n#### stages\n", "\n#### roles\n",
                                 "\n#### duration\n", "| side | kernel |", "| significant |", "\n### only old\n"})
    CHECK(markdown.find(part) != std::string::npos);
}

TEST_CASE("the printed comparison fits, and says what it is of") {
  const report made = compared();
  for (const std::size_t columns : {60, 80, 100}) {
    const std::string text = report_text(made, {columns, false});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= columns);
    // Lines are broken anywhere between words.
    std::string joined;
    std::istringstream words(text);
    for (std::string word; words >> word;) joined += word + " ";
    for (const char* const part : {"compared with hand_made.bin ", "significant ", "self per CTA", "role, per warp",
                                   "95 %", "real time", "traced launches: 2 ", "! gate failed: ",
                                   "gate passed: launch:duration>1s", "only in the new trace", "only in the baseline"})
      CHECK(joined.find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace iket::test
