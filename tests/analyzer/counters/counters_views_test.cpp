// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Hardware counters in all that iket-analyze writes, of what was recorded.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <perfetto/rules.hpp>

#include "catch.hpp"
#include "chrome_trace.hpp"
#include "counters/counters_json.hpp"
#include "counters/counters_tables.hpp"
#include "counters/join_counters.hpp"
#include "counters/read_ncu_page.hpp"
#include "golden.hpp"
#include "recorded.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "terminal_text.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;
using json = nlohmann::json;

struct counted {
  explicit counted(const std::string& folder, const std::vector<std::string>& pages = {"raw", "source"})
      : trace(recorded::trace(folder)), result(make_report(trace)) {
    join_counters(recorded::pages(folder, pages), trace, "", result);
  }

  [[nodiscard]] const launch_counters& counters() const { return *result.launches.at(0).counters; }
  [[nodiscard]] json as_json() const { return json::parse(report_json(result)); }

  timeline trace;
  report result;
};

std::string chrome_trace_of(const counted& of) {
  chrome_options options;
  for (const launch& one : of.trace.launches) {
    options.counters.push_back(nullptr);
    for (const launch_report& group : of.result.launches)
      if (group.kernel == one.kernel) options.counters.back() = &*group.counters;
  }
  std::string text;
  write_chrome_trace(
      of.trace, [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }, {},
      options);
  return text;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("the printed report with counters, at 80 columns and at 100") {
  for (const std::size_t columns : {80, 100})
    for (const std::string folder : {"spills", "ws_gemm_depth1"}) {
      const std::string text = report_text(counted(folder).result, {columns, false});
      CHECK(widest_line(text) <= columns);
      const std::size_t begin = text.find("  hardware counters of ");
      REQUIRE(begin != std::string::npos);
      iket::test::check_golden("counters_" + folder + "_" + std::to_string(columns) + ".txt",
                               text.substr(begin, text.find("\n• ", begin) - begin));
    }
}

TEST_CASE("counters of a kernel alone have no table of stages") {
  const std::string text = report_text(counted("spills", {"raw"}).result, {100, false});
  CHECK(text.find("hardware counters of <unnamed>::spills") != std::string::npos);
  CHECK(text.find("(recording)") == std::string::npos);
  CHECK(text.find("no page of its source lines") != std::string::npos);
}

TEST_CASE("in report.json the parts add up to the sums, figure by figure") {
  std::size_t figures = 0;
  for (const std::string& folder : recorded::folders) {
    const json report = counted(folder).as_json();
    for (const json& launch : report.at("launches")) {
      const json& all = launch.at("counters");
      CHECK(all.at("division") == "instructions");
      REQUIRE(all.at("sums").size() > 40);
      for (const auto& [key, sum] : all.at("sums").items()) {
        std::uint64_t total =
            all.at("shared").at(key).get<std::uint64_t>() + all.at("unattributed").at(key).get<std::uint64_t>();
        for (const json& stage : launch.at("stages"))
          if (!stage.at("counters").is_null()) total += stage["counters"].at(key).get<std::uint64_t>();
        ++figures;
        INFO(folder << " " << key);
        CHECK(total == sum.get<std::uint64_t>());
        CHECK(all.at("unattributed").at(key).get<std::uint64_t>() ==
              all.at("recording").at(key).get<std::uint64_t>() + all.at("outside").at(key).get<std::uint64_t>() +
                  all.at("unknown").at(key).get<std::uint64_t>());
      }
    }
  }
  CHECK(figures > 400);
}

TEST_CASE("without counters a report has no members of them") {
  const json report = json::parse(report_json(make_report(recorded::trace("clean"))));
  CHECK(!report.at("launches").at(0).contains("counters"));
  CHECK(!report.at("launches").at(0).at("stages").at(0).contains("counters"));
}

TEST_CASE("counters in CSV and Markdown") {
  const std::string text = report_json(counted("spills").result);
  const std::string csv = report_csv(text), markdown = report_markdown(text);
  CHECK(csv.find("1,spills,launch,,,counters.figures.registers_per_thread,32\n") != std::string::npos);
  CHECK(csv.find("1,spills,launch,,,counters.sums.instructions,35849544\n") != std::string::npos);
  CHECK(csv.find("1,spills,stages,1,accumulate,counters.spill_lines[1].file,tests/counters/kernels.cu\n") !=
        std::string::npos);
  CHECK(markdown.find("### hardware counters") != std::string::npos);
  CHECK(markdown.find("| registers\\_per\\_thread | 32 |") != std::string::npos);
  CHECK(markdown.find("- duration under the profiler: 350 us\n") != std::string::npos);
  CHECK(markdown.find("| code of | kind | samples | top stall |") != std::string::npos);
  CHECK(markdown.find("\n| accumulate | work | 35411 | long\\_sb \\(85.4 %\\) |") != std::string::npos);
  CHECK(markdown.find("| \\(recording\\) | - |") != std::string::npos);
  CHECK(markdown.find("\n- accumulate: loads and stores of local memory at tests/counters/kernels.cu:36, ") !=
        std::string::npos);
  CHECK(markdown.find("- accumulate: bank conflicts") == std::string::npos);
  CHECK(report_markdown(report_json(counted("bank_conflicts").result)).find("\n- transpose: bank conflicts at ") !=
        std::string::npos);
}

TEST_CASE("a Chrome trace has counters as arguments, and Perfetto takes all of them") {
  const counted of("bank_conflicts");
  const std::string text_of_trace = chrome_trace_of(of);
  CHECK(iket::perfetto::check(text_of_trace) == iket::perfetto::violations{});
  const json trace = json::parse(text_of_trace);
  std::size_t launches = 0, stages = 0;
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") == "launch" && event.at("ph") == "b") {
      ++launches;
      CHECK(event.at("name") == "bank_conflicts");
      CHECK(event.at("args").at("figures").at("registers_per_thread") == 32);
      CHECK(event["args"].at("stages").at("transpose").at("shared_wavefronts_excessive") == 30277632);
    }
    if (event.at("ph") != "X") continue;
    ++stages;
    const std::string text = event.at("args").at("counters");
    if (event.at("name") == "transpose") CHECK(text.find("100.0 % of bank conflicts") != std::string::npos);
  }
  CHECK(launches == 1);
  CHECK(stages > 10'000);
}

TEST_CASE("of several launches each has its own counters, and one without has none") {
  counted of("all");
  of.result.launches.at(1).counters.reset();
  chrome_options options;
  for (std::size_t i = 0; i < of.trace.launches.size(); ++i)
    options.counters.push_back(of.result.launches[i].counters ? &*of.result.launches[i].counters : nullptr);
  std::string text;
  write_chrome_trace(
      of.trace, [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); }, {},
      options);
  std::vector<std::string> names;
  const json trace = json::parse(text);
  for (const json& event : trace.at("traceEvents")) {
    if (event.value("cat", "") == "launch" && event.at("ph") == "b") names.push_back(event.at("name"));
    if (event.at("ph") == "X" && event.at("name") == "transpose") CHECK(!event.at("args").contains("counters"));
    if (event.at("ph") == "X" && event.at("name") == "accumulate") CHECK(event.at("args").contains("counters"));
  }
  CHECK(names == std::vector<std::string>{"spills", "clean"});
}

TEST_CASE("a launch of which no warp is drawn has no counters in the Chrome trace") {
  counted of("all");
  for (warp_timeline& warp : of.trace.launches.at(0).warps) warp.left_out = true;
  for (warp_timeline& warp : of.trace.launches.at(1).warps) warp.left_out = &warp != of.trace.launches[1].warps.data();
  std::vector<std::string> names;
  const json trace = json::parse(chrome_trace_of(of));
  for (const json& event : trace.at("traceEvents"))
    if (event.value("cat", "") == "launch" && event.at("ph") == "b") names.push_back(event.at("name"));
  CHECK(names == std::vector<std::string>{"bank_conflicts", "clean"});
  for (launch& one : of.trace.launches)
    for (warp_timeline& warp : one.warps) warp.left_out = true;
  CHECK(chrome_trace_of(of).find("hardware counters") == std::string::npos);
}

TEST_CASE("a page's names do nothing to a terminal, and its figures are figures") {
  timeline trace;
  launch one;
  one.kernel = "k";
  one.grid = one.block = {1, 1, 1};
  trace.launches.push_back(one);
  report result = make_report(trace);
  ncu_profile profile;
  read_ncu_page(
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\","
      "\"smsp__average_warps_issue_stalled_\x1b[31m_per_issue_active.ratio\",\"smsp__inst_executed.sum\"\n"
      "\"0\",\"k(\x1b[2J)\",\"(1, 1, 1)\",\"(1, 1, 1)\",\"\x1b[2J\",\"1e300\",\"-1e17\",\"5\",\"1e17\"\n",
      "page.csv", profile);
  join_counters(profile, trace, "", result);
  REQUIRE(result.launches.at(0).counters);
  CHECK(result.launches[0].counters->stall_reasons.empty());
  CHECK(!result.launches[0].counters->figure("duration_s"));
  CHECK(report_text(result, {100, false}).find('\x1b') == std::string::npos);
  CHECK(report_json(result).find('\x1b') == std::string::npos);
  CHECK(json::parse(report_json(result)).at("launches").at(0).at("counters").at("figures").at("instructions") == 1e17);
}

TEST_CASE("a stage is told in a line, without what it has nothing of") {
  const counted of("bank_conflicts");
  const stage_counters* const fill = of.counters().find("fill", stage_kind::work);
  REQUIRE(fill != nullptr);
  const std::string text = stage_text(of.counters(), *fill);
  CHECK(text.find(" % of samples, mostly short_sb; ") != std::string::npos);
  CHECK(text.find("conflicts") == std::string::npos);
}
