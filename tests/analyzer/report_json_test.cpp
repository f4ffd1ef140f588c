// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <nlohmann/json.hpp>

#include "golden.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "sample_timeline.hpp"

namespace iket::test {
namespace {

using json = nlohmann::json;

json report_of(const timeline& source) { return json::parse(report_json(make_report(source))); }

bool has_finding(const json& launch, const std::string& part) {
  for (const json& found : launch["findings"])
    if (found["text"].get<std::string>().find(part) != std::string::npos) return true;
  return false;
}

TEST_CASE("the sample's report is as recorded") {
  check_golden("report.json", report_json(make_report(sample_timeline())));
}

TEST_CASE("fields have the names and units of the schema") {
  hand_made made;
  made.launch("gemm").warp(0, 0, "consumer", 1'000, 2'001'500).wait("data", 1'000, 1'001'250);
  const json report = report_of(made.take());
  CHECK(report["schema"] == "iket-report/1");
  CHECK(report["traces"][0]["file"] == "hand_made.bin");
  CHECK(report["traces"][0]["device"] == "NVIDIA H200");
  const json& launch = report["launches"][0];
  CHECK(launch["kernel"] == "gemm");
  CHECK(launch["count"] == 1);
  CHECK(launch["grid"] == json({1, 1, 1}));
  CHECK(launch["block"] == json({64, 1, 1}));
  CHECK(launch["device"] == "NVIDIA H200");
  CHECK(launch["duration_ns"] == 2000.5);
  CHECK(launch["ctas"] == json({{"traced", 1}, {"total", 1}}));
  CHECK(launch["warps"] == 1);
  CHECK(launch["records"] == json({{"written", 2}, {"kept", 2}, {"lost", 0}}));
  CHECK(launch["events"] == json({{"kept", 2}, {"unmatched", 0}, {"cut", 0}, {"open", 0}}));
  CHECK(launch["clock"]["sm_ghz"] == 1.98);
  CHECK(launch["clock"]["tick_ns"] == 32);
  CHECK(launch["clock"]["uncertainty_ns"] == 12.5);
  const json& stage = launch["stages"][0];
  CHECK(stage["name"] == "data");
  CHECK(stage["kind"] == "wait");
  CHECK(stage["roles"] == json({"consumer"}));
  for (const char* member : {"total_ns", "self_ns", "mean_ns", "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"})
    CHECK(stage[member] == 1000.25);
  CHECK(stage["share"].get<double>() == Approx(1000.25 / 2000.5));
  const json& role = launch["roles"][0];
  CHECK(role["lifetime_ns"] == 2000.5);
  CHECK(role["wait_ns"] == 1000.25);
  CHECK(role["work_ns"] == 0);
  CHECK(role["untracked_ns"] == 1000.25);
  CHECK(role["lost_ns"] == 0);
  CHECK(has_finding(launch, "consumer: waits 50.0 % of its time, all in 'data'"));
}

TEST_CASE("what relates stages and warps has the names that docs give") {
  const json report = report_of(sample_timeline());
  const json& launch = report["launches"][0];
  const auto members = [](const json& of) {
    std::vector<std::string> names;
    for (const auto& [name, value] : of.items()) names.push_back(name);
    return names;
  };
  using names = std::vector<std::string>;
  REQUIRE(!launch["overlap"].empty());
  CHECK(members(launch["overlap"][0]) ==
        names{"a", "a_ns", "b", "b_ns", "fraction_of_a", "fraction_of_b", "overlap_ns", "scope"});
  REQUIRE(!launch["waits"].empty());
  CHECK(members(launch["waits"][0]) == names{"covered_by", "long_waits", "released_by", "role", "skew_fraction",
                                             "stage", "total_ns", "uncovered_fraction"});
  CHECK(members(launch["waits"][0]["covered_by"][0]) == names{"activity", "fraction"});
  CHECK(members(launch["waits"][1]["released_by"][0]) == names{"count", "role", "stage"});
  REQUIRE(!launch["imbalance"].empty());
  CHECK(members(launch["imbalance"][0]) ==
        names{"across", "cv", "max_ns", "max_over_mean", "mean_ns", "n", "role", "stage"});
  CHECK(members(launch["tail"]) == names{"fraction", "last_end_ns", "median_end_ns", "sms"});
  REQUIRE(!launch["critical_path"].empty());
  CHECK(members(launch["critical_path"][0]) == names{"fraction", "kind", "ns", "stage"});
  double path_ns = 0;
  for (const json& share : launch["critical_path"]) path_ns += share["ns"].get<double>();
  CHECK(path_ns == Approx(launch["duration_ns"].get<double>()));
  REQUIRE(!launch["pipelines"].empty());
  CHECK(members(launch["pipelines"][0]) ==
        names{"ctas", "drain_ns", "fill_ns", "interval_ns", "stages", "steady_ns", "unknown"});
}

TEST_CASE("what cannot be known is null") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100).cut(stage_kind::work, "x", 1);
  made.launch("never ran");
  made.last_launch().device = none;
  const json report = report_of(made.take());
  const json& stage = report["launches"][0]["stages"][0];
  for (const char* member : {"mean_ns", "min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns", "share"})
    CHECK(stage[member].is_null());
  CHECK(stage["cut"] == 1);
  const json& launch = report["launches"][1];
  CHECK(launch["duration_ns"].is_null());
  CHECK(launch["clock"].is_null());
  CHECK(launch["device"].is_null());
  CHECK(has_finding(launch, "0 records: no warp made a recorder"));
}

TEST_CASE("warps that a damaged file lost are said to be missing, not to have recorded nothing") {
  hand_made made;
  made.launch("kernel", 1, 2).warp(0, 0, "", 0, 1000).work("x", 0, 1000);
  timeline source = made.take();
  source.launches[0].warps_opened = 2;
  CHECK(has_finding(report_of(source)["launches"][0], "the records of 1 warp are missing from the file"));
  source.launches[0].warps.clear();
  const json launch = report_of(source)["launches"][0];
  CHECK(has_finding(launch, "the records of 2 warps are missing from the file"));
  CHECK_FALSE(has_finding(launch, "0 records"));
}

TEST_CASE("several launches are summed, with the spread of their durations") {
  hand_made made;
  for (picoseconds i = 1; i <= 3; ++i)
    made.launch("kernel").warp(0, 0, "", 0, 1'000'000 * i).work("x", 0, 1'000'000 * i);
  made.launch("kernel");  // never ran
  const json launch = report_of(made.take())["launches"][0];
  CHECK(launch["count"] == 4);
  CHECK(launch["duration_ns"] == 2000);
  CHECK(launch["duration_min_ns"] == 1000);
  CHECK(launch["duration_max_ns"] == 3000);
  CHECK(launch["ctas"]["traced"] == 4);
  CHECK(launch["stages"][0]["count"] == 3);
}

TEST_CASE("durations by CUDA events are the mean of the launches timed so") {
  hand_made made;
  for (std::uint64_t i = 0; i < 3; ++i) {
    made.launch("kernel").warp(0, 0, "", 0, 1'000'000);
    made.last_launch().event_time_ns = i * 2000;
  }
  timeline source = made.take();
  CHECK(report_of(source)["launches"][0]["event_duration_ns"] == 3000);
  for (analysis::launch& one : source.launches) one.event_time_ns = 0;
  CHECK(report_of(source)["launches"][0]["event_duration_ns"].is_null());
}

TEST_CASE("a selection is there in numbers") {
  const json report = report_of(sample_timeline());
  CHECK(report["launches"][2]["selection"] == json({{"choice", "every"},
                                                    {"stride", 4},
                                                    {"first_cta", nullptr},
                                                    {"last_cta", nullptr},
                                                    {"cluster", {2, 1, 1}},
                                                    {"warps", {0, 4, 8}}}));
  hand_made made;
  made.launch("kernel", 64);
  made.last_launch().choice = cta_choice::range;
  made.last_launch().first_cta = 8;
  made.last_launch().last_cta = 16;
  const json selection = report_of(made.take())["launches"][0]["selection"];
  CHECK(selection["first_cta"] == 8);
  CHECK(selection["last_cta"] == 15);
}

TEST_CASE("everything that was lost or left out is there") {
  const json report = report_of(sample_timeline());
  CHECK(report["warnings"].size() == 1);
  const json& launch = report["launches"][1];
  CHECK(launch["refused"]["recorders"] == 12);
  CHECK(launch["refused"]["grid"] == json({8, 1, 1}));
  CHECK(launch["over_limit"]["bytes_needed"] == 1610612736);
  CHECK(launch["over_limit"]["bytes_limit"] == 268435456);
  CHECK(launch["warps_unclosed"] == 1);
  CHECK(launch["compiled_out"] == 0);
  CHECK(launch["records"]["lost"] == 500);
  CHECK(launch["keep_first"] == 0);
  CHECK(launch["checked"] == false);
  for (const char* part : {"12 recorders refused", "2 of 4 CTAs not traced", "500 of 524 records lost",
                           "1 event unmatched", "3 events cut", "1 range still open", "1 of 2 warps never closed"})
    CHECK(has_finding(launch, part));
}

TEST_CASE("a launch that was compiled out says so, and nothing else about it") {
  hand_made made;
  made.launch("kernel");
  made.last_launch().compiled_out = true;
  made.last_launch().ctas_traced = 0;
  const json launch = report_of(made.take())["launches"][0];
  CHECK(launch["compiled_out"] == 1);
  REQUIRE(launch["findings"].size() == 1);
  CHECK(has_finding(launch, "compiled out"));
}

TEST_CASE("warps that recorded nothing, and launches with no memory, are told apart") {
  hand_made made;
  made.launch("silent").warp(0, 0, "", 0, 100);
  made.launch("no memory");
  made.last_launch().ctas_traced = 0;
  const json report = report_of(made.take());
  CHECK(has_finding(report["launches"][0], "0 records: 1 warp made a recorder and recorded nothing"));
  CHECK(has_finding(report["launches"][1], "0 records: no CTA was traced"));
}

TEST_CASE("integers beyond 2^53 are strings") {
  hand_made made;
  made.launch("kernel").warp(0, 0, "", 0, 100);
  made.last_warp().written = (std::uint64_t{1} << 53) + 1;
  made.last_warp().lost = std::uint64_t{1} << 53;
  const json records = report_of(made.take())["launches"][0]["records"];
  CHECK(records["written"] == "9007199254740993");
  CHECK(records["lost"] == 9007199254740992);
}

TEST_CASE("names that are no UTF-8 do not cost the report") {
  hand_made made;
  made.launch("\xff kernel").warp(0, 0, "\xc3", 0, 100).work("a\x80\x1b", 0, 10);
  const json report = report_of(made.take());
  CHECK(report["launches"][0]["kernel"] == "\xEF\xBF\xBD kernel");
}

TEST_CASE("an empty file has an empty report") {
  const json report = report_of(timeline{});
  CHECK(report["launches"].empty());
  CHECK(report["traces"][0]["device"].is_null());
}

}  // namespace
}  // namespace iket::test

TEST_CASE("the clocks of a group are those of all its launches that have warps") {
  iket::test::hand_made made;
  made.launch("kernel", 1, 1);
  made.last_launch().clock = {1.5, 16, 0, 0, true, {}};  // of a launch without warps: no say
  for (const double worst : {40.0, 90.0, 50.0}) {
    made.launch("kernel", 1, 1).warp(0, 0, "", 0, 100'000);
    made.last_launch().clock = {
        1.9 + worst / 1000,
        32,
        worst,
        worst / 2,
        false,
        std::make_shared<const std::vector<std::vector<std::uint32_t>>>(1, std::vector<std::uint32_t>{1, 2})};
  }
  const iket::analysis::clock_summary found = make_report(made.result).launches.at(0).clock;
  CHECK(found.uncertainty_ns == 90);
  CHECK(found.uncertainty_median_ns == 25);
  CHECK(found.sm_ghz == Approx(1.96));
  CHECK(found.tick_ns == 32);
  CHECK_FALSE(found.rate_assumed);
  CHECK(found.domains->size() == 1);
}
