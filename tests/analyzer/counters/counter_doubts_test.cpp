// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counters/counter_doubts.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "counters/join_counters.hpp"
#include "counters/kernel_figures.hpp"
#include "recorded.hpp"

namespace {

using namespace iket::analysis;
using namespace iket::analysis::counters;

std::string unit_of(const std::string& name) {
  return name.ends_with("duration.sum") ? "s" : name.find("shared_mem") != std::string::npos ? "byte/block" : "";
}

profiled_kernel profiled(const std::map<std::string, double>& figures) {
  profiled_kernel one;
  for (const auto& [name, value] : figures) one.raw[name] = {value, unit_of(name)};
  return one;
}

std::vector<const profiled_kernel*> pointers_to(const std::vector<profiled_kernel>& kernels) {
  std::vector<const profiled_kernel*> launches;
  for (const profiled_kernel& one : kernels) launches.push_back(&one);
  return launches;
}

/// `listings` are pages `source` without rows.
std::vector<std::string> doubts(const std::vector<profiled_kernel>& kernels, launch_counters of = {},
                                std::size_t listings = 1) {
  const std::vector<const profiled_kernel*> launches = pointers_to(kernels);
  of.launches = kernels.size();
  of.figures = figures_of(launches);
  const source_listing listing;
  return doubts_of(launches, std::vector<const source_listing*>(listings, &listing), of);
}

std::string note(const std::vector<profiled_kernel>& kernels) { return note_on_unusable(pointers_to(kernels)); }

bool has(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("nothing speaks against what was recorded") {
  for (const std::string& folder : recorded::folders) {
    const timeline trace = recorded::trace(folder);
    report result = make_report(trace);
    join_counters(recorded::pages(folder, {"raw", "details", "source"}), trace, "", result);
    for (const launch_report& launch : result.launches) {
      INFO(folder << " " << launch.kernel);
      REQUIRE(launch.counters);
      CHECK(launch.counters->doubts.empty());
      CHECK(launch.counters->time_doubt.empty());
      for (const std::string& note : launch.counters->notes)
        CHECK(note.find("the only kernel with this grid and block") != std::string::npos);
    }
  }
}

TEST_CASE("figures that cannot be are not taken, and told") {
  const char* const dram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
  for (const double value : {9999.0, 120.0, -1.0}) {
    const std::vector<profiled_kernel> kernels = {profiled({{dram, value}, {"smsp__inst_executed.sum", 5}})};
    const profiled_kernel* const one = kernels.data();
    CHECK(figures_of({&one, 1}).size() == 1);
    CHECK(
        has({note(kernels)}, "not taken, as the page has no number there that it can be: DRAM throughput, of peak ('"));
  }
  CHECK(note({profiled({{dram, 101.5}})}).empty());  // several runs, whose clocks differ
  profiled_kernel words = profiled({{"smsp__inst_executed.sum", -5}});
  words.texts[dram] = "1,5";
  words.texts["gpu__time_duration.sum"] = "soon";
  words.texts["lts__t_sectors.sum"] = words.texts["dram__bytes_read.sum"] = "?";
  CHECK(note({words}).ends_with(
      "duration ('soon'), DRAM throughput, of peak ('1,5'), DRAM read ('?') and 2 further figures"));
  words.texts = {{"launch__func_cache_config", "CachePreferNone"}};
  words.raw.clear();
  CHECK(note({words}).empty());
}

TEST_CASE("a stall reason that cannot be is not taken, and told") {
  const std::string name = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
  const std::vector<profiled_kernel> kernels = {profiled({{name, -33.2}}), profiled({{name, 4}})};
  const std::vector<kernel_figure> reasons = stall_reasons_of(pointers_to(kernels));
  REQUIRE(reasons.size() == 1);
  CHECK(reasons[0].value == 4);
  CHECK(note(kernels).ends_with("warps stalled: barrier ('-33.2')"));
}

TEST_CASE("a figure without its unit tells nothing") {
  profiled_kernel one = profiled({{"gpu__time_duration.sum", 350}, {"dram__bytes_read.sum", 507}});
  one.raw["gpu__time_duration.sum"].unit = "parsecs";
  const profiled_kernel* const launch = &one;
  CHECK(figures_of({&launch, 1}).empty());
  CHECK(note({one}).ends_with("duration ('350.0 parsecs'), DRAM read ('507.0')"));
}

TEST_CASE("what stands in a page that is not taken is not missed, a stall reason is") {
  const char* const barrier = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
  const char* const dram = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
  profiled_kernel one = profiled({{dram, 50}});
  one.texts["GPU Speed Of Light Throughput/DRAM Throughput"] = "abc";
  CHECK(note({one}).empty());
  one.texts[barrier] = std::string(100, 'x');
  CHECK(note({one}).ends_with("warps stalled: barrier ('" + std::string(40, 'x') + "')"));
  one.texts[barrier] = std::string(39, 'x') + "\xC3\xA9";  // no half of a character
  CHECK(note({one}).ends_with("barrier ('" + std::string(39, 'x') + "')"));
  one.raw.clear();
  CHECK(note({one}).find("DRAM throughput, of peak ('abc'), warps stalled: barrier") != std::string::npos);
}

TEST_CASE("launches of several configurations are told, of which figures are means") {
  const auto launch = [](double seconds, double registers) {
    return profiled({{"gpu__time_duration.sum", seconds},
                     {"launch__registers_per_thread", registers},
                     {"launch__shared_mem_per_block_static", 1024}});
  };
  CHECK(doubts({launch(1e-4, 32), launch(1.4e-4, 32)}).empty());
  const std::vector<std::string> told = doubts({launch(1e-4, 32), launch(2e-4, 168)});
  REQUIRE(told.size() == 1);
  CHECK(has(told, "differ (100 us to 200 us, 32 to 168 registers a thread): give it the pages of one configuration"));
  CHECK(has(doubts({profiled({{"launch__shared_mem_per_block_dynamic", 0}}),
                    profiled({{"launch__shared_mem_per_block_dynamic", 4096}})}),
            "0 to 4096 bytes of dynamic shared memory"));
}

TEST_CASE("a time under the profiler that is not the launch's own is told") {
  launch_report launch;
  launch.count = launch.launches_timed = 1;
  launch.selected.emplace();
  launch.duration_ps = 105e6;
  launch.ctas_traced = launch.ctas_total = 8;
  const auto told = [&](double seconds) {
    launch_counters of;
    of.figures = {{"duration_s", "duration", seconds}};
    return doubt_of_time(launch, of);
  };
  CHECK(told(150e-6).empty());
  CHECK(told(202e-6).starts_with("it took 202 us under the profiler and 105 us in the trace"));
  CHECK(told(60e-6).starts_with("it took 60.0 us under the profiler and 105 us in the trace"));
  launch.launches_event_timed = 1;  // with the time to launch it
  launch.event_duration_ps = 190e6;
  CHECK(told(150e-6).empty());
  launch.ctas_total = 512;  // evenly spaced ones
  CHECK(!told(202e-6).empty());
  launch.ctas_traced = 7;  // the others may have run longer
  CHECK(told(202e-6).empty());
  CHECK(told(402e-6).starts_with("it took 402 us under the profiler and 190 us in the trace"));
  launch.ctas_traced = 8;
  launch.selected->choice = cta_choice::range;
  CHECK(told(202e-6).empty());
  launch.event_duration_ps = 4e6;
  CHECK(told(8e-6).empty());                       // the events' own time
  launch.plain = plain_times{3, 3, 300e3, 190e3};  // what tracing costs is none of the profiler's
  CHECK(told(202e-6).empty());
  CHECK(told(100e-6).starts_with("it took 100 us under the profiler and 300 us in the plain run"));
}

TEST_CASE("a page source of other launches is told by its instructions") {
  const auto told = [](std::uint64_t listed, std::size_t listings) {
    launch_counters of;
    of.division = division_kind::instructions;
    of.columns = {"instructions"};
    of.sums = {listed};
    return doubts({profiled({{"smsp__inst_executed.sum", 100}}), profiled({{"smsp__inst_executed.sum", 100}})}, of,
                  listings);
  };
  CHECK(told(200, 2).empty());
  CHECK(told(290, 2).empty());  // loops that wait turn as often as they happen to
  CHECK(told(100, 1).empty());  // of one of two launches, or of two that are equal
  CHECK(has(told(60, 1), "the page 'source' has 60 % of the instructions that the kernel executed"));
  CHECK(has(told(200, 1), "has 200 % of the instructions"));
  CHECK(has(told(110, 2), "has 55 % of the instructions"));
}

TEST_CASE("a page source of which some cannot be read is doubted") {
  source_listing listing;
  const source_listing* const page = &listing;
  CHECK(doubts_of({}, {&page, 1}, {}).empty());
  listing.is_doubtful = true;
  CHECK(has(doubts_of({}, {&page, 1}, {}), "some figures of the page 'source' cannot be read"));
}

TEST_CASE("divided by lines, instructions count in each line that they are inlined through") {
  launch_counters of;
  of.division = division_kind::lines;
  of.columns = {"instructions"};
  of.sums = {197};
  CHECK(doubts({profiled({{"smsp__inst_executed.sum", 100}})}, of).empty());
}

TEST_CASE("a page source whose samples are no launch's is told") {
  const char* const count = "smsp__pcsamp_sample_count";
  const std::vector<profiled_kernel> kernels = {profiled({{count, 30}}), profiled({{count, 40}})};
  const auto told = [](const std::vector<profiled_kernel>& launches, const std::vector<std::uint64_t>& samples) {
    std::vector<source_listing> pages;
    for (const std::uint64_t one : samples)
      pages.push_back({"source.csv", "k", true, {{"samples", "# Samples"}}, {{16, "EXIT", {}, {one}}}});
    std::vector<const source_listing*> pointers;
    for (const source_listing& page : pages) pointers.push_back(&page);
    return doubts_of(pointers_to(launches), pointers, {});
  };
  CHECK(told(kernels, {40, 30}).empty());
  CHECK(told(kernels, {30}).empty());
  CHECK(has(told(kernels, {30, 41}), "has 41 samples, and the page 'raw' counts 30 or others"));
  CHECK(told({profiled({{count, 30}}), profiled({{"smsp__inst_executed.sum", 1}})}, {41}).empty());
  CHECK(told({}, {41}).empty());
  // Divided by lines a sample counts in each.
  CHECK(!samples_of(source_listing{"source.csv", "k", false, {{"samples", "# Samples"}}, {{0, "x", {}, {41}}}}));
}

TEST_CASE("a page source without its first rows, or of another run of the program, is told") {
  const auto doubts_with = [](const std::string& text) {
    const timeline trace = recorded::trace("ws_gemm_depth1");
    ncu_profile profile = recorded::pages("ws_gemm_depth1", {"raw"});
    read_ncu_page(text, "source.csv", profile);
    report result = make_report(trace);
    join_counters(profile, trace, "", result);
    return result.launches.at(0).counters->doubts;
  };
  const std::string text = recorded::text("ws_gemm_depth1/sass.csv.gz");
  CHECK(doubts_with(text).empty());
  const std::size_t header = text.find('\n', text.find("\"Address\"")) + 1;
  std::size_t behind = header;
  for (int row = 0; row < 400; ++row) behind = text.find('\n', behind) + 1;
  CHECK(has(doubts_with(text.substr(0, header) + text.substr(behind)), "of different launches, or rows are missing"));
  CHECK(has(doubts_with(recorded::text("ws_gemm_depth4/source.csv.gz")), "of different launches, or rows are missing"));
}

TEST_CASE("samples that are not as many as their reasons are told") {
  launch_counters of;
  of.division = division_kind::instructions;
  of.columns = {"samples", "stall_barrier", "stall_wait", "stall_wait_not_issued"};
  of.sums = {30, 20, 10, 7};
  CHECK(doubts({}, of).empty());
  of.sums[0] = 300;
  CHECK(has(doubts({}, of), "the page 'source' has 300 samples and 30 reasons of stalls for them"));
  of.columns.erase(of.columns.begin() + 1, of.columns.end());  // an older profiler's page
  of.sums.resize(1);
  CHECK(doubts({}, of).empty());
}

TEST_CASE("a page source that was cut off anywhere is told") {
  for (const std::string folder : {"bank_conflicts", "ws_gemm_depth4"}) {
    const timeline trace = recorded::trace(folder);
    const std::string text = recorded::text(folder + "/source.csv.gz");
    const auto joined = [&](std::string_view page) {
      ncu_profile profile = recorded::pages(folder, {"raw"});
      read_ncu_page(page, "source.csv", profile);
      report result = make_report(trace);
      join_counters(profile, trace, "", result);
      return result;
    };
    const report whole = joined(text);
    REQUIRE(whole.launches.at(0).counters);
    std::size_t cuts = 0;
    for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1)) {
      if (cuts++ % 31 != 0) continue;
      const report cut = joined(std::string_view(text).substr(0, end + 1));
      const launch_counters& of = *cut.launches.at(0).counters;
      INFO(folder << ", " << cuts << " lines");
      const bool is_told = !cut.warnings.empty() || !of.doubts.empty();
      CHECK((is_told || of.sums == whole.launches[0].counters->sums));
    }
    CHECK(cuts > 300);
  }
}

TEST_CASE("a page of another configuration of the kernel is told") {
  for (const auto& [traced, profiled] :
       {std::pair("ws_gemm_depth1", "ws_gemm_depth4"), std::pair("ws_gemm_depth4", "ws_gemm_depth1")}) {
    const timeline trace = recorded::trace(traced);
    report result = make_report(trace);
    join_counters(recorded::pages(profiled, {"raw"}), trace, "", result);
    REQUIRE(result.launches.at(0).counters);
    CHECK(result.launches[0].counters->doubts.empty());
    CHECK(result.launches[0].counters->time_doubt.find("under the profiler and") != std::string::npos);
    CHECK(has(result.launches[0].counters->notes, "what bounds it is not concluded"));
    for (const finding& one : result.launches[0].findings) CHECK(one.text.find("bound. Next") == std::string::npos);
  }
}
