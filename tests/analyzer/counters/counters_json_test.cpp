// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/counters_json.hpp"

#include <limits>

#include "catch.hpp"
#include "made_counters.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;
using json = report_values::json;
using iket::test::made_counters;

}  // namespace

TEST_CASE("a launch's counters as JSON, member by member") {
  CHECK(json_of(made_counters()) == json::parse(R"json({
    "kernel": "made(int)", "files": ["raw.csv", "source.csv"], "launches": 2,
    "figures": {"duration_s": 5.2e-6, "dram_throughput_percent": 12.5, "dram_read_bytes": 999960,
                "dram_write_bytes": 999.7, "bank_conflicts": 104999},
    "stall_reasons": {"stalled_selected": 9, "stalled_barrier": 3, "stalled_wait": 0.04},
    "occupancy_limit": null, "division": "instructions",
    "sums": {"samples": 100, "stall_selected": 21, "stall_barrier": 55, "stall_wait": 24, "instructions": 1000000,
             "l2_sectors_local": 10},
    "shared": {"samples": 8, "stall_selected": 0, "stall_barrier": 0, "stall_wait": 8, "instructions": 100000,
               "l2_sectors_local": 1},
    "recording": {"samples": 2, "stall_selected": 0, "stall_barrier": 0, "stall_wait": 2, "instructions": 150000,
                  "l2_sectors_local": 2},
    "outside": {"samples": 7, "stall_selected": 1, "stall_barrier": 2, "stall_wait": 4, "instructions": 40000,
                "l2_sectors_local": 1},
    "unknown": {"samples": 3, "stall_selected": 0, "stall_barrier": 3, "stall_wait": 0, "instructions": 10000,
                "l2_sectors_local": 0},
    "unattributed": {"samples": 12, "stall_selected": 1, "stall_barrier": 5, "stall_wait": 6, "instructions": 200000,
                     "l2_sectors_local": 3},
    "doubts": ["a doubt"], "notes": ["a note"]})json"));
}

TEST_CASE("a stage's counters as JSON are those of its kind") {
  const launch_counters of = made_counters();
  const json load = json_of_stage(of, "load", stage_kind::work);
  CHECK(load.at("samples") == 40);
  CHECK(load.at("spill_instructions") == 12);
  CHECK(load.at("spill_lines") == json::parse(R"([{"file": "a.cu", "line": 7}, {"file": "a.cu", "line": 9}])"));
  CHECK(load.at("conflict_lines").empty());
  CHECK(json_of_stage(of, "sync", stage_kind::wait).at("samples") == 30);
  CHECK(json_of_stage(of, "load", stage_kind::wait).is_null());
}

TEST_CASE("counts beyond 2^53 are strings") {
  launch_counters of = made_counters();
  of.sums.at(4) = std::numeric_limits<std::uint64_t>::max();
  CHECK(json_of(of).at("sums").at("instructions") == "18446744073709551615");
}

TEST_CASE("without a page of its source there are no parts, and an occupancy limit has its name") {
  launch_counters of = made_counters();
  of.division = division_kind::none;
  of.occupancy_limit = "registers";
  const json text = json_of(of);
  CHECK(text.at("division").is_null());
  CHECK(text.at("sums").is_null());
  CHECK(text.at("unattributed").is_null());
  CHECK(text.at("occupancy_limit") == "registers");
  of.division = division_kind::lines;
  CHECK(json_of(of).at("division") == "lines");
}

TEST_CASE("a slice of a launch has its stages by name, and nothing that is empty") {
  const json args = json::parse(launch_args(made_counters()));
  CHECK(args.at("stages").at("sync").at("samples") == 10);
  CHECK(args.at("stages").at("sync (wait)").at("samples") == 30);
  CHECK(!args.contains("occupancy_limit"));
  CHECK(!args.at("stages").at("load").contains("conflict_lines"));
}

TEST_CASE("a slice of a stage tells its part of the samples, the instructions and local memory") {
  const launch_counters of = made_counters();
  CHECK(stage_text(of, of.stages.at(0)) ==
        "40.0 % of samples, mostly barrier; 50.0 % of instructions; 60.0 % of L2 sectors of local memory");
  CHECK(stage_text(of, of.stages.at(1)) == "10.0 % of samples, mostly selected; 10.0 % of instructions");
}

TEST_CASE("the reason of most stalls is none of those of warps that issue") {
  launch_counters of;
  of.columns = {"samples", "stall_selected", "stall_not_selected", "stall_wait", "stall_wait_not_issued"};
  CHECK(top_stall(of, {100, 60, 30, 10, 90}).reason == "wait");
  CHECK(top_stall(of, {100, 60, 30, 10, 90}).fraction == Approx(0.1));
  CHECK(top_stall(of, {100, 60, 40, 0, 0}).reason == "selected");
  CHECK(top_stall(of, {0, 0, 0, 0, 0}).reason.empty());
}
