// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/code_division.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counters/source_files.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis::counters;
using iket::analysis::code_site;
using iket::analysis::source_location;
using iket::analysis::stage_kind;

column_values total_of(const code_division& division) {
  column_values sum = division.shared;
  const auto add = [&](const column_values& part) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  };
  for (const stage_counters& stage : division.stages) add(stage.values);
  for (const column_values* const part : {&division.recording, &division.outside, &division.unknown}) add(*part);
  return sum;
}

const stage_counters& stage_of(const code_division& division, const std::string& name) {
  for (const stage_counters& one : division.stages)
    if (one.stage == name) return one;
  FAIL("no stage " << name);
  return division.stages.front();
}

const std::vector<code_site>& sites_of(const iket::analysis::timeline& trace, const std::string& kernel) {
  for (const iket::analysis::launch& one : trace.launches)
    if (kernel.find("::" + one.kernel + "(") != std::string::npos) return *one.code_sites;
  return *trace.launches.at(0).code_sites;
}

source_listing lines_of(const std::vector<std::pair<source_location, std::uint64_t>>& lines) {
  source_listing listing{"page.csv", "k", false, {{"samples", "# Samples"}}, {}};
  for (const auto& [line, samples] : lines) listing.rows.push_back({0, "", {line}, {samples}});
  return listing;
}

}  // namespace

TEST_CASE("in every recorded page stages, shared and unattributed code add up to the page's columns") {
  std::size_t columns = 0;
  for (const std::string& folder : recorded::folders) {
    const iket::analysis::timeline trace = recorded::trace(folder);
    for (const char* const page : {"source", "sass"})
      for (const source_listing& listing : recorded::pages(folder, {page}).listings) {
        const code_division division = divide(listing, sites_of(trace, listing.kernel));
        INFO(folder << "/" << page << ": " << listing.kernel);
        CHECK(division.kind == division_kind::instructions);
        CHECK(division.events == division.events_of_sites);
        CHECK(division.events_untold == 0);
        CHECK(total_of(division) == sums_of(listing));
        columns += listing.columns.size();
      }
  }
  CHECK(columns > 400);
}

TEST_CASE("in every recorded page lines alone add up as well") {
  for (const std::string& folder : recorded::folders) {
    const iket::analysis::timeline trace = recorded::trace(folder);
    for (source_listing listing : recorded::pages(folder, {"source"}).listings) {
      // What a page without machine code has: here each instruction as a row of the first of its lines.
      listing.has_instructions = false;
      const code_division division = divide(listing, sites_of(trace, listing.kernel));
      CHECK(division.kind == division_kind::lines);
      CHECK(total_of(division) == sums_of(listing));
    }
  }
}

TEST_CASE("a stage's part of the samples is its part of the warps' time, as traced") {
  // Of kernels whose warps are alike in all CTAs, of which some were traced; in parts of all samples.
  for (const auto& [folder, tolerance] : {std::pair("spills", 0.02), std::pair("bank_conflicts", 0.02),
                                          std::pair("clean", 0.03), std::pair("streams", 0.03)}) {
    const iket::analysis::timeline trace = recorded::trace(folder);
    const source_listing listing = recorded::pages(folder, {"source"}).listings.at(0);
    REQUIRE(listing.columns.at(0).key == "samples");
    const code_division division = divide(listing, *trace.launches.at(0).code_sites);
    const auto samples = static_cast<double>(sums_of(listing)[0]);
    const iket::analysis::report report = iket::analysis::make_report(trace);
    double observed = 0;
    for (const iket::analysis::role_statistics& role : report.launches.at(0).roles)
      observed += static_cast<double>(role.observed());
    for (const iket::analysis::stage_statistics& stage : report.launches.at(0).stages) {
      INFO(folder << ": " << stage.name);
      CHECK(static_cast<double>(stage_of(division, stage.name).values[0]) / samples ==
            Approx(static_cast<double>(stage.self) / observed).margin(tolerance));
    }
  }
}

TEST_CASE("spills and bank conflicts are told with their lines") {
  const code_division spills = divide(recorded::pages("spills", {"source"}).listings.at(0),
                                      *recorded::trace("spills").launches.at(0).code_sites);
  const stage_counters& accumulate = stage_of(spills, "accumulate");
  CHECK(accumulate.spill_instructions > accumulate.values.size());
  REQUIRE(!accumulate.spill_lines.empty());
  for (const source_location& line : accumulate.spill_lines) CHECK(line.file == "tests/counters/kernels.cu");
  CHECK(stage_of(divide(recorded::pages("clean", {"source"}).listings.at(0),
                        *recorded::trace("clean").launches.at(0).code_sites),
                 "compute")
            .spill_instructions == 0);

  const code_division conflicts = divide(recorded::pages("bank_conflicts", {"source"}).listings.at(0),
                                         *recorded::trace("bank_conflicts").launches.at(0).code_sites);
  CHECK(stage_of(conflicts, "transpose").conflict_lines.size() == 1);
  CHECK(stage_of(conflicts, "fill").conflict_lines.empty());
  // Without lines there is none to tell.
  const code_division no_lines =
      divide(recorded::pages("spills", {"sass"}).listings.at(0), *recorded::trace("spills").launches.at(0).code_sites);
  CHECK(stage_of(no_lines, "accumulate").spill_instructions == accumulate.spill_instructions);
  CHECK(stage_of(no_lines, "accumulate").spill_lines.empty());
}

TEST_CASE("of the recorded kernels all that was executed is followed, and only functions are shared") {
  for (const std::string& folder : recorded::folders) {
    const iket::analysis::timeline trace = recorded::trace(folder);
    for (const source_listing& listing : recorded::pages(folder, {"source"}).listings) {
      const code_division division = divide(listing, sites_of(trace, listing.kernel));
      std::size_t instructions = 0;
      while (listing.columns.at(instructions).key != "instructions") ++instructions;
      INFO(folder << ": " << listing.kernel);
      CHECK(division.unknown[instructions] == 0);
      CHECK((division.shared[instructions] == 0) == (folder != "calls"));
      CHECK(division.indirect == 0);
    }
  }
}

TEST_CASE("a function that two stages call is shared") {
  const source_listing listing = recorded::pages("calls", {"source"}).listings.at(0);
  const code_division division = divide(listing, *recorded::trace("calls").launches.at(0).code_sites);
  CHECK(division.shared[0] > sums_of(listing)[0] * 9 / 10);
}

TEST_CASE("without machine code a line is of the nearest begin above it in its file") {
  const std::vector<code_site> sites = {{0x10, "load", stage_kind::work, {"k.cu", 10}},
                                        {0x20, "wait", stage_kind::wait, {"k.cu", 20}},
                                        {0x30, "add", stage_kind::work, {"k.cu", 30}},
                                        {0x40, "store", stage_kind::work, {"k.cu", 30}}};
  const code_division division = divide(lines_of({{{"/src/k.cu", 5}, 1},
                                                  {{"/src/k.cu", 10}, 2},
                                                  {{"/src/k.cu", 19}, 4},
                                                  {{"/src/k.cu", 25}, 8},
                                                  {{"/src/k.cu", 31}, 16},
                                                  {{"/src/other.cu", 12}, 32},
                                                  {{"/opt/include/iket/recorder.cuh", 100}, 64}}),
                                        sites);
  CHECK(division.kind == division_kind::lines);
  CHECK(stage_of(division, "load").values == column_values{6});
  CHECK(stage_of(division, "wait").values == column_values{8});
  CHECK(division.shared == column_values{16});
  CHECK(division.outside == column_values{33});
  CHECK(division.recording == column_values{64});
}

TEST_CASE("stages that the trace does not know are not followed") {
  source_listing listing{"page.csv", "k", true, {{"instructions", "Instructions Executed"}}, {}};
  const char* const code[] = {"CS2R.32 R14, SR_CLOCKLO", "MOV R15, 0x51", "STG.E.64.STRONG.SYS [R8.64], R14", "FADD",
                              "EXIT"};
  for (std::uint64_t i = 0; i < 5; ++i) listing.rows.push_back({16 * i, code[i], {}, {1}});
  const code_division division = divide(listing, {});
  CHECK(division.events == 1);
  CHECK(division.events_of_sites == 0);
  CHECK(division.unknown == column_values{2});
  CHECK(division.recording == column_values{3});
}

TEST_CASE("files are one where one path ends in the other") {
  CHECK(may_be_one_file("/home_of/src/k.cu", "src/k.cu"));
  CHECK(may_be_one_file("k.cu", "src/k.cu"));
  CHECK(!may_be_one_file("/src/ak.cu", "k.cu"));
  CHECK(!may_be_one_file("", "k.cu"));
  CHECK(is_recorder_file("/opt/iket/include/iket/detail/device_store.cuh"));
  CHECK(is_recorder_file("iket/recorder.cuh"));
  CHECK(!is_recorder_file("/src/iket/kernels.cu"));
  CHECK(!is_recorder_file("/src/myiket/recorder.cuh"));
}
