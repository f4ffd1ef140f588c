// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/counter_findings.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counters/join_counters.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;

/// What the pages add to the findings of a recorded trace.
std::vector<finding> added_by(const std::string& folder, const std::vector<std::string>& pages) {
  const timeline trace = recorded::trace(folder);
  report result = make_report(trace);
  std::vector<finding> before;
  for (const launch_report& launch : result.launches)
    before.insert(before.end(), launch.findings.begin(), launch.findings.end());
  join_counters(recorded::pages(folder, pages), trace, "", result);
  std::vector<finding> added;
  for (const launch_report& launch : result.launches)
    for (const finding& one : launch.findings)
      if (std::none_of(before.begin(), before.end(), [&](const finding& old) { return old.text == one.text; }))
        added.push_back(one);
  return added;
}

bool has(const finding& one, const std::string& part) { return one.text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a pipeline with one slot is bound by latency") {
  const std::vector<finding> found = added_by("ws_gemm_depth1", {"raw", "source"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == severity::bottleneck);
  CHECK(found[0].stage == "load tile");
  CHECK(has(found[0], "'load tile' covers 8"));
  CHECK(has(found[0], "of the waiting in 'wait for data'"));
  CHECK(has(found[0], "latency-bound"));
  CHECK(has(found[0], "have more of 'load tile' in flight, now 1 at most"));
}

TEST_CASE("a pipeline with four slots is bound by the tensor cores") {
  const std::vector<finding> found = added_by("ws_gemm_depth4", {"raw", "source"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].stage == "compute");
  CHECK(has(found[0], "the tensor pipe is at 81 % of its peak: compute-bound"));
}

TEST_CASE("a stage that spills is told with its lines, or without the page of lines as the kernel") {
  const std::vector<finding> found = added_by("spills", {"raw", "source"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].stage == "accumulate");
  CHECK(has(found[0], "'accumulate' spills registers: 70.7 %"));
  CHECK(has(found[0], "tests/counters/kernels.cu:"));
  CHECK(has(found[0], "32 registers a thread"));
  const std::vector<finding> of_kernel = added_by("spills", {"raw"});
  REQUIRE(of_kernel.size() == 1);
  CHECK(has(of_kernel[0], "the kernel spills registers"));
  CHECK(has(added_by("spills", {"raw", "sass"}).at(0), "build with -lineinfo"));
}

TEST_CASE("a stage with bank conflicts is told with its lines") {
  const std::vector<finding> found = added_by("bank_conflicts", {"raw", "source"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].stage == "transpose");
  CHECK(found[0].value == Approx(0.875));
  CHECK(has(found[0], "at tests/counters/kernels.cu:"));
}

TEST_CASE("a kernel that waits for DRAM is memory-bound") {
  const std::vector<finding> found = added_by("streams", {"raw", "source"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].stage == "load tile");
  CHECK(has(found[0], "its code asks for 99.7 % of the L2 sectors"));
  CHECK(has(found[0], "DRAM runs at 89 % of its peak: memory-bound"));
}

TEST_CASE("of a kernel without a fault nothing is found") {
  CHECK(added_by("clean", {"raw", "details", "source"}).empty());
  CHECK(added_by("calls", {"raw", "details", "source"}).empty());
}

TEST_CASE("in a page of several kernels each has its own") {
  const std::vector<finding> found = added_by("all", {"raw", "source"});
  REQUIRE(found.size() == 2);
  CHECK(found[0].stage == "accumulate");
  CHECK(found[1].stage == "transpose");
}

TEST_CASE("findings of counters stand behind the bottlenecks and before the rest") {
  const timeline trace = recorded::trace("ws_gemm_depth1");
  report result = make_report(trace);
  join_counters(recorded::pages("ws_gemm_depth1", {"raw"}), trace, "", result);
  const std::vector<finding>& all = result.launches.at(0).findings;
  REQUIRE(all.size() > 2);
  CHECK(has(all[0], "is the bottleneck"));
  CHECK(has(all[1], "latency-bound"));
  CHECK(all[2].severity != severity::bottleneck);
}

TEST_CASE("figures below every threshold, or none at all, say nothing") {
  launch_report launch;
  add_counter_findings(launch);
  CHECK(launch.findings.empty());
  launch.counters.emplace();
  add_counter_findings(launch);
  CHECK(launch.findings.empty());
  launch_counters& of = *launch.counters;
  of.division = division_kind::instructions;
  of.columns = {"samples", "instructions", "stall_short_sb", "shared_wavefronts", "shared_wavefronts_excessive"};
  of.sums = {1000, 10000, 400, 100, 40};
  of.stages = {{"mma", stage_kind::work, {900, 9000, 400, 100, 40}, {}, {}, 80}};
  add_counter_findings(launch);
  REQUIRE(launch.findings.size() == 1);  // conflicts; of spills there are less than one in a hundred
  CHECK(has(launch.findings[0], "bank conflicts: 40.0 %"));

  launch.findings.clear();
  of.stages[0].spill_instructions = 90;
  of.stages[0].values[4] = 29;
  add_counter_findings(launch);
  REQUIRE(launch.findings.size() == 1);
  CHECK(has(launch.findings[0], "spills registers: 1.0 %"));

  launch.findings.clear();
  of.figures = {{"spill_requests", "", 0}};  // an array, and no register that was spilled
  add_counter_findings(launch);
  REQUIRE(launch.findings.size() == 1);
  CHECK(has(launch.findings[0], "'mma' has values in local memory: 1.0 %"));
  CHECK(has(launch.findings[0], "unroll the loops that index it"));

  launch.findings.clear();
  of.doubts = {"it was edited"};
  add_counter_findings(launch);
  CHECK(launch.findings.empty());

  of.doubts.clear();
  of.time_doubt = "it took another time";  // what a stage's code does is the same
  add_counter_findings(launch);
  CHECK(launch.findings.size() == 1);
  launch.findings.clear();
  of.stages[0].values[0] = 99;  // a stage that takes no time
  add_counter_findings(launch);
  CHECK(launch.findings.empty());
}

TEST_CASE("without the figure of a unit nobody knows which one bounds a kernel, which is told") {
  const timeline trace = recorded::trace("streams");
  for (const auto& [metric, unit] : {std::pair("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM"),
                                     std::pair("lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"),
                                     std::pair("l1tex__throughput.avg.pct_of_peak_sustained_active", "L1"),
                                     std::pair("sm__throughput.avg.pct_of_peak_sustained_elapsed", "the SMs")})
    for (const bool is_odd : {false, true}) {
      ncu_profile profile = recorded::pages("streams", {"raw"});
      if (is_odd)
        profile.kernels.at(0).raw[metric].value = 9999;
      else
        profile.kernels.at(0).raw.erase(metric);
      report result = make_report(trace);
      join_counters(profile, trace, "", result);
      const std::string wanted =
          "what bounds 'load tile' is not told: the pages have no usable figure of " + std::string(unit) + ",";
      std::size_t told = 0;
      for (const finding& one : result.launches.at(0).findings) {
        CHECK(!has(one, "bound. Next"));
        CHECK(!has(one, "bound by"));
        told += has(one, wanted) ? 1 : 0;
      }
      CHECK(told == 1);
    }
}
