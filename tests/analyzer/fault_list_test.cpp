// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a checked build found, from the file to the report.
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include "build_timeline.hpp"
#include "fault_list.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "synthetic.hpp"

namespace iket::test {
namespace {

using namespace iket::analysis;

timeline build(const synthetic::trace& trace) {
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  return build_timeline(std::get<trace_view>(read), "x");
}

std::string findings_of_first(const timeline& source) {
  const report made = make_report(source);
  std::string text;
  for (const finding& found : made.launches.at(0).findings)
    text += (found.severity == severity::warning ? "! " : "- ") + found.text + "\n";
  return text;
}

synthetic::trace checked_trace() {
  synthetic::trace trace;
  synthetic::warp warp;
  warp.log.event(record_kind::mark, trace.site(site_kind::mark, "m", "gemm.cu", 9), 2000);
  trace.launch("kernel", 4, 4, 16, {warp});
  trace.content.launches[0].info.flags = file::launch_checked;
  return trace;
}

TEST_CASE("every kind of fault says where, how often, and what to do") {
  using kind = file::fault_kind;
  const auto text = [](kind of, std::uint64_t count) {
    return fault_text({of, count, "wait for data", {"gemm.cu", 57}, {3, 0, 0}, 2});
  };
  CHECK(text(kind::leader_absent, 12) ==
        "gemm.cu:57 'wait for data': 12 events ran without the leader lane (first seen in CTA 3,0,0 warp 2): make the "
        "recorder inside the branch that these lanes take, or keep its leader lane in it");
  CHECK(synthetic::lacking(text(kind::leader_absent, 1), {": 1 event ran"}) == "");
  CHECK(synthetic::lacking(text(kind::second_recorder, 2), {"2 recorders were made on a warp that had one already"}) ==
        "");
  CHECK(synthetic::lacking(text(kind::pop_without_push, 1), {"1 pop where nothing was pushed", "IKET_PUSH"}) == "");
  CHECK(synthetic::lacking(text(kind::end_without_start, 3), {"3 ends of tokens that were not open"}) == "");
  CHECK(synthetic::lacking(text(kind::recorder_copied, 4), {"copied, seen 4 times", "by reference"}) == "");
  CHECK(synthetic::lacking(text(static_cast<kind>(77), 1), {"1 fault of kind 77"}) == "");
  CHECK(fault_text({kind::pop_without_push, 1, "", {}, {0, 0, 0}, 0}).starts_with("1 pop where"));
  CHECK(kind_name(kind::end_without_start) == std::string("end_without_start"));
  CHECK(kind_name(static_cast<kind>(77)) == std::string("unknown"));
}

TEST_CASE("faults come with the names of their sites, and as warnings") {
  synthetic::trace trace = checked_trace();
  trace.site(site_kind::wait, "wait for data", "gemm.cu", 57);
  trace.fault(file::fault_kind::leader_absent, synthetic::site_address(1), 12);
  trace.fault(file::fault_kind::pop_without_push, 0, 1);
  trace.fault(file::fault_kind::second_recorder, synthetic::site_address(40), 2);
  trace.content.launches[0].fault_head.dropped = 5;
  const timeline source = build(trace);
  CHECK(source.warnings.empty());
  const analysis::launch& one = source.launches.at(0);
  CHECK(one.checked);
  REQUIRE(one.faults.size() == 3);
  CHECK(one.faults[0].site == "wait for data");
  CHECK(one.faults[0].source.line == 57);
  CHECK(one.faults[1].site.empty());
  CHECK(one.faults[2].site.starts_with("site 0x"));
  CHECK(one.faults[2].source.file.empty());
  CHECK(synthetic::lacking(
            findings_of_first(source),
            {"! checked build: its times are not to be trusted", "! gemm.cu:57 'wait for data': 12 events ran without",
             "! 1 pop where nothing was pushed", "! 5 faults at further places not listed"}) == "");
  CHECK(findings_of_first(source).find("no misuse") == std::string::npos);

  const auto launch = nlohmann::json::parse(report_json(make_report(source)))["launches"][0];
  CHECK(launch["checked"] == true);
  REQUIRE(launch["faults"].size() == 3);
  CHECK(launch["faults"][0] == nlohmann::json({{"kind", "leader_absent"},
                                               {"count", 12},
                                               {"site", "wait for data"},
                                               {"file", "gemm.cu"},
                                               {"line", 57},
                                               {"cta", {3, 0, 0}},
                                               {"warp", 2}}));
  CHECK(launch["faults"][1]["site"].is_null());
  CHECK(launch["faults"][1]["file"].is_null());
  CHECK(launch["faults_dropped"] == 5);
}

TEST_CASE("a checked build without faults says so, and any other build nothing") {
  synthetic::trace trace = checked_trace();
  CHECK(synthetic::lacking(findings_of_first(build(trace)),
                           {"! checked build: its times are not", "- checked build: no misuse found"}) == "");
  trace.content.launches[0].info.flags = 0;
  const timeline source = build(trace);
  CHECK_FALSE(source.launches.at(0).checked);
  CHECK(findings_of_first(source).find("checked") == std::string::npos);
  // Who recorded nothing found nothing, either.
  trace.content.launches[0].warps.clear();
  trace.content.launches[0].records.clear();
  trace.content.launches[0].info.warps_opened = 0;
  trace.content.launches[0].info.flags = file::launch_checked;
  CHECK(findings_of_first(build(trace)).find("no misuse") == std::string::npos);
}

TEST_CASE("faults of one place in several launches are one line") {
  synthetic::trace trace = checked_trace();
  trace.fault(file::fault_kind::leader_absent, synthetic::site_address(0), 12);
  trace.content.launches.push_back(trace.content.launches[0]);
  trace.content.launches[1].info.id = 1;
  const launch_report launch = make_report(build(trace)).launches.at(0);
  CHECK(launch.launches_checked == 2);
  REQUIRE(launch.faults.size() == 1);
  CHECK(launch.faults[0].count == 24);
}

TEST_CASE("faults without their launch chunk and their sites still have their places") {
  synthetic::trace trace = checked_trace();
  trace.fault(file::fault_kind::recorder_copied, synthetic::site_address(0), 12);
  std::string bytes = trace.bytes();
  bytes[bytes.find("LNCH") + 40] ^= 1;
  bytes[bytes.find("SITE") + 40] ^= 1;
  const auto read = read_trace(synthetic::bytes_of(bytes));
  const timeline source = build_timeline(std::get<trace_view>(read), "x");
  REQUIRE(source.launches.at(0).faults.size() == 1);
  CHECK(source.launches[0].checked);
  CHECK(source.launches[0].faults[0].site.starts_with("site 0x7f3a"));
}

}  // namespace
}  // namespace iket::test
