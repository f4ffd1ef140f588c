// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Where warps stand: of a kernel that hangs, of one that failed, and of one that only left warps unclosed.
#include <catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "golden.hpp"
#include "hand_made.hpp"
#include "hang_trace.hpp"
#include "limits.hpp"
#include "merge_timelines.hpp"
#include "report.hpp"
#include "report_csv.hpp"
#include "report_json.hpp"
#include "report_markdown.hpp"
#include "report_text.hpp"
#include "standing.hpp"
#include "standing_text.hpp"
#include "terminal_text.hpp"

namespace iket::test {
namespace {

using synthetic::lacking;

constexpr picoseconds second = 1'000'000'000'000;

timeline timeline_of(const synthetic::trace& trace, const std::string& name = "hang.bin") {
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  REQUIRE(std::get<trace_view>(read).damages.empty());
  return build_timeline(std::get<trace_view>(read), name);
}

std::string text_of(const timeline& of, std::size_t columns = 300) {
  return report_text(make_report(of), {columns, false});
}

/// The lines of all its launches, in words.
std::vector<std::string> lines_of(const timeline& of) {
  std::vector<std::string> lines;
  for (const launch_report& launch : make_report(of).launches)
    for (const launch_standing& one : launch.standing)
      for (const standing_line& line : one.lines) lines.push_back(line_text(line));
  return lines;
}

using lines = std::vector<std::string>;

std::string findings_of(const timeline& of) {
  std::string text;
  for (const launch_report& launch : make_report(of).launches)
    for (const finding& one : launch.findings) text += one.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("the reports of a hang are as recorded, and no line is longer than it may be") {
  const timeline hang = timeline_of(sample_hang().trace);
  check_golden("hang_100.txt", text_of(hang, 100));
  check_golden("hang_80.txt", text_of(hang, 80));
  check_golden("hang.md", report_markdown(report_json(make_report(hang))));
  for (const std::size_t columns : {60, 80, 100, 120}) {
    std::istringstream text(text_of(hang, columns));
    for (std::string line; std::getline(text, line);) CHECK(display_width(line) <= columns);
  }
}

TEST_CASE("where the warps stand is printed before anything else") {
  hang_trace made;
  const std::string text = text_of(timeline_of(made.running(made.warps_of(132), 132).trace));
  CHECK(lacking(text, {"ws_gemm: where its warps stood at the snapshot, 5.00 s after it began\n"
                       "> 132 CTAs x 4 consumer warps in 'wait for data' (ws_gemm.cu:88), payload 17, for 5.00 s\n"
                       "> 132 CTAs x 1 producer warp in 'wait for free slot' (ws_gemm.cu:65), last payload 17 of "
                       "'load tile', for 5.00 s\n"}) == "");
  CHECK(text.starts_with("ws_gemm: where"));
}

TEST_CASE("Markdown, CSV and JSON have it too") {
  const std::string json = report_json(make_report(timeline_of(sample_hang().trace)));
  CHECK(report_markdown(json).starts_with("# IKET report\n\n## Where the warps stand\n\n### ws\\_gemm: where its"));
  CHECK(lacking(report_csv(json), {",standing,1,wait for data,payload_min,16\n", ",unended,1,,state,running\n"}) == "");
  CHECK(lacking(json, {"\"place\": \"in range\"", "\"stage\": \"wait for data\"", "\"payload_max\": 17"}) == "");
}

TEST_CASE("a snapshot is put on the time line by the host's clock, and open ranges end there") {
  hang_trace made;
  made.running(made.warps_of(4), 4);
  const timeline hang = timeline_of(made.trace);
  const launch& of = hang.launches.at(0);
  REQUIRE(of.snapshot);
  // The zero is the first opening; two brackets of 2 us, 20 ms apart, leave 100 ppm at worst, over 5 s.
  CHECK(std::abs(static_cast<double>(of.snapshot->time - 5 * second)) <= 1000 * of.snapshot->error_ns);
  CHECK(of.snapshot->error_ns < 5e9 * 100e-6 + 1e6 + 10e3);
  CHECK(of.snapshot->error_ns > 1e6);  // as long as the copies took
  CHECK(of.end == of.snapshot->time);
  for (const warp_timeline& warp : of.warps) {
    CHECK(warp.close == of.snapshot->time);
    CHECK(warp.unobserved == of.snapshot->time);
    CHECK(warp.last_event < 100'000'000);
    REQUIRE(warp.ranges.back().state == range_state::open);
    CHECK(warp.ranges.back().end == of.snapshot->time);
    CHECK(warp.ranges.back().self == of.snapshot->time - warp.ranges.back().begin);
  }
}

TEST_CASE("without a pair behind the records, times are within what is stated, whatever the clock ran at") {
  for (const double ghz : {1.98, 1.755, 1.2}) {
    INFO(ghz);
    hang_trace made;
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < 4; ++cta) {
      warps.push_back(made.warp_at(cta, 1));
      // Each step is below 2^32 cycles, all together are not.
      const std::uint64_t first = warps.back().open.cycles;
      for (const double at : {0.9e9, 1.8e9, 2.7e9, 3.4e9})
        warps.back().log.event(record_kind::range_begin, made.wait_data, first + static_cast<std::uint64_t>(at * ghz));
    }
    const report found = make_report(timeline_of(made.running(warps, 4).trace));
    const standing_line& line = found.launches.at(0).standing.at(0).lines.at(0);
    REQUIRE(line.error_ns);
    CHECK(std::abs(static_cast<double>(line.longest) / 1000 - 1.6e9) <= *line.error_ns);
    CHECK((ghz != 1.98 || std::abs(static_cast<double>(line.longest) / 1000 - 1.6e9) < 10e6));
  }
}

TEST_CASE("of nested open ranges the innermost counts, and has the time to itself") {
  hang_trace made;
  synthetic::warp warp = made.warp_at(0, 1);
  warp.log.event(record_kind::push, made.compute, hang_trace::pair_at(1000).cycles, payload_type::u64, 1ull << 60);
  warp.log.event(record_kind::token_begin, made.load, hang_trace::pair_at(1500).cycles, payload_type::f32, 0x40200000);
  warp.log.event(record_kind::range_begin, made.wait_slot, hang_trace::pair_at(2000).cycles);
  made.running({warp}, 1);
  const timeline hang = timeline_of(made.trace);
  CHECK(lines_of(hang) == lines{"1 consumer warp in 'wait for free slot' (ws_gemm.cu:65), last payload 2.5 of 'load "
                                "tile', for 5.00 s (CTA 0,0,0 warp 1)"});
  const std::vector<range>& ranges = hang.launches[0].warps[0].ranges;
  REQUIRE(ranges.size() == 3);
  CHECK(std::abs(ranges[0].self - 1'000'000) < 50'000);  // up to the wait
  CHECK(ranges[1].self == ranges[1].end - ranges[1].begin);
  CHECK(ranges[2].self == ranges[2].end - ranges[2].begin);
}

TEST_CASE("a token is where a warp stands that has nothing else open") {
  hang_trace made;
  synthetic::warp warp = made.warp_at(0, 0);
  warp.log.event(record_kind::token_begin, made.load, hang_trace::pair_at(1000).cycles, payload_type::i64,
                 static_cast<std::uint64_t>(-5));
  made.running({warp}, 1);
  CHECK(lines_of(timeline_of(made.trace)) ==
        lines{"1 producer warp in 'load tile' (ws_gemm.cu:68), payload -5, for 5.00 s (CTA 0,0,0 warp 0)"});
}

TEST_CASE("of a warp in a range it is told what came last there: a mark, or a range that ended") {
  hang_trace made;
  const std::uint32_t mark = made.trace.site(iket::site_kind::mark, "about to fail", "a.cu", 7);
  const auto at = [](std::uint64_t ns) { return hang_trace::pair_at(ns).cycles; };
  std::vector<synthetic::warp> warps;
  for (std::uint32_t number = 0; number < 4; ++number) {
    warps.push_back(made.warp_at(0, number));
    warps.back().log.event(record_kind::mark, mark, at(50));  // before the range
    warps.back().log.event(record_kind::push, made.load, at(100));
  }
  warps[1].log.event(record_kind::mark, mark, at(200));
  warps[2].log.event(record_kind::mark, mark, at(200));
  warps[2].log.event(record_kind::range_begin, made.wait_data, at(300));
  warps[2].log.event(record_kind::range_end, made.wait_data, at(400));
  warps[3].log = warps[2].log;
  warps[3].log.event(record_kind::range_begin, made.wait_slot, at(500));  // nothing came in that
  const timeline hang = timeline_of(made.running(warps, 1).trace);
  CHECK(
      lines_of(hang) ==
      lines{
          "1 consumer warp in 'wait for free slot' (ws_gemm.cu:65), for 5.00 s (CTA 0,0,0 warp 3)",
          "1 producer warp in 'load tile' (ws_gemm.cu:68), for 5.00 s (CTA 0,0,0 warp 0)",
          "1 consumer warp in 'load tile' (ws_gemm.cu:68), for 5.00 s (CTA 0,0,0 warp 1); last in it: the mark 'about "
          "to fail' (a.cu:7)",
          "1 consumer warp in 'load tile' (ws_gemm.cu:68), for 5.00 s (CTA 0,0,0 warp 2); last in it: 'wait for "
          "data' (ws_gemm.cu:88), which ended"});
  const std::string json = report_json(make_report(hang));
  CHECK(lacking(json, {"\"stage\": \"about to fail\"", "\"after\": null"}) == "");
  CHECK(lacking(report_csv(json), {",standing,4,load tile,after.stage,wait for data\n"}) == "");
}

TEST_CASE("a counter is told as one, in a range and between ranges") {
  hang_trace made;
  const std::uint32_t counter = made.trace.site(iket::site_kind::counter, "depth", "a.cu", 9);
  std::vector<synthetic::warp> warps{made.warp_at(0, 0), made.warp_at(0, 1)};
  warps[0].log.event(record_kind::push, made.load, hang_trace::pair_at(100).cycles);
  for (synthetic::warp& warp : warps)
    warp.log.event(record_kind::counter, counter, hang_trace::pair_at(200).cycles, payload_type::u32, 3);
  const std::string text = text_of(timeline_of(made.running(warps, 1).trace));
  CHECK(lacking(text, {"; last in it: the counter 'depth' (a.cu:9)",
                       "between ranges, after the counter 'depth' (a.cu:9)"}) == "");
}

TEST_CASE("few warps are apart from a crowd in one range also where that came by different events") {
  hang_trace made;
  const std::uint32_t mark = made.trace.site(iket::site_kind::mark, "odd", "a.cu", 7);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t cta = 0; cta < 64; ++cta) {
    warps.push_back(made.warp_at(cta, 1));
    const std::uint32_t place = cta == 40 ? made.wait_slot : made.compute;
    warps.back().log.event(record_kind::push, place, hang_trace::pair_at(1000).cycles);
    if (cta % 2 != 0) warps.back().log.event(record_kind::mark, mark, hang_trace::pair_at(2000).cycles);
  }
  const std::string text = text_of(timeline_of(made.running(warps, 64).trace));
  CHECK(lacking(text, {"! 1 consumer warp in 'wait for free slot'", "> 32 CTAs x 1 consumer warp in 'compute'"}) == "");
}

TEST_CASE("warps between ranges, without a record, that ended, and CTAs that have not begun are told apart") {
  hang_trace made;
  const std::uint32_t mark = made.trace.site(iket::site_kind::mark, "done", "a.cu", 7);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t number = 0; number < 4; ++number) warps.push_back(made.warp_at(2, number));
  warps[0].log.event(record_kind::push, made.load, hang_trace::pair_at(100).cycles, payload_type::u32, 3);
  warps[0].log.event(record_kind::pop, 0, hang_trace::pair_at(200).cycles);
  warps[1].log = warps[0].log;
  warps[1].log.event(record_kind::mark, mark, hang_trace::pair_at(1'000'000'000).cycles, payload_type::boolean, 1);
  warps[2].closed = true;
  warps[2].close = hang_trace::pair_at(3'000'000'000);
  const timeline hang = timeline_of(made.running(warps, 8).trace);
  CHECK(lines_of(hang) ==
        lines{"1 producer warp between ranges, after 'load tile' (ws_gemm.cu:68) ended, last payload 3 "
              "of 'load tile', for up to 5.00 s (CTA 2,0,0 warp 0)",
              "1 consumer warp between ranges, after the mark 'done' (a.cu:7), last payload true of "
              "'done', for up to 4.00 s (CTA 2,0,0 warp 1)",
              "1 consumer warp with no record yet, for 5.00 s (CTA 2,0,0 warp 3)",
              "1 consumer warp at the end, with the recorder closed, for 2.00 s (CTA 2,0,0 warp 2)"});
  CHECK(lacking(text_of(hang), {"1 further warp of these CTAs made no recorder: not there yet, or never",
                                "7 CTAs had not begun, or made no recorder"}) == "");
}

TEST_CASE("a warp whose full ring keeps the first records stands nobody knows where") {
  hang_trace made;
  const std::size_t place = made.trace.launch("k", 1, 5, 16, {made.consumer(0, 1)}, true);
  made.trace.content.launches[place].info.flags |= iket::file::launch_running;
  made.trace.read_timer({0, 1'000'000});
  made.trace.look(1'000'000'000, 1'000'000'000);
  const timeline hang = timeline_of(made.trace);
  CHECK(lines_of(hang) == lines{"1 consumer warp somewhere behind the last record that the ring had room for, for 1.00 "
                                "s (CTA 0,0,0 warp 1)"});
  CHECK(hang.launches[0].warps[0].unobserved < 100'000'000);
  CHECK(std::abs(hang.launches[0].warps[0].close - second) < second / 1000);
}

TEST_CASE("up to three payloads get a line each, more are one line from the smallest to the largest") {
  const auto hang_of = [](std::uint32_t tiles) {
    hang_trace made;
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < 12; ++cta) warps.push_back(made.consumer(cta, 1, 4 + cta % tiles));
    return lines_of(timeline_of(made.running(warps, 12).trace));
  };
  CHECK(hang_of(3) == lines{"4 CTAs x 1 consumer warp in 'wait for data' (ws_gemm.cu:88), payload 4, for 5.00 s (CTA "
                            "0,0,0 warp 1, CTA 3,0,0 warp 1, CTA 6,0,0 warp 1, CTA 9,0,0 warp 1)",
                            "4 CTAs x 1 consumer warp in 'wait for data' (ws_gemm.cu:88), payload 5, for 5.00 s (CTA "
                            "1,0,0 warp 1, CTA 4,0,0 warp 1, CTA 7,0,0 warp 1, CTA 10,0,0 warp 1)",
                            "4 CTAs x 1 consumer warp in 'wait for data' (ws_gemm.cu:88), payload 6, for 5.00 s (CTA "
                            "2,0,0 warp 1, CTA 5,0,0 warp 1, CTA 8,0,0 warp 1, CTA 11,0,0 warp 1)"});
  CHECK(
      hang_of(4) ==
      lines{
          "12 CTAs x 1 consumer warp in 'wait for data' (ws_gemm.cu:88), payload 4 (3 warps) to 7 (3 warps), for 5.00 "
          "s"});
}

TEST_CASE("few warps apart from their role come first; many such places are a kernel at work") {
  const auto first_of = [](std::uint32_t strays) {
    hang_trace made;
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < 64; ++cta) warps.push_back(made.consumer(cta, 1, cta < strays ? cta % 3 : 9));
    const report found = make_report(timeline_of(made.running(warps, 64).trace));
    return found.launches.at(0).standing.at(0).lines;
  };
  const std::vector<standing_line> few = first_of(2);
  REQUIRE(few.size() == 3);
  CHECK(few[0].apart);
  CHECK(few[0].least.bits == 0);
  CHECK(few[1].apart);
  CHECK((!few[2].apart && few[2].warps == 62));
  for (const standing_line& line : first_of(16)) CHECK(!line.apart);
}

TEST_CASE("warps at work come before those that wait, which are more") {
  hang_trace made;
  std::vector<synthetic::warp> warps = made.warps_of(4);
  for (std::size_t i = 0; i < warps.size(); i += 5) {
    warps[i].log.event(record_kind::range_end, made.wait_slot, hang_trace::pair_at(40'000).cycles);
    warps[i].log.event(record_kind::range_begin, made.load, hang_trace::pair_at(41'000).cycles);
  }
  const lines found = lines_of(timeline_of(made.running(warps, 4).trace));
  REQUIRE(found.size() == 2);
  CHECK(
      found[0].starts_with("4 CTAs x 1 producer warp in 'load tile' (ws_gemm.cu:68), last payload 17 of 'load tile'"));
  CHECK(found[1].starts_with("4 CTAs x 4 consumer warps in 'wait for data'"));
}

TEST_CASE("without a snapshot, or what ties it to the GPU's clock, times go to the last record") {
  hang_trace made;
  made.running(made.warps_of(2), 2);
  const auto check = [&](const std::string& title) {
    const timeline hang = timeline_of(made.trace);
    CHECK(!hang.launches[0].snapshot);
    CHECK(hang.launches[0].end < 100'000'000);
    CHECK(lacking(text_of(hang), {title,
                                  "2 CTAs x 4 consumer warps in 'wait for data' (ws_gemm.cu:88), payload 17, "
                                  "for "}) == "");
  };
  made.trace.content.host_clocks.clear();
  check("at the snapshot; times to its last record, 27.1 us");
  made.trace.read_timer({0});
  made.trace.content.snapshots.clear();
  check("at the snapshot; times to its last record, 27.1 us");
}

TEST_CASE("of a launch that failed, the last records of every warp") {
  hang_trace made;
  std::vector<synthetic::warp> warps = made.warps_of(2);
  warps[7].log.event(record_kind::range_end, made.wait_data, hang_trace::pair_at(1'000'000).cycles);
  const timeline crash = timeline_of(made.failed(warps, 3).trace);
  const std::string text = text_of(crash);
  CHECK(
      text.starts_with("ws_gemm: where its warps stood when a kernel failed; times to its last record, 1.00 ms after"));
  CHECK(lacking(text, {"1 consumer warp between ranges, after 'wait for data' (ws_gemm.cu:88) ended, last payload 17",
                       "for 0 ns (CTA 1,0,0 warp 2)", "1 CTA had not begun, or made no recorder"}) == "");
  CHECK(lacking(findings_of(crash), {"the launch had not ended when a kernel failed, perhaps another one"}) == "");
}

TEST_CASE("warps whose records a cut file lacks are not told as warps that had not begun") {
  hang_trace made;
  timeline hung = timeline_of(made.running(made.warps_of(2), 2).trace);
  launch& one = hung.launches.at(0);
  const std::size_t all = one.warps.size();
  REQUIRE(one.warps_opened == all);
  one.warps.resize(all / 2);
  CHECK(lacking(text_of(hung), {"the records of " + std::to_string(all - all / 2) + " warps are missing from the file",
                                "1 CTA without any record here"}) == "");
  one.warps.clear();
  const std::string text = text_of(hung);
  CHECK(text.starts_with("ws_gemm: where its warps stood is not known: their records are missing from the file\n"));
  CHECK(text.find("not begun") == std::string::npos);
}

TEST_CASE("a launch that has not begun is told in one line, also many of them") {
  hang_trace made;
  made.running(made.warps_of(2), 2);
  made.not_begun("behind it", 5);
  const std::string text = text_of(timeline_of(made.trace));
  CHECK(lacking(text,
                {"behind it (5 launches, grid 2 x 1 x 1): they had not begun at the snapshot, or no warp of them had "
                 "made a recorder\n"}) == "");
  CHECK(text.find("further launch") == std::string::npos);
  const std::string json = report_json(make_report(timeline_of(made.trace)));
  CHECK(lacking(json, {"\"not_begun\": 5", "\"begun\": false"}) == "");
  CHECK(lacking(report_markdown(json), {"### behind it \\(launch 2, grid 2, 1, 1\\): it had not begun at the snapshot",
                                        "- 5 launches in all\n"}) == "");
}

TEST_CASE("launches that had not begun are not told to stand where others of their kernel do") {
  hang_trace made;
  made.running(made.warps_of(2), 2);
  made.not_begun("ws_gemm", 3);
  const std::string text = text_of(timeline_of(made.trace));
  CHECK(text.starts_with("ws_gemm (launch 1, grid 2 x 1 x 1): where its warps stood at the snapshot, 5.00 s after"));
  CHECK(lacking(text, {"ws_gemm (3 launches, grid 2 x 1 x 1): they had not begun at the snapshot"}) == "");
  CHECK(text.find("the same of") == std::string::npos);
}

TEST_CASE("a heading names the launch and its grid where launches of one kernel stand, also of different grids") {
  hang_trace made;
  made.running(made.warps_of(2), 2).also_running(made.warps_of(1), 1);
  const timeline hang = timeline_of(made.trace);
  CHECK(lacking(text_of(hang),
                {"ws_gemm (launch 1, grid 2 x 1 x 1): where", "ws_gemm (launch 2, grid 1 x 1 x 1): where"}) == "");
  CHECK(lacking(report_markdown(report_json(make_report(hang))),
                {"### ws\\_gemm \\(launch 1, grid 2, 1, 1\\): where",
                 "### ws\\_gemm \\(launch 2, grid 1, 1, 1\\): where"}) == "");
}

TEST_CASE("launches and lines are limited apart, and those that had not ended come first") {
  hang_trace made;
  // Warps left unclosed by kernels that ended: as many as a report has room for.
  std::vector<synthetic::warp> left{made.warp_at(0, 0)};
  left[0].log.event(record_kind::range_begin, made.load, hang_trace::pair_at(100).cycles);
  constexpr std::uint32_t kinds = 8;
  for (std::uint32_t i = 0; i < kinds * limits::standing_launches; ++i)
    made.trace.launch("ended", 1 + i % kinds, 5, 16, left);
  made.running(made.warps_of(2), 2);
  const report found = make_report(timeline_of(made.trace));
  CHECK(found.launches.back().standing.at(0).lines.size() == 2);
  CHECK(report_text(found, {300, false}).starts_with("ws_gemm: where its warps stood at the snapshot"));
  CHECK(std::any_of(found.launches.begin(), found.launches.end(),
                    [](const launch_report& one) { return one.launches_running == 0 && one.standing_left_out != 0; }));
  CHECK(report_markdown(report_json(found)).find("more of this kernel had not ended") == std::string::npos);
  std::size_t launches = 0;
  for (const launch_report& one : found.launches) launches += one.standing.size();
  CHECK(launches == limits::standing_lines_of_report - 1);  // a line each, and two of the one that hangs

  // More launches of one kind than there is room for, of one line and of two: the others are counted.
  const auto check = [](std::uint32_t warps, std::size_t told) {
    hang_trace many;
    std::vector<synthetic::warp> all = many.warps_of(1);
    all.resize(warps);
    many.running(all, 1);
    for (std::uint32_t i = 1; i < limits::standing_launches + 7; ++i) many.also_running(all, 1);
    const report limited = make_report(timeline_of(many.trace));
    REQUIRE(limited.launches.size() == 1);
    CHECK(limited.launches[0].standing.size() == told);
    CHECK(limited.launches[0].standing_left_out == limits::standing_launches + 7 - told);
    for (const launch_standing& one : limited.launches[0].standing) CHECK(one.lines.size() == warps);
    const std::string text = std::to_string(limits::standing_launches + 7 - told) + " launches more had not ended";
    CHECK(lacking(report_text(limited, {300, false}), {text}) == "");
    const std::size_t place = many.trace.launch("ws_gemm", 1, 5, 128, {});
    many.trace.content.launches[place].info.flags |= iket::file::launch_running;
    const report with_waiting = make_report(timeline_of(many.trace));
    REQUIRE(with_waiting.launches[0].launches_not_begun == 1);
    const std::string waits = "1 launch, grid 1 x 1 x 1): it had not begun at the snapshot";
    if (told == limits::standing_launches)
      CHECK(lacking(report_text(with_waiting, {300, false}), {"ws_gemm (" + waits}) == "");
    CHECK(lacking(report_markdown(report_json(with_waiting)),
                  {"more of this kernel had not ended", "grid 1, 1, 1\\): it had not begun at the snapshot"}) == "");
  };
  check(1, limits::standing_launches);
  check(2, limits::standing_lines / 2);
}

TEST_CASE("a straggler among many payloads is named") {
  hang_trace made;
  std::vector<synthetic::warp> warps;
  for (std::uint32_t cta = 0; cta < 64; ++cta) warps.push_back(made.consumer(cta, 1, cta == 37 ? 2 : 10 + cta % 8));
  const timeline hang = timeline_of(made.running(warps, 64).trace);
  CHECK(lines_of(hang) == lines{"64 CTAs x 1 consumer warp in 'wait for data' (ws_gemm.cu:88), payload 2 (1 warp: CTA "
                                "37,0,0 warp 1) to 17 (8 warps), for 5.00 s"});
  const standing_line line = make_report(hang).launches.at(0).standing.at(0).lines.at(0);
  CHECK((line.least_part.warps == 1 && line.least_part.first.cta[0] == 37));
  CHECK((line.most_part.warps == 8 && line.most_part.first.cta[0] == 7));
}

TEST_CASE("a single warp of a small role is apart from two others that stand together, not from one") {
  const auto apart_of = [](std::uint32_t all) {
    hang_trace made;
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < all; ++cta) warps.push_back(made.consumer(cta, 1, cta == 0 ? 3 : 9));
    const report found = make_report(timeline_of(made.running(warps, all).trace));
    const std::vector<standing_line>& lines = found.launches.at(0).standing.at(0).lines;
    REQUIRE(lines.size() == 2);
    CHECK(!lines[1].apart);
    return lines[0].apart && lines[0].warps == 1;
  };
  CHECK(!apart_of(2));
  CHECK(apart_of(3));
  CHECK(apart_of(5));
  CHECK(apart_of(20));
}

TEST_CASE("a ring that has wrapped may have lost the begin of a range: its warp is not said to be between ranges") {
  hang_trace made;
  synthetic::warp warp = made.warp_at(0, 1);
  warp.log.event(record_kind::push, made.compute, hang_trace::pair_at(10).cycles);
  for (std::uint32_t i = 0; i < 40; ++i) {
    warp.log.event(record_kind::range_begin, made.wait_data, hang_trace::pair_at(100 + 100 * i).cycles);
    warp.log.event(record_kind::range_end, made.wait_data, hang_trace::pair_at(150 + 100 * i).cycles);
  }
  const auto hang_of = [&](std::uint32_t capacity) {
    hang_trace one;
    return timeline_of(one.running({warp}, 1, capacity).trace);
  };
  CHECK(lines_of(hang_of(128)) == lines{"1 consumer warp in 'compute' (ws_gemm.cu:92), for 5.00 s (CTA 0,0,0 warp 1); "
                                        "last in it: 'wait for data' (ws_gemm.cu:88), which ended"});
  const timeline wrapped = hang_of(16);
  const lines found = lines_of(wrapped);
  REQUIRE(found.size() == 1);
  CHECK(
      found[0].starts_with("1 consumer warp in no range that the ring still shows, after 'wait for data' "
                           "(ws_gemm.cu:88) ended, for "));
  const std::string json = report_json(make_report(wrapped));
  CHECK(lacking(json, {"\"may_be_in_range\": true", "whether it is in one is not known"}) == "");
}

TEST_CASE("launches that had not ended are reported apart from those of the same kernel that had") {
  hang_trace made;
  std::vector<synthetic::warp> done = made.warps_of(2);
  for (synthetic::warp& warp : done) {
    warp.closed = true;
    warp.close = hang_trace::pair_at(40'000);
  }
  made.trace.launch("ws_gemm", 2, 5, 128, done);
  made.running(made.warps_of(2), 2);
  const report found = make_report(timeline_of(made.trace));
  REQUIRE(found.launches.size() == 2);
  CHECK(found.launches[0].launches_running == 0);
  CHECK(found.launches[0].standing.empty());
  CHECK(found.launches[1].launches_running == 1);
  CHECK(found.launches[1].standing.at(0).launch == 2);
}

TEST_CASE("a drained trace whose warps did not close is no hang: nothing of it comes first") {
  hang_trace made;
  std::vector<synthetic::warp> warps{made.warp_at(0, 0), made.warp_at(0, 1)};
  warps[0].log.event(record_kind::range_begin, made.load, hang_trace::pair_at(100).cycles);
  warps[0].log.event(record_kind::range_end, made.load, hang_trace::pair_at(200).cycles);
  warps[1].closed = true;
  warps[1].close = hang_trace::pair_at(9'000);
  made.trace.launch("k", 1, 2, 16, warps);
  const std::string between = text_of(timeline_of(made.trace));
  CHECK(between.starts_with("k\n"));
  CHECK(between.find("stood") == std::string::npos);
  CHECK(between.find("last records") == std::string::npos);
  CHECK(lines_of(timeline_of(made.trace)).size() == 2);  // reports for programs have it

  warps[0].log.event(record_kind::range_begin, made.load, hang_trace::pair_at(300).cycles);
  made.trace.launch("open", 1, 2, 16, warps);
  const std::string open = text_of(timeline_of(made.trace));
  CHECK(open.starts_with("k\n"));
  CHECK(lacking(open, {"where the last records of its warps leave them", "1 producer warp in 'load tile'"}) == "");
  CHECK(lacking(findings_of(timeline_of(made.trace)), {"never closed the recorder (the kernel hung or trapped"}) == "");
}

TEST_CASE("a wrapped ring does not tell how often the clock wrapped: times are so long at most") {
  hang_trace made;
  const auto text = [&](std::uint64_t looked_ns) {
    hang_trace one;
    one.trace.launch("ws_gemm", 1, 5, 16, {made.consumer(0, 1)});
    one.trace.content.launches[0].info.flags |= iket::file::launch_running;
    one.trace.read_timer({0, 20'000'000});
    one.trace.look(looked_ns, looked_ns);
    return text_of(timeline_of(one.trace));
  };
  CHECK(lacking(text(5'000'000'000), {"payload 17, for up to 5.00 s (CTA", "IKET_SYNC there would"}) == "");
  CHECK(lacking(text(2'000'000'000), {"payload 17, for 2.00 s (CTA"}) == "");
}

namespace {

/// A warp whose ring of 16 wraps, that syncs at `sync_ns` where that is not 0, and waits from `waits_ns` on, which is
/// 5.00 s before the snapshot. Another warp has ended, and tells the rate of the clock.
standing_line line_of_wrapped(std::uint64_t sync_ns, std::uint64_t waits_ns) {
  hang_trace made;
  synthetic::warp warp = made.warp_at(0, 1);
  const std::uint64_t first = std::min(sync_ns == 0 ? waits_ns : sync_ns, waits_ns) - 10'000;
  for (std::uint32_t i = 0; i < 20; ++i) {
    warp.log.event(record_kind::range_begin, made.compute, hang_trace::pair_at(first + 100 * i).cycles);
    warp.log.event(record_kind::range_end, made.compute, hang_trace::pair_at(first + 50 + 100 * i).cycles);
  }
  const auto sync = [&] {
    const iket::clock_pair at = hang_trace::pair_at(sync_ns);
    warp.log.sync(at.cycles, at.globaltimer_ns);
  };
  if (sync_ns != 0 && sync_ns < waits_ns) sync();
  warp.log.event(record_kind::range_begin, made.wait_data, hang_trace::pair_at(waits_ns).cycles);
  if (sync_ns > waits_ns) sync();
  synthetic::warp ended = made.warp_at(0, 2);
  ended.closed = true;
  ended.close = hang_trace::pair_at(100'000);
  made.also_running({warp, ended}, 1, 16);
  made.trace.read_timer({0, 20'000'000});
  made.trace.look(waits_ns + 5'000'000'000, waits_ns + 5'000'000'000);
  const report found = make_report(timeline_of(made.trace));
  return found.launches.at(0).standing.at(0).lines.at(0);
}

}  // namespace

TEST_CASE("for how long a warp has stood there holds, with a sync in its ring or without") {
  const auto is_five_seconds = [](picoseconds time) { return std::abs(time - 5 * second) < second / 100; };
  // Behind a sync, whose clock is whole.
  const standing_line behind = line_of_wrapped(4'000'000'000, 4'500'000'000);
  CHECK(is_five_seconds(behind.longest));
  CHECK(!behind.at_most);
  // Without one, nobody knows that the clock had wrapped twice before.
  const standing_line without = line_of_wrapped(0, 4'500'000'000);
  CHECK(without.at_most);
  CHECK(without.longest >= 5 * second - second / 100);
  // Before a sync, with a pause of two wraps in between that no record shows: the time would be too short.
  const standing_line before = line_of_wrapped(5'000'000'000, 600'000'000);
  CHECK(before.at_most);
  CHECK(before.longest >= 5 * second - second / 100);
}

TEST_CASE("where others recorded for long behind a warp's last pair, a pause of its own may have been long, too") {
  hang_trace made;
  std::vector<synthetic::warp> warps{made.consumer(0, 1), made.warp_at(0, 2)};
  const auto text = [&] {
    hang_trace one;
    return text_of(timeline_of(one.running(warps, 1).trace));
  };
  CHECK(lacking(text(), {"payload 17, for 5.00 s (CTA 0,0,0 warp 1)",
                         "times above 2.17 s assume that no warp paused that long between two earlier records"}) == "");
  warps[1].closed = true;
  warps[1].close = hang_trace::pair_at(4'000'000'000);
  CHECK(lacking(text(), {"payload 17, for up to 5.00 s (CTA 0,0,0 warp 1)"}) == "");
}

TEST_CASE("of lines with different doubts in one launch, both are told") {
  hang_trace made;
  std::vector<synthetic::warp> warps{made.consumer(0, 1), made.warp_at(0, 2), made.consumer(0, 3, 4)};
  warps[1].log.event(record_kind::range_begin, made.load, hang_trace::pair_at(20'000).cycles);
  // A ring that has wrapped stands for so long at most.
  for (std::uint32_t i = 0; i < 40; ++i) {
    warps[1].log.event(record_kind::range_begin, made.wait_slot, hang_trace::pair_at(30'000 + 100 * i).cycles);
    warps[1].log.event(record_kind::range_end, made.wait_slot, hang_trace::pair_at(30'050 + 100 * i).cycles);
  }
  const report found = make_report(timeline_of(made.running(warps, 1, 64).trace));
  bool is_at_most = false, assumes_no_pause = false;
  for (const standing_line& line : found.launches.at(0).standing.at(0).lines) {
    is_at_most = is_at_most || line.at_most;
    assumes_no_pause = assumes_no_pause || (line.assumes_no_pause && !line.at_most);
  }
  REQUIRE((is_at_most && assumes_no_pause));
  CHECK(lacking(report_text(found, {300, false}),
                {"up to: nothing in those rings tells how often", "times above 2.17 s assume that no warp"}) == "");
  CHECK(lacking(report_json(found), {"\"assumes_no_pause\": true", "\"assumes_no_pause\": false"}) == "");
}

TEST_CASE("where no payload is, nobody has the smallest or the largest") {
  hang_trace made;
  const std::string json = report_json(make_report(timeline_of(made.running({made.warp_at(0, 1)}, 1).trace)));
  CHECK(lacking(json, {"\"payload_min\": null", "\"payload_min_warps\": 0,", "\"payload_min_first\": null",
                       "\"payload_max_warps\": 0,", "\"payload_max_first\": null"}) == "");
}

TEST_CASE("the cost of events in ranges that are still open is counted, up to the last record") {
  hang_trace made;
  synthetic::warp warp = made.warp_at(0, 1);
  warp.log.event(record_kind::push, made.compute, hang_trace::pair_at(1000).cycles);
  for (std::uint32_t i = 0; i < 50; ++i) {
    warp.log.event(record_kind::range_begin, made.wait_data, hang_trace::pair_at(1000 + 100 * i).cycles);
    warp.log.event(record_kind::range_end, made.wait_data, hang_trace::pair_at(1050 + 100 * i).cycles);
  }
  const report found = make_report(timeline_of(made.running({warp}, 1).trace));
  for (const stage_statistics& stage : found.launches.at(0).stages) {
    if (stage.name != "compute") continue;
    CHECK(stage.count == 0);
    REQUIRE(stage.overhead);
    // Half of its own event and 100 others, 10 cycles each, in 4950 ns at 1.98 GHz.
    CHECK(std::abs(*stage.overhead - 100.5 * 10 / (4950 * 1.98)) < 0.002);
  }
  CHECK(lacking(report_text(found, {300, false}), {" % of the warps' time up to the last records"}) == "");
}

TEST_CASE("no bottleneck is named in a launch that had not ended, and it is said to be partial") {
  const std::string text = findings_of(timeline_of(sample_hang().trace));
  CHECK(text.find("is the bottleneck\n") == std::string::npos);
  CHECK(lacking(text, {"the launch had not ended at the snapshot: all figures are of what the warps had done so far",
                       "660 ranges still open at the snapshot"}) == "");
}

TEST_CASE("a launch of which the file has lost what it was still hung where the file has a snapshot of its device") {
  std::string bytes = sample_hang().trace.bytes();
  bytes.at(bytes.find("LNCH") + 60) ^= 1;
  const auto read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  REQUIRE(std::get<trace_view>(read).damages.size() == 2);
  const timeline hang = build_timeline(std::get<trace_view>(read), "hang.bin");
  CHECK(
      text_of(hang).starts_with("launch 0 (name lost): where its warps stood at the snapshot, 5.00 s after it began"));
  CHECK(findings_of(hang).find("is the bottleneck\n") == std::string::npos);
}

TEST_CASE("a snapshot that its records contradict is not believed") {
  for (const std::int64_t looked_ns : {std::int64_t{500'000}, std::int64_t{-60'000'000'000}}) {
    hang_trace made;
    synthetic::warp warp = made.warp_at(0, 1);
    warp.log.event(record_kind::range_begin, made.wait_data, hang_trace::pair_at(1'000'000).cycles);
    made.also_running({warp}, 1).trace.read_timer({0, 20'000'000});
    made.trace.look(static_cast<std::uint64_t>(looked_ns), static_cast<std::uint64_t>(looked_ns + 100'000));
    const timeline hang = timeline_of(made.trace);
    const bool is_believed = looked_ns > 0;  // a record may come while others are copied
    CHECK(hang.launches.at(0).snapshot.has_value() == is_believed);
    CHECK(hang.warnings.size() == (is_believed ? 0 : 1));
    CHECK(lacking(text_of(hang), {is_believed ? "for 0 ns" : "most of its warps are later than the file's snapshot"}) ==
          "");
  }
}

TEST_CASE("the Chrome trace draws open ranges up to the snapshot, without cycles that nobody counted") {
  hang_trace made;
  made.running({made.consumer(0, 1)}, 1);
  std::string json;
  write_chrome_trace(timeline_of(made.trace),
                     [&](const void* bytes, std::size_t size) { json.append(static_cast<const char*>(bytes), size); },
                     {}, {});
  const std::size_t open = json.find("\"state\":\"open\"");
  REQUIRE(open != std::string::npos);
  const std::string line = json.substr(json.rfind('\n', open), json.find('\n', open) - json.rfind('\n', open));
  CHECK(line.find("\"cycles\"") == std::string::npos);
  const double micros = std::stod(line.substr(line.find("\"dur\":") + 6));
  CHECK(std::abs(micros - 5e6) < 5e6 * 2e-4);
}

TEST_CASE("files that are put together move the snapshot with their launches") {
  hang_trace made;
  made.running(made.warps_of(2), 2);
  synthetic::trace earlier;
  earlier.calibrate();
  earlier.read_timer({0, 20'000'000});
  synthetic::warp warp;
  warp.open = {10, synthetic::trace::timer_epoch_ns - 1'000'000'000};
  warp.close = {200'010, synthetic::trace::timer_epoch_ns - 1'000'000'000 + 100'000};
  earlier.launch("before", 1, 1, 16, {warp});
  std::vector<timeline> files;
  files.push_back(timeline_of(earlier, "earlier.bin"));
  files.push_back(timeline_of(made.trace));
  const timeline merged = merge_timelines(std::move(files));
  const launch& hang = merged.launches.at(1);
  REQUIRE(hang.snapshot);
  CHECK(std::abs(hang.snapshot->time - 6 * second) < second / 100);
  CHECK(hang.snapshot->time == hang.end);
  CHECK(lacking(text_of(merged), {"at the snapshot, 5.00 s after it began"}) == "");
}

TEST_CASE("lines are limited, and what is left out is counted") {
  hang_trace made;
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint32_t at = made.trace.site(iket::site_kind::wait, "wait " + std::to_string(i));
    warps.push_back(made.warp_at(i, 0));
    warps.back().log.event(record_kind::range_begin, at, hang_trace::pair_at(10'000).cycles);
  }
  made.running(warps, 300);
  const timeline hang = timeline_of(made.trace);
  const report found = make_report(hang);
  CHECK(found.launches[0].standing[0].lines.size() == limits::standing_lines);
  CHECK(found.launches[0].standing[0].lines_left_out == 100);
  CHECK(lacking(text_of(hang), {"188 further lines: --report has them", "100 warps at 100 further places left out"}) ==
        "");
}

TEST_CASE("names of a file do nothing where warps stand") {
  hang_trace made;
  const std::uint32_t evil = made.trace.site(iket::site_kind::wait, "\x1b[31m|=1+2<b>`", "a\x1b.cu", 1);
  synthetic::warp warp = made.warp_at(0, 0);
  warp.log.event(record_kind::range_begin, evil, hang_trace::pair_at(10'000).cycles);
  made.running({warp}, 1);
  const report found = make_report(timeline_of(made.trace));
  const std::string json = report_json(found);
  for (const std::string& text : {report_text(found, {100, false}), json, report_markdown(json), report_csv(json)})
    CHECK(text.find('\x1b') == std::string::npos);
  CHECK(report_markdown(json).find("<b>") == std::string::npos);
}

}  // namespace iket::test
