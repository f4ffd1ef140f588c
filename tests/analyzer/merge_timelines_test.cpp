// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Several files as one timeline.
#include "merge_timelines.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "align_devices.hpp"
#include "catch.hpp"
#include "chrome_trace.hpp"
#include "hand_made.hpp"
#include "report.hpp"

using namespace iket::test;

namespace {

constexpr std::uint64_t host_epoch_ns = 500'000'000'000'000;

host_clock clock_at(std::uint64_t zero_ns, double drift_ppm = 0, double error_ns = 600) {
  host_clock clock;
  clock.zero_ns = host_epoch_ns + zero_ns;
  clock.realtime_offset_ns = 1'700'000'000'000'000'000;
  clock.drift_ppm = drift_ppm;
  clock.error_ns = error_ns;
  clock.boot_id = "a boot";
  return clock;
}

/// One launch from 0 to 100 us with a stage of `work`, on a GPU whose UUID ends in `gpu`.
timeline file_of(const std::string& name, char gpu, const std::string& work, picoseconds begin = 0) {
  hand_made made;
  made.result.file = name;
  made.result.files[0].file = name;
  made.result.devices[0].uuid.back() = gpu;
  made.launch("gemm", 1, 1);
  made.last_launch().file = name;
  made.warp(0, 0, "consumer", begin, begin + 100'000'000);
  made.wait("wait for data", begin, begin + 40'000'000).work(work, begin + 40'000'000, begin + 90'000'000);
  made.add_point("half", begin + 50'000'000, {}, false);
  return made.result;
}

std::string stage_names(const timeline& of) {
  std::string names;
  for (const stage& one : of.stages) names += one.name + ", ";
  return names;
}

}  // namespace

TEST_CASE("tables of several files become one, and everything refers to its own names") {
  timeline second = file_of("b.bin", '1', "store");
  second.launches[0].warps[0].odd.push_back({.stage = 1, .unmatched = 2, .cut = 0, .open = 0});
  const timeline merged = merge_timelines({file_of("a.bin", '1', "load"), std::move(second)});
  CHECK(stage_names(merged) == "wait for data, load, store, ");
  CHECK(merged.file == "a.bin, b.bin");
  REQUIRE(merged.launches.size() == 2);
  REQUIRE(merged.devices.size() == 1);
  REQUIRE(merged.files.size() == 2);
  CHECK(merged.files[1].file == "b.bin");
  CHECK(merged.files[1].device == 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const warp_timeline& warp = merged.launches[i].warps.at(0);
    CHECK(merged.roles.at(warp.role) == "consumer");
    CHECK(merged.stages.at(warp.ranges.at(0).stage).name == "wait for data");
    CHECK(merged.stages.at(warp.ranges.at(1).stage).name == (i == 0 ? "load" : "store"));
    CHECK(merged.points.at(warp.points.at(0).name).name == "half");
  }
  CHECK(merged.stages.at(merged.launches[1].warps[0].odd.at(0).stage).name == "store");
  // Both are launches of one kernel, but what two files have is reported apart.
  const report made = make_report(merged);
  REQUIRE(made.launches.size() == 2);
  CHECK(made.launches[1].file == "b.bin");
  CHECK(made.launches[1].is_of_several);
}

TEST_CASE("files of one GPU are put together by its timer, to the picosecond") {
  timeline first = file_of("a.bin", '1', "load");
  timeline second = file_of("b.bin", '1', "load");
  first.devices[0].timer_zero_ns = 1'700'000'000'000'000'000;
  first.devices[0].timer_zero_rest_ps = 900;
  second.devices[0].timer_zero_ns = 1'700'000'000'000'250'000;
  second.devices[0].timer_zero_rest_ps = 100;
  second.devices[0].host_clock = clock_at(0, 50);  // has no say
  const timeline merged = merge_timelines({first, second});
  CHECK(merged.launches.at(1).begin == 249'999'200);
  CHECK(merged.launches[1].warps.at(0).ranges.at(1).end == 249'999'200 + 90'000'000);
  CHECK(merged.devices[0].alignment_error_ns == 0.0);
  CHECK(merged.warnings.empty());

  // Named the other way round, the earlier one begins at zero all the same.
  const timeline turned = merge_timelines({second, first});
  CHECK(turned.launches.at(0).begin == 249'999'200);
  CHECK(turned.launches.at(1).begin == 0);
}

TEST_CASE("GPUs of one host are put together by its clock, with the drift between them") {
  timeline first = file_of("a.bin", '1', "load");
  timeline second = file_of("b.bin", '2', "load", 1'000'000'000'000);  // a second behind its zero
  first.devices[0].host_clock = clock_at(0, 10, 500);
  second.devices[0].host_clock = clock_at(2'000'000, -30, 700);
  const timeline merged = merge_timelines({first, second});
  REQUIRE(merged.devices.size() == 2);
  CHECK(merged.devices[0].alignment_error_ns == 0.0);
  CHECK(merged.devices[1].alignment_error_ns == 1200.0);
  CHECK(merged.launches.at(1).device == 1);
  // Its second is 1 - 30 ppm of the host's, and that is so much less 10 ppm of the first GPU's; so are the 2 ms.
  const double expected = 1e12 * (1 - 30e-6) / (1 + 10e-6) + 2e9 / (1 + 10e-6);
  CHECK(std::abs(static_cast<double>(merged.launches[1].begin) - expected) < 2);
  const range& work = merged.launches[1].warps.at(0).ranges.at(1);
  CHECK(std::abs(static_cast<double>(work.end - work.begin) - 50'000'000 * (1 - 40e-6)) < 2);
  CHECK(work.self <= work.end - work.begin);
  CHECK(work.self >= 0);
  CHECK(merged.warnings.empty());

  // Two launches of one name on two GPUs are reported apart, with their devices.
  const report made = make_report(merged);
  REQUIRE(made.launches.size() == 2);
  CHECK(made.launches[1].gpu_number == 1u);
}

TEST_CASE("a GPU in several files is tied to others by the file that knows it best") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '2', "load"),
           third = file_of("c.bin", '2', "load");
  first.devices[0].host_clock = clock_at(0, 0, 500);
  second.devices[0].host_clock = clock_at(1000, 0, 9000);
  second.devices[0].timer_zero_ns = 1'000'000;
  third.devices[0].host_clock = clock_at(500'000, 0, 300);
  third.devices[0].timer_zero_ns = 1'400'000;
  const timeline merged = merge_timelines({first, second, third});
  REQUIRE(merged.devices.size() == 2);
  CHECK(merged.devices[1].alignment_error_ns == 800.0);
  CHECK(merged.launches.at(2).begin == 500'000'000);
  CHECK(merged.launches.at(1).begin == 100'000'000);
}

TEST_CASE("far from the launches that tied a GPU to its host, the doubt about the drift counts") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '2', "load"),
           third = file_of("c.bin", '2', "load");
  first.devices[0].host_clock = clock_at(0, 0, 500);
  second.devices[0].host_clock = clock_at(0, 0, 500);
  second.devices[0].host_clock->drift_error_ppm = 2;
  third.devices[0].timer_zero_ns = 10'000'000'000;  // 10 s later, with no clock of its own
  const timeline merged = merge_timelines({first, second, third});
  REQUIRE(merged.devices.at(1).alignment_error_ns.has_value());
  CHECK(std::abs(*merged.devices[1].alignment_error_ns - (1000 + 10e9 * 2e-6)) < 1);
  // That of two files with a clock which knows the drift better is asked.
  third.devices[0].host_clock = clock_at(10'000'000'000, 0, 800);
  third.devices[0].host_clock->drift_error_ppm = 0.1;
  CHECK(std::abs(*merge_timelines({first, second, third}).devices.at(1).alignment_error_ns - (1300 + 10e9 * 0.1e-6)) <
        1);
}

TEST_CASE("a copy of a file beside it is warned of") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '1', "load");
  first.devices[0].timer_zero_ns = second.devices[0].timer_zero_ns = 5;
  const timeline twice = merge_timelines({first, second});
  REQUIRE(twice.warnings.size() == 1);
  CHECK(twice.warnings[0].find("b.bin has launches that a.bin has too") == 0);
  second.devices[0].timer_zero_ns = 1'000'000;
  CHECK(merge_timelines({first, second}).warnings.empty());
}

TEST_CASE("a GPU's timer is not the same after its host was started anew") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '1', "load");
  first.devices[0].host_clock = clock_at(0);
  second.devices[0].host_clock = clock_at(0);
  second.devices[0].host_clock->boot_id = "another boot";
  const timeline merged = merge_timelines({first, second});
  CHECK(merged.devices.size() == 2);
  CHECK_FALSE(merged.devices.at(1).alignment_error_ns.has_value());
}

TEST_CASE("an alignment that is worse than the launches are long says so") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '2', "load");
  first.devices[0].host_clock = clock_at(0, 0, 60'000);
  second.devices[0].host_clock = clock_at(0, 0, 60'000);
  const timeline merged = merge_timelines({first, second});
  REQUIRE(merged.warnings.size() == 1);
  CHECK(merged.warnings[0].find("device 1 (NVIDIA H200): its times may be off from device 0's by 120 us, which is more "
                                "than the shortest launch lasts (100 us)") == 0);
}

TEST_CASE("GPUs of different hosts, or of files without a host's clock, are put side by side and said to be") {
  timeline first = file_of("a.bin", '1', "load"), second = file_of("b.bin", '2', "load");
  first.devices[0].host_clock = clock_at(0);
  second.devices[0].host_clock = clock_at(7'000'000);
  second.devices[0].host_clock->boot_id = "another boot";
  second.devices[0].host_clock->realtime_offset_ns += 3'000'000;
  const auto check = [&](picoseconds begin) {
    const timeline merged = merge_timelines({first, second});
    CHECK(merged.launches.at(1).begin == begin);
    CHECK_FALSE(merged.devices.at(1).alignment_error_ns.has_value());
    REQUIRE(merged.warnings.size() == 1);
    CHECK(merged.warnings[0].find("clocks of day, whose error nobody knows") != std::string::npos);
  };
  check(10'000'000'000);
  for (timeline* file : {&first, &second}) file->devices[0].host_clock->boot_id.clear();
  check(10'000'000'000);
  first.devices[0].host_clock.reset();
  second.devices[0].host_clock.reset();
  first.launches[0].host_time_ns = 1'700'000'000'000'000'000;
  second.launches[0].host_time_ns = 1'700'000'000'000'004'000;
  check(4'000'000);
}

TEST_CASE("files that have no device, no launch or no GPU that is known are merged") {
  timeline empty;
  empty.file = "empty.bin";
  CHECK(merge_timelines({empty, empty}).launches.empty());
  timeline unknown = file_of("u.bin", '1', "load");
  unknown.devices[0].uuid = "GPU-00000000-0000-0000-0000-000000000000";
  const timeline merged = merge_timelines({empty, unknown, unknown});
  CHECK(merged.devices.size() == 2);
  CHECK(merged.launches.size() == 2);
  timeline none_known = file_of("n.bin", '1', "load");
  none_known.launches[0].device = none;
  none_known.devices.clear();
  none_known.files.clear();
  CHECK(merge_timelines({none_known, unknown}).launches.at(0).device == none);
}

TEST_CASE("no stretching turns an order around or lets ranges leave each other") {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 2000; ++trial) {
    const time_shift by{static_cast<picoseconds>(random() % 1'000'000) - 500'000,
                        static_cast<double>(static_cast<std::int64_t>(random() % 200) - 100) * 1e-6};
    const auto a = static_cast<picoseconds>(random() % 1'000'000'000'000);
    const auto b = a + static_cast<picoseconds>(random() % 3);
    REQUIRE(by(a) <= by(b));
    REQUIRE(std::abs(static_cast<double>(by(a) - a - by.shift) - by.rate * static_cast<double>(a)) <= 0.5);
  }
}
