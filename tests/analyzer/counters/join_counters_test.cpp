// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/join_counters.hpp"

#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "counters/kernel_names.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;

report joined(const std::string& folder, const std::vector<std::string>& pages, const std::string& kernel = {}) {
  const timeline trace = recorded::trace(folder);
  report result = make_report(trace);
  join_counters(recorded::pages(folder, pages), trace, kernel, result);
  return result;
}

profiled_kernel kernel_of(const std::string& name, std::uint32_t grid, std::uint32_t block) {
  profiled_kernel one;
  one.file = "raw.csv";
  one.name = name;
  one.grid = {grid, 1, 1};
  one.block = {block, 1, 1};
  one.raw["smsp__inst_executed.sum"] = {100, ""};
  return one;
}

/// Launches of these names, grid 8 and block 64.
report report_of(const std::vector<std::string>& names, timeline& trace) {
  for (const std::string& name : names) {
    launch one;
    one.kernel = name;
    one.grid = {8, 1, 1};
    one.block = {64, 1, 1};
    trace.launches.push_back(one);
  }
  return make_report(trace);
}

report joined(const std::vector<profiled_kernel>& kernels, const std::vector<std::string>& launches,
              const std::string& wanted = {}) {
  timeline trace;
  report result = report_of(launches, trace);
  ncu_profile profile;
  profile.kernels = kernels;
  join_counters(profile, trace, wanted, result);
  return result;
}

bool has_part(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("names of kernels lose what a profiler adds") {
  CHECK(base_name("void <unnamed>::gemm<int, (bool)1>(const float *, iket::tracer)") == "gemm");
  CHECK(base_name("ws_gemm::sm90::gemm_kernel(CUtensorMap_st, int)") == "gemm_kernel");
  CHECK(base_name("void (anonymous namespace)::k<a::b<c>>(int)") == "k");
  CHECK(base_name("gemm") == "gemm");
  CHECK(base_name("") == "");
  CHECK(is_own_kernel("iket_calibration"));
  CHECK(!is_own_kernel("iket::user_kernel(int)"));
}

TEST_CASE("a kernel is a launch's by name, grid and block") {
  const report found =
      joined({kernel_of("a::gemm(int)", 8, 64), kernel_of("gemm(int)", 9, 64), kernel_of("add", 8, 64)}, {"gemm"});
  REQUIRE(found.launches.at(0).counters);
  CHECK(found.launches[0].counters->kernel == "a::gemm(int)");
  CHECK(found.launches[0].counters->launches == 1);
  CHECK(found.launches[0].counters->figure("instructions") == 100.0);
  CHECK(found.warnings.empty());
}

TEST_CASE("the only kernel of a launch's grid and block is taken for it, and that is told") {
  const report found = joined({kernel_of("gemm_kernel", 8, 64), kernel_of("add", 16, 64)}, {"gemm"});
  REQUIRE(found.launches.at(0).counters);
  CHECK(has_part(found.launches[0].counters->notes, "'gemm_kernel', the only kernel with this grid and block"));
  CHECK(!joined({kernel_of("gemm_kernel", 8, 64), kernel_of("add", 8, 64)}, {"gemm"}).launches.at(0).counters);
  const report forth_and_back = joined({kernel_of("forth_kernel", 8, 64)}, {"forth", "back"});
  CHECK(!forth_and_back.launches.at(0).counters);
  CHECK(!forth_and_back.launches.at(1).counters);
  // One that is another launch's by its name is none.
  const report two = joined({kernel_of("add", 8, 64)}, {"gemm", "add"});
  CHECK(!two.launches.at(0).counters);
  CHECK(two.launches.at(1).counters);
}

TEST_CASE("the option --ncu-kernel says whose figures they are") {
  const std::vector<profiled_kernel> kernels = {kernel_of("gemm_kernel", 8, 64), kernel_of("add", 8, 64)};
  CHECK(joined(kernels, {"gemm"}, "gemm_k").launches.at(0).counters->kernel == "gemm_kernel");
  const report other = joined(kernels, {"gemm"}, "add");
  CHECK(other.launches.at(0).counters->kernel == "add");
  CHECK(has_part(other.launches[0].counters->notes, "those of 'add', which --ncu-kernel asks for"));
  const report both = joined({kernel_of("gemm_a", 32, 64), kernel_of("gemm_b", 8, 64)}, {"gemm"}, "gemm_");
  CHECK(both.launches.at(0).counters->kernel == "gemm_b");
  const report other_shape = joined({kernel_of("gemm_kernel", 32, 64)}, {"gemm"}, "gemm");
  REQUIRE(other_shape.launches.at(0).counters);
  CHECK(has_part(other_shape.launches[0].counters->notes, "the profiler saw it with grid 32 x 1 x 1"));
}

TEST_CASE("where nothing fits that is said, with what there is") {
  const report found = joined({kernel_of("gemm_kernel", 9, 64)}, {"gemm"});
  CHECK(!found.launches.at(0).counters);
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0] ==
        "--ncu: no kernel of the pages fits a launch of the trace; the pages have gemm_kernel (grid 9 x 1 x 1, block "
        "64 x "
        "1 x 1); the trace has gemm (grid 8 x 1 x 1, block 64 x 1 x 1); --ncu-kernel takes a part of the profiler's "
        "name of the kernel");
  CHECK(has_part(joined({kernel_of("gemm_kernel", 8, 64)}, {"gemm"}, "other").warnings, "by --ncu-kernel 'other'"));
}

TEST_CASE("launches of a kernel are reported together, IKET's own kernels not at all") {
  profiled_kernel second = kernel_of("gemm", 8, 64);
  second.raw["smsp__inst_executed.sum"].value = 300;
  const report found = joined({kernel_of("gemm", 8, 64), second, kernel_of("iket_calibration", 8, 64)}, {"gemm"});
  CHECK(found.launches.at(0).counters->launches == 2);
  CHECK(found.launches[0].counters->figure("instructions") == 200.0);
}

TEST_CASE("one kernel in two grids has its listings in the order of the page raw") {
  timeline trace;
  for (const std::uint32_t grid : {8u, 16u}) {
    launch one;
    one.kernel = "gemm";
    one.grid = {grid, 1, 1};
    one.block = {64, 1, 1};
    one.code_sites = std::make_shared<const std::vector<code_site>>();
    trace.launches.push_back(one);
  }
  ncu_profile profile;
  profile.kernels = {kernel_of("gemm(int)", 8, 64), kernel_of("gemm(int)", 16, 64), kernel_of("gemm(int)", 8, 64)};
  for (const std::uint64_t samples : {1, 10, 100})
    profile.listings.push_back(
        {"source.csv", "a::gemm(int)", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {samples}}}});
  report result = make_report(trace);
  join_counters(profile, trace, "", result);
  CHECK(result.launches.at(0).counters->sums == column_values{101});
  CHECK(result.launches.at(1).counters->sums == column_values{10});

  profile.listings.pop_back();  // now nobody knows which is whose
  report unknown = make_report(trace);
  join_counters(profile, trace, "", unknown);
  CHECK(unknown.launches.at(0).counters->division == division_kind::none);
  CHECK(has_part(unknown.launches.at(0).counters->notes, "nothing tells which of them is this launch's"));
}

TEST_CASE("listings of a kernel in two grids are found by their samples, whatever their order") {
  timeline trace;
  launch one;
  one.kernel = "gemm";
  one.grid = {8, 1, 1};
  one.block = {64, 1, 1};
  one.code_sites = std::make_shared<const std::vector<code_site>>();
  trace.launches.push_back(one);
  ncu_profile profile;
  profile.kernels = {kernel_of("gemm(int)", 8, 64), kernel_of("gemm(int)", 16, 64)};
  profile.kernels[1].file = "other.csv";
  for (const std::uint64_t samples : {10, 1})  // the other one's before its own
    profile.listings.push_back(
        {"source.csv", "gemm(int)", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {samples}}}});
  report unknown = make_report(trace);
  join_counters(profile, trace, "", unknown);
  CHECK(unknown.launches.at(0).counters->division == division_kind::none);  // of two reports: no order tells
  CHECK(has_part(unknown.launches[0].counters->notes, "nothing tells which of them is this launch's"));
  profile.kernels[0].raw["smsp__pcsamp_sample_count"] = {1, ""};
  profile.kernels[1].raw["smsp__pcsamp_sample_count"] = {10, ""};
  report found = make_report(trace);
  join_counters(profile, trace, "", found);
  CHECK(found.launches.at(0).counters->sums == column_values{1});
  CHECK(found.launches[0].counters->doubts.empty());
}

TEST_CASE("instances of a template are several kernels") {
  const std::vector<profiled_kernel> kernels = {kernel_of("void gemm<64>(int)", 8, 64),
                                                kernel_of("void gemm<128>(int)", 8, 64)};
  const report found = joined(kernels, {"gemm"});
  CHECK(!found.launches.at(0).counters);
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0] ==
        "--ncu: several kernels fit 'gemm': gemm<128>, gemm<64>; --ncu-kernel takes a part of one's name");
  CHECK(joined(kernels, {"gemm"}, "gemm<64>").launches.at(0).counters->kernel == "void gemm<64>(int)");
  timeline trace;
  report result = report_of({"gemm"}, trace);
  trace.launches[0].code_sites = std::make_shared<const std::vector<code_site>>();
  ncu_profile profile;
  profile.kernels = kernels;
  for (const std::uint64_t samples : {1, 10})
    profile.listings.push_back({"source.csv",
                                samples == 1 ? "gemm<64>(int)" : "gemm<128>(int)",
                                true,
                                {{"samples", "# Samples"}},
                                {{16, "EXIT", {}, {samples}}}});
  join_counters(profile, trace, "gemm<128>", result);
  CHECK(result.launches.at(0).counters->sums == column_values{10});
  CHECK(full_name("void <unnamed>::gemm<int, (bool)1>(const float *)") == "<unnamed>::gemm<int, (bool)1>");
  CHECK(full_name("void (anonymous namespace)::k(int)") == "(anonymous namespace)::k");
  CHECK(may_be_one_kernel("a::gemm<64>", "gemm<64>"));
  CHECK(!may_be_one_kernel("agemm", "gemm"));
}

TEST_CASE("a page of several kernels is divided among the launches") {
  const report found = joined("all", {"raw", "source"});
  REQUIRE(found.launches.size() == 3);
  for (const launch_report& launch : found.launches) {
    INFO(launch.kernel);
    REQUIRE(launch.counters);
    CHECK(launch.counters->kernel.find("::" + launch.kernel + "(") != std::string::npos);
    CHECK(launch.counters->notes.empty());
    CHECK(launch.counters->stages.size() == 3);
    CHECK(static_cast<double>(launch.counters->value(launch.counters->sums, "instructions")) ==
          launch.counters->figure("instructions"));
  }
}

TEST_CASE("every recorded kernel finds its launch, whichever pages there are") {
  for (const std::string& folder : recorded::folders)
    for (const std::vector<std::string>& pages :
         {std::vector<std::string>{"raw"}, {"details"}, {"source"}, {"raw", "details", "source"}}) {
      const report found = joined(folder, pages);
      INFO(folder << " " << pages.front() << " " << pages.size());
      for (const launch_report& launch : found.launches) {
        REQUIRE(launch.counters);
        CHECK(launch.counters->launches == 1);
        CHECK(launch.counters->files.size() == pages.size());
        CHECK((launch.counters->division == division_kind::instructions) == (pages.back() == "source"));
      }
    }
}

TEST_CASE("figures of the page details stand in for those of the page raw") {
  const report raw = joined("spills", {"raw"}), details = joined("spills", {"details"});
  const launch_counters &a = *raw.launches.at(0).counters, &b = *details.launches.at(0).counters;
  CHECK(b.figures.size() >= 12);
  for (const kernel_figure& one : b.figures) {
    INFO(one.key);
    CHECK(one.value == Approx(*a.figure(one.key)).epsilon(0.001).margin(0.006));
  }
  CHECK(a.figures.size() > b.figures.size());
  CHECK(!a.stall_reasons.empty());
  CHECK(a.stall_reasons.front().key == "stalled_long_scoreboard");
}

TEST_CASE("a launch in both pages counts once") {
  for (const std::string folder : {"spills", "ws_gemm_depth1"}) {
    const report alone = joined(folder, {"raw"}), both = joined(folder, {"details", "raw"});
    const launch_counters &a = *alone.launches.at(0).counters, &b = *both.launches.at(0).counters;
    REQUIRE(a.figures.size() == b.figures.size());
    for (std::size_t i = 0; i < a.figures.size(); ++i) CHECK(a.figures[i].value == b.figures[i].value);
    REQUIRE(a.stall_reasons.size() == b.stall_reasons.size());
    for (std::size_t i = 0; i < a.stall_reasons.size(); ++i)
      CHECK(a.stall_reasons[i].value == b.stall_reasons[i].value);
    CHECK(b.launches == 1);
  }
}

TEST_CASE("listings of another grid, or of nobody knows which, are nobody's") {
  timeline trace;
  report result = report_of({"gemm"}, trace);
  trace.launches[0].code_sites = std::make_shared<const std::vector<code_site>>();
  ncu_profile profile;
  profile.kernels = {kernel_of("gemm(int)", 16, 64)};
  profile.listings.push_back({"source.csv", "gemm(int)", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {1}}}});
  join_counters(profile, trace, "", result);
  CHECK(!result.launches.at(0).counters);
  CHECK(has_part(result.warnings, "no kernel of the pages fits"));

  // The page alone, with two kinds of launches of the name.
  profile.kernels.clear();
  trace.launches.push_back(trace.launches[0]);
  trace.launches[1].grid = {16, 1, 1};
  report two = make_report(trace);
  join_counters(profile, trace, "", two);
  for (const launch_report& launch : two.launches) CHECK(!launch.counters);

  // Two instances of a template, of which one is named.
  trace.launches.pop_back();
  profile.listings = {{"source.csv", "gemm<64>(int)", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {1}}}},
                      {"source.csv", "gemm<128>(int)", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {10}}}}};
  report unnamed = make_report(trace), named = make_report(trace);
  join_counters(profile, trace, "", unnamed);
  CHECK(!unnamed.launches.at(0).counters);
  join_counters(profile, trace, "gemm<128>", named);
  REQUIRE(named.launches.at(0).counters);
  CHECK(named.launches[0].counters->sums == column_values{10});
}

TEST_CASE("launches of which the pages have nothing are told") {
  const report found = joined({kernel_of("gemm", 8, 64)}, {"gemm", "add", "softmax"});
  CHECK(found.launches.at(0).counters);
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings[0] ==
        "--ncu: the pages have no hardware counters of add (grid 8 x 1 x 1, block 64 x 1 x 1), softmax (grid 8 x 1 x "
        "1, block 64 x 1 x 1)");
  // Those of which several kernels may be are told as such.
  const report several =
      joined({kernel_of("gemm", 8, 64), kernel_of("add<1>", 8, 64), kernel_of("add<2>", 8, 64)}, {"gemm", "add"});
  REQUIRE(several.warnings.size() == 1);
  CHECK(has_part(several.warnings, "several kernels fit 'add'"));
  // Of pages that have IKET's own kernels alone, too.
  CHECK(has_part(joined({kernel_of("iket_calibration", 8, 64)}, {"gemm"}).warnings, "the pages have none of the"));
}

TEST_CASE("pages of other kernels than the launches' are told") {
  const timeline trace = recorded::trace("spills");
  const auto with = [&](const ncu_profile& profile) {
    report result = make_report(trace);
    join_counters(profile, trace, "", result);
    return result;
  };
  ncu_profile pages = recorded::pages("clean", {"source"});
  for (const profiled_kernel& one : recorded::pages("spills", {"raw"}).kernels) pages.kernels.push_back(one);
  const report unused = with(pages);
  CHECK(unused.launches.at(0).counters->kernel.find("spills") != std::string::npos);
  REQUIRE(unused.warnings.size() == 1);
  CHECK(unused.warnings[0].find("clean/source.csv.gz' was not used: no reported launch fits ") != std::string::npos);

  // The page source names the launch: the raw figures of another kernel of its grid and block are not its own.
  ncu_profile other = recorded::pages("spills", {"source"});
  for (const profiled_kernel& one : recorded::pages("clean", {"raw"}).kernels) other.kernels.push_back(one);
  const report named = with(other);
  REQUIRE(named.launches.at(0).counters);
  CHECK(named.launches[0].counters->kernel.find("spills") != std::string::npos);
  CHECK(named.launches[0].counters->figures.empty());
  CHECK(named.launches[0].counters->division == division_kind::instructions);
  CHECK(has_part(named.warnings, "clean/raw.csv.gz' was not used"));
}

TEST_CASE("figures under another name are a launch's if they have the samples of its page source") {
  const timeline trace = recorded::trace("streams");
  ncu_profile pages = recorded::pages("streams", {"raw", "source"});
  pages.kernels.at(0).name = "_ZN7streamsE";
  report result = make_report(trace);
  join_counters(pages, trace, "", result);
  CHECK(result.warnings.empty());
  REQUIRE(result.launches.at(0).counters);
  CHECK(!result.launches[0].counters->figures.empty());
  CHECK(result.launches[0].counters->division == division_kind::instructions);
  pages.kernels[0].raw.at("smsp__pcsamp_sample_count").value += 1;
  report other = make_report(trace);
  join_counters(pages, trace, "", other);
  CHECK(other.launches.at(0).counters->figures.empty());
  CHECK(has_part(other.warnings, "raw.csv.gz' was not used"));
}

TEST_CASE("pages that are looked at and not taken are not told as unused") {
  const timeline trace = recorded::trace("spills");
  ncu_profile pages = recorded::pages("spills", {"raw", "source"});
  source_listing lines = pages.listings.at(0);
  lines.file = "lines.csv";
  lines.has_instructions = false;
  pages.listings.push_back(lines);
  report result = make_report(trace);
  join_counters(pages, trace, "", result);
  CHECK(result.warnings.empty());
}

TEST_CASE("that nothing fits is told whatever else is") {
  timeline trace;
  report result = report_of({"gemm"}, trace);
  result.warnings = {"a clock pair fits no clock"};
  ncu_profile profile;
  profile.kernels = {kernel_of("iket_calibration", 8, 64)};
  join_counters(profile, trace, "", result);
  CHECK(has_part(result.warnings, "no kernel of the pages fits"));
}

TEST_CASE("what limits the occupancy is told where it is the kernel") {
  CHECK(joined("ws_gemm_depth1", {"raw"}).launches.at(0).counters->occupancy_limit == "registers and shared memory");
  CHECK(joined("bank_conflicts", {"raw"}).launches.at(0).counters->occupancy_limit == "shared memory");
  CHECK(joined("clean", {"details"}).launches.at(0).counters->occupancy_limit.empty());
}

TEST_CASE("a page of another binary is told") {
  const timeline trace = recorded::trace("clean");
  report result = make_report(trace);
  ncu_profile profile = recorded::pages("spills", {"source"});
  for (source_listing& listing : profile.listings) {
    listing.kernel = "clean(int)";
    for (source_row& row : listing.rows)
      if (row.text.find("CLOCKLO") != std::string::npos) row.text = "NOP";
  }
  join_counters(profile, trace, "", result);
  REQUIRE(result.launches.at(0).counters);
  CHECK(has_part(result.launches[0].counters->notes, "no event in the machine code"));
}
