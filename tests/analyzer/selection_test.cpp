// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <array>

#include "build_timeline.hpp"
#include "hand_made.hpp"
#include "report.hpp"
#include "selection.hpp"
#include "synthetic.hpp"

namespace iket::test {
namespace {

selection made_of(cta_choice choice, std::uint32_t stride, std::uint32_t first = 0, std::uint32_t last = 0,
                  std::array<std::uint32_t, 3> cluster = {1, 1, 1}) {
  return {choice, stride, first, last, cluster, all_warps};
}

TEST_CASE("which CTAs were traced, in words") {
  CHECK(cta_text(selection{}, 64).empty());
  CHECK(cta_text(made_of(cta_choice::every, 4), 16) == "every 4th CTA");
  CHECK(cta_text(made_of(cta_choice::every, 4, 0, 0, {2, 1, 1}), 16) == "every 4th cluster");
  CHECK(cta_text(made_of(cta_choice::every, 1, 0, 0, {2, 1, 1}), 16).empty());
  CHECK(cta_text(made_of(cta_choice::range, 1, 8, 16), 8) == "CTAs 8 to 15");
  CHECK(cta_text(made_of(cta_choice::range, 1, 8, 9), 1) == "CTA 8");
  CHECK(cta_text(made_of(cta_choice::range, 1, 8, 8), 0) == "no CTAs");
  CHECK(cta_text(made_of(cta_choice::range, 2, 8, 16), 4) == "every 2nd CTA of CTAs 8 to 15");
  CHECK(cta_text(made_of(cta_choice::list, 1), 3) == "3 listed CTAs");
  CHECK(cta_text(made_of(cta_choice::list, 1), 1) == "1 listed CTA");
  CHECK(cta_text(made_of(cta_choice::list, 3, 0, 0, {1, 2, 1}), 6) == "every 3rd of the listed clusters");
  CHECK(cta_text(made_of(cta_choice::unknown, 1), 3) == "some CTAs");
}

TEST_CASE("ordinals") {
  const auto ordinal = [](std::uint32_t n) { return cta_text(made_of(cta_choice::every, n), 1); };
  CHECK(ordinal(2) == "every 2nd CTA");
  CHECK(ordinal(11) == "every 11th CTA");
  CHECK(ordinal(12) == "every 12th CTA");
  CHECK(ordinal(13) == "every 13th CTA");
  CHECK(ordinal(21) == "every 21st CTA");
  CHECK(ordinal(52) == "every 52nd CTA");
  CHECK(ordinal(113) == "every 113th CTA");
}

TEST_CASE("which warps were traced, in words and counts") {
  CHECK(warp_text(all_warps, 12).empty());
  CHECK(warp_text(0xFFF, 12).empty());
  CHECK(warp_text(0x111, 12) == "warps 0,4,8");
  CHECK(warp_text(0xF, 12) == "warps 0 to 3");
  CHECK(warp_text(0x3, 12) == "warps 0,1");
  CHECK(warp_text(0x20, 12) == "warp 5");
  CHECK(warp_text(0xF0, 4) == "no warps");
  CHECK(count_warps(0x111, 12) == 3);
  CHECK(count_warps(0x111, 8) == 2);
  CHECK(count_warps(0x80000001, 32) == 2);
  CHECK(count_warps(all_warps, 5) == 5);
  CHECK(count_warps(all_warps, 40) == 40);
  CHECK(has_warp(all_warps, 39));
  CHECK_FALSE(has_warp(0x7FFFFFFF, 31));
  CHECK_FALSE(has_warp(0x7FFFFFFF, 39));
}

/// 4 CTAs of 12 warps in clusters of 2, of which one cluster and three warps were traced, and two of those recorded.
synthetic::trace chosen_part() {
  synthetic::trace trace;
  std::vector<synthetic::warp> warps;
  for (const std::uint32_t number : {0u, 8u}) {
    synthetic::warp warp;
    warp.number = number;
    warp.log.event(record_kind::mark, trace.site(site_kind::mark, "m"), 2000);
    warps.push_back(warp);
  }
  trace.launch("kernel", 4, 12, 16, warps);
  file::launch_info& info = trace.content.launches[0].info;
  info.cta_stride = 2;
  info.cluster[0] = 2;
  info.ctas_traced = 2;
  info.warp_mask = 0x111;
  return trace;
}

TEST_CASE("the selection goes from the file to the report") {
  const std::string bytes = chosen_part().bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  REQUIRE(std::holds_alternative<trace_view>(read));
  const timeline source = build_timeline(std::get<trace_view>(read), "x");
  CHECK(source.warnings.empty());
  const analysis::launch& one = source.launches.at(0);
  CHECK(one.cta_stride == 2);
  CHECK(one.cluster == std::array<std::uint32_t, 3>{2, 1, 1});
  CHECK(one.warp_mask == 0x111);
  const launch_report launch = make_report(source).launches.at(0);
  CHECK(launch.warps_reserved == 6);
  CHECK(launch.cta_selection == "every 2nd cluster");
  CHECK(launch.warp_selection == "warps 0,4,8");
  std::string findings;
  for (const finding& found : launch.findings) findings += found.text + "\n";
  CHECK(synthetic::lacking(findings, {"9 of 12 warps of each CTA not traced, as asked for: warps 0,4,8 only",
                                      "2 of 4 CTAs not traced, as asked for: every 2nd cluster only",
                                      "4 of 6 traced warps made no recorder"}) == "");
}

TEST_CASE("a choice of a newer version is some choice") {
  synthetic::trace trace = chosen_part();
  trace.content.launches[0].info.choice = static_cast<file::cta_choice>(9);
  const std::string bytes = trace.bytes();
  const auto read = read_trace(synthetic::bytes_of(bytes));
  const timeline source = build_timeline(std::get<trace_view>(read), "x");
  CHECK(source.launches.at(0).warps.size() == 2);
  CHECK(make_report(source).launches.at(0).cta_selection == "some CTAs");
}

TEST_CASE("launches with different selections have none together") {
  hand_made made;
  made.launch("kernel", 8).launch("kernel", 8);
  made.last_launch().warp_mask = 1;
  const launch_report launch = make_report(made.take()).launches.at(0);
  CHECK_FALSE(launch.selected.has_value());
  CHECK(launch.warps_reserved == 8 * 2 + 8);
  CHECK(launch.warp_selection.empty());
  CHECK_FALSE(launch.cta_selection.empty());
}

}  // namespace
}  // namespace iket::test
