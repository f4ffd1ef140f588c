// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The traces that were recorded on a GPU: every count is the one that the example's kernel must have made, and Perfetto
// shows every slice.
#include <catch.hpp>

#include <map>
#include <string>

#include <perfetto/rules.hpp>

#include "build_timeline.hpp"
#include "chrome_trace.hpp"
#include "report.hpp"

using namespace iket;
using namespace iket::analysis;

namespace {

struct recorded {
  timeline trace;
  launch_report report;
  std::map<std::string, stage_statistics> stages;
  std::map<std::string, role_statistics> roles;

  [[nodiscard]] double share(const std::string& stage) const { return stages.at(stage).share().value(); }
};

recorded load(const std::string& name) {
  load_result result = load_timeline(std::string(IKET_RECORDED_DIR) + "/" + name);
  REQUIRE(result.trace.has_value());
  CHECK_FALSE(result.damaged);
  recorded loaded{std::move(*result.trace), {}, {}, {}};
  for (const std::string& warning : loaded.trace.warnings) FAIL_CHECK(warning);
  const report made = make_report(loaded.trace);
  REQUIRE(made.launches.size() == 1);
  loaded.report = made.launches[0];
  for (const stage_statistics& stage : loaded.report.stages) loaded.stages[stage.name] = stage;
  for (const role_statistics& role : loaded.report.roles) loaded.roles[role.name] = role;
  return loaded;
}

/// Nothing was lost or left over, and Perfetto shows `ranges` slices, each where it was put.
void check_whole(const recorded& loaded, std::uint64_t ctas_traced, std::uint64_t ranges) {
  const launch_report& launch = loaded.report;
  CHECK(launch.lost == 0);
  CHECK(launch.written == launch.kept);
  CHECK(launch.unmatched + launch.cut + launch.open == 0);
  CHECK(launch.warps_unclosed == 0);
  CHECK(launch.ctas_traced == ctas_traced);
  CHECK(launch.clock.tick_ns == 32);
  CHECK(launch.clock.sm_ghz > 1.5);
  CHECK(launch.clock.sm_ghz < 2.0);
  CHECK(launch.clock.uncertainty_median_ns < launch.clock.uncertainty_ns);

  std::string json;
  const chrome_trace_counts counts = write_chrome_trace(
      loaded.trace, [&](const void* data, std::size_t size) { json.append(static_cast<const char*>(data), size); });
  perfetto::statistics seen;
  for (const perfetto::violation& found : perfetto::check(json, &seen)) FAIL_CHECK(found);
  CHECK(counts.slices == ranges);
  CHECK(seen.slices == ranges);
  CHECK(seen.threads == launch.warps);
  CHECK(seen.processes == launch.ctas_traced);
}

void check_ws_gemm(const recorded& loaded) {
  // 2048 / 64 tiles of K, one producer warp and eight consumer warps in each of the CTAs that the memory limit held.
  constexpr std::uint64_t ctas = 13, tiles = 32, producers = ctas, consumers = 8 * ctas;
  CHECK(loaded.report.ctas_total == 512);
  CHECK(loaded.report.launches_over_limit == 1);
  for (const warp_timeline& warp : loaded.trace.launches[0].warps) CHECK(warp.cta_linear % 40 == 0);
  CHECK(loaded.roles.at("producer").warps == producers);
  CHECK(loaded.roles.at("consumer").warps == consumers);
  CHECK(loaded.stages.at("load tile").count == producers * tiles);
  CHECK(loaded.stages.at("wait for free slot").count == producers * tiles);
  CHECK(loaded.stages.at("wait for data").count == consumers * tiles);
  CHECK(loaded.stages.at("compute").count == consumers * tiles);
  CHECK(loaded.stages.at("write back").count == consumers);
  CHECK(loaded.stages.at("wait for data").kind == stage_kind::wait);
  // Two records per range, and one for the tile that four of the stages carry; three for a producer's clock pairs.
  CHECK(loaded.report.written == producers * (tiles * 6 + tiles / 4 * 3) + consumers * (tiles * 6 + 2));
  check_whole(loaded, ctas, 2 * producers * tiles + consumers * (2 * tiles + 1));
  // Few CTAs were traced, and the clock changes by a tenth meanwhile.
  CHECK(loaded.report.clock.uncertainty_ns < 1000);
}

}  // namespace

TEST_CASE("the quickstart's recorded trace") {
  const recorded loaded = load("quickstart.bin");
  constexpr std::uint64_t ctas = 8, tiles = 8;
  CHECK(loaded.stages.at("load tile").count == ctas * tiles);
  CHECK(loaded.stages.at("wait for data").count == ctas * tiles * 4);
  CHECK(loaded.stages.at("add").count == ctas * tiles * 3);
  check_whole(loaded, ctas, ctas * tiles * 8);
  CHECK(loaded.report.clock.uncertainty_ns < 200);
  CHECK(loaded.report.clock.domains->size() == 1);
  // The consumers wait at the barrier while the producer loads.
  const role_statistics& consumer = loaded.roles.at("consumer");
  CHECK(static_cast<double>(consumer.wait) > 0.8 * static_cast<double>(consumer.lifetime()));
}

TEST_CASE("the matrix multiply's recorded traces: consumers wait for data with one slot, and less with four") {
  const recorded one = load("ws_gemm_depth1.bin");
  const recorded four = load("ws_gemm_depth4.bin");
  check_ws_gemm(one);
  check_ws_gemm(four);
  CHECK(one.share("wait for data") > 0.5);
  CHECK(four.share("wait for data") < 0.2);
  CHECK(one.report.duration_ps > 1.4 * four.report.duration_ps);
}
