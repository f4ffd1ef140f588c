// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "capture/plain_times.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "capture/capture_folder.hpp"
#include "capture/other_runs.hpp"
#include "catch.hpp"
#include "cli.hpp"
#include "iket/scratch_folder.hpp"
#include "load_traces.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "report_text.hpp"

namespace {

using namespace iket::analysis;

/// Launches of "gemm", grid 4, that took so long; 0: not timed.
timeline run_of(const std::vector<std::uint64_t>& times_ns, const std::string& kernel = "gemm",
                std::uint32_t grid = 4) {
  timeline run;
  for (const std::uint64_t time : times_ns) {
    launch one;
    one.kernel = kernel;
    one.grid = {grid, 1, 1};
    one.block = {64, 1, 1};
    one.event_time_ns = time;
    run.launches.push_back(one);
  }
  return run;
}

report with_plain(const timeline& plain, const timeline& traced) {
  report result = make_report(traced);
  add_plain_times(plain, traced, result);
  return result;
}

void touch(const std::string& path) { std::ofstream(path) << "x"; }

}  // namespace

TEST_CASE("medians") {
  CHECK(median_of({}) == std::nullopt);
  CHECK(median_of({3}) == 3.0);
  CHECK(median_of({9, 1, 2}) == 2.0);
  CHECK(median_of({9, 1, 2, 4}) == 3.0);
}

TEST_CASE("the ratio is that of the medians") {
  const report result = with_plain(run_of({100'000, 90'000, 500'000}), run_of({110'000, 99'000, 120'000, 0}));
  REQUIRE(result.launches.at(0).plain);
  const plain_times& times = *result.launches[0].plain;
  CHECK(times.launches == 3);
  CHECK(times.traced_launches == 3);
  CHECK(times.ratio() == Approx(1.1));
  CHECK(result.warnings.empty());
  CHECK(report_text(result, {100, false})
            .find("traced 110.0 us, plain 100.0 us: +10.0 % (medians of 3 and 3 launches)") != std::string::npos);
  const auto json = nlohmann::json::parse(report_json(result)).at("launches").at(0).at("plain");
  CHECK(json.at("traced_over_plain") == 1.1);
  CHECK(json.at("median_ns") == 100'000);
}

TEST_CASE("launches of another grid or name are no match, and no times are told") {
  CHECK(!with_plain(run_of({1000}, "gemm", 5), run_of({1000})).launches.at(0).plain);
  CHECK(!with_plain(run_of({1000}, "add"), run_of({1000})).launches.at(0).plain);
  const report untimed = with_plain(run_of({0}), run_of({0}));
  CHECK(!untimed.launches.at(0).plain);
  REQUIRE(untimed.warnings.size() == 1);
  CHECK(untimed.warnings[0].find("launches by iket::launch are timed") != std::string::npos);
}

TEST_CASE("runs that launched differently are told") {
  std::vector<std::string> warnings;
  CHECK(compare_runs("plain", run_of({1, 1}), run_of({1, 1}), false, warnings));
  CHECK(warnings.empty());
  CHECK(!compare_runs("plain", run_of({1}), run_of({1, 1}), false, warnings));
  CHECK(!compare_runs("profiled", run_of({1, 1}, "gemm", 5), run_of({1, 1}), false, warnings));
  REQUIRE(warnings.size() == 3);
  CHECK(warnings[0] ==
        "the plain run differs from the traced one: it launched 'gemm' with grid 4 x 1 x 1 and block 64 x 1 x 1 once, "
        "the traced one 2 times; give the program the same work in each run");
  CHECK(warnings[1].find("the profiled run differs") == 0);
  // A profiler that replays the program ran it three times.
  CHECK(compare_runs("profiled", run_of({1, 1, 1, 1, 1, 1}), run_of({1, 1}), true, warnings));
  CHECK(!compare_runs("profiled", run_of({1, 1, 1}), run_of({1, 1}), true, warnings));
  timeline replayed = run_of({1, 1, 1});
  replayed.launches[0].regions = 4;
  warnings.clear();
  CHECK(compare_runs("plain", run_of({1}), replayed, false, warnings));
}

TEST_CASE("a run that cannot be read costs what it would have told, and no more") {
  const scratch_folder folder;
  touch(folder / "plain.bin");
  const timeline traced = run_of({1000});
  report result = make_report(traced);
  add_other_runs({folder / "plain.bin"}, {}, false, traced, result);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].find("the plain run: ") == 0);
  CHECK_THROWS_AS(add_other_runs({folder / "plain.bin"}, {}, true, traced, result), unreadable_trace);
}

TEST_CASE("a launch that was only timed is told as that") {
  timeline plain = run_of({1000});
  plain.launches[0].untraced = true;
  plain.launches[0].ctas_total = 4;
  const report result = make_report(plain);
  REQUIRE(result.launches.at(0).findings.size() == 1);
  CHECK(result.launches[0].findings[0].severity == severity::info);
  CHECK(result.launches[0].findings[0].text.find("not traced: noted and timed by iket-capture") == 0);
}

TEST_CASE("a folder of iket-capture is all of its files") {
  const scratch_folder folder;
  CHECK(!find_capture(folder.path.string()));
  CHECK(!find_capture(folder / "gone"));
  for (const char* const name : {"traced.bin", "traced.2.bin", "traced.4.bin", "plain.bin", "raw.csv", "source.csv"})
    touch(folder / name);
  std::ofstream(folder / "traced.3.bin");  // of a process that ended before it wrote
  const auto found = find_capture(folder.path.string());
  REQUIRE(found);
  CHECK(found->traced ==
        std::vector<std::string>{folder / "traced.bin", folder / "traced.2.bin", folder / "traced.4.bin"});
  CHECK(found->plain == std::vector<std::string>{folder / "plain.bin"});
  CHECK(found->profiled.empty());
  CHECK(found->pages == std::vector<std::string>{folder / "raw.csv", folder / "source.csv"});

  const auto parse = [&](std::vector<std::string> arguments) {
    std::vector<const char*> argv{"iket-analyze"};
    for (const std::string& one : arguments) argv.push_back(one.c_str());
    return std::get<cli_options>(parse_command_line(static_cast<int>(argv.size()), argv.data()));
  };
  const cli_options options = parse({folder.path.string()});
  CHECK(options.traces == found->traced);
  CHECK(options.ncu == found->pages);
  CHECK(options.output == folder / "trace.json");
  CHECK(parse({folder.path.string(), "--no-trace"}).output.empty());
  CHECK(parse({folder.path.string(), "-o", "x.json"}).output == "x.json");
}
