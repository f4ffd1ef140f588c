// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Exactly the CTAs and warps that were asked for are traced.
#include <cstdint>
#include <vector>

#include "sign_in.cuh"

using namespace iket::analysis;
using namespace gpu_test;

namespace {

std::vector<iket::cta_selection> selections_of(std::uint32_t ctas) {
  return {iket::ctas::all(),
          iket::ctas::every(2),
          iket::ctas::every(3),
          iket::ctas::every(7),
          iket::ctas::every(1000),
          iket::ctas::range(0, 1),
          iket::ctas::range(ctas / 3, 1000),
          iket::ctas::range(ctas / 2, ctas / 2 + 2),
          iket::ctas::list({0}),
          iket::ctas::list({ctas - 1, 0, ctas / 2, ctas - 1, ctas / 3, 0})};
}

void check_selections(dim3 grid, dim3 block, dim3 cluster) {
  INFO("grid " << grid.x << "x" << grid.y << "x" << grid.z << ", block " << count_of(block) << ", cluster " << cluster.x
               << "x" << cluster.y << "x" << cluster.z);
  iket::session_options options = small_session(std::size_t{64} << 20);
  options.records_per_warp = 4;
  iket::session session(options);
  const std::uint32_t warps = (count_of(block) + 31) / 32;
  std::vector<iket::trace_options> used;
  for (const iket::cta_selection& ctas : selections_of(count_of(grid)))
    for (const std::uint32_t mask : {iket::warps::all, iket::warps::one_per_warpgroup, 2u, 0xA5A5A5A5u, 1u << 31}) {
      if ((mask & (warps == 32 ? ~0u : (1u << warps) - 1)) == 0) continue;
      iket::trace_options how;
      how.ctas = ctas;
      how.warps = mask;
      how.cluster = cluster;
      sign_in_with(grid, block, cluster, session.trace("sign_in", grid, block, how));
      used.push_back(how);
    }
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == used.size());
  for (std::size_t i = 0; i < used.size(); ++i) {
    INFO("selection " << i);
    CHECK_FALSE(trace.launches[i].over_limit);
    check_places(trace.launches[i], selected_ctas(used[i], grid), used[i].warps);
    for (const warp_timeline& warp : trace.launches[i].warps)
      CHECK(warp.cluster_rank ==
            warp.cta[0] % cluster.x + cluster.x * (warp.cta[1] % cluster.y + cluster.y * (warp.cta[2] % cluster.z)));
  }
}

}  // namespace

TEST_CASE("exactly the selected CTAs and warps are traced, for every shape", "[no sanitizer]") {
  for (const dim3 grid : {dim3(1), dim3(17), dim3(5, 3), dim3(3, 4, 5)})
    for (const dim3 block : {dim3(32), dim3(33), dim3(3, 32), dim3(8, 8, 4), dim3(1024)})
      check_selections(grid, block, dim3(1, 1, 1));
}

TEST_CASE("clusters are traced whole, for every shape", "[no sanitizer]") {
  if (!has_clusters()) return;
  for (const dim3 cluster : {dim3(2, 1, 1), dim3(2, 2, 1), dim3(1, 2, 2)})
    for (const dim3 grid : {dim3(2, 2, 2), dim3(8, 4, 2), dim3(6, 10, 4)})
      for (const dim3 block : {dim3(64), dim3(160)}) check_selections(grid, block, cluster);
}

// What a sanitizer has the time for.
TEST_CASE("exactly the selected CTAs and warps are traced, for some shapes") {
  check_selections(dim3(5, 3), dim3(33), dim3(1, 1, 1));
  if (has_clusters()) check_selections(dim3(2, 2, 2), dim3(64), dim3(1, 2, 2));
}

TEST_CASE("a list finds its CTAs in a large grid") {
  iket::trace_options how;
  how.ctas = iket::ctas::list({199999, 77, 131072, 65535, 65536, 78, 77});
  const timeline trace = trace_in(std::size_t{1} << 20, dim3(200000), dim3(64), how, 16);
  check_places(trace.launches.at(0), {77, 78, 65535, 65536, 131072, 199999}, iket::warps::all);
  how.ctas = iket::ctas::list({149999});
  const timeline last = trace_in(std::size_t{1} << 20, dim3(30, 50, 100), dim3(64), how, 16);
  check_places(last.launches.at(0), {149999}, iket::warps::all);
}

TEST_CASE("another grid than announced is refused and counted, whatever is selected") {
  iket::session session(small_session());
  iket::trace_options how;
  how.ctas = iket::ctas::list({1, 3});
  how.warps = 1;
  sign_in<<<9, 64>>>(session.trace("list", 8, 64, how));
  how.ctas = iket::ctas::range(2, 4);
  sign_in<<<8, 96>>>(session.trace("range", 8, 64, how));
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  CHECK(trace.launches.at(0).warps_opened == 0);
  CHECK(trace.launches[0].recorders_refused == 18);
  CHECK(trace.launches.at(1).warps_opened == 0);
  CHECK(trace.launches[1].recorders_refused == 24);
}

TEST_CASE("what selects nothing, or what is not there, is refused, and the session goes on") {
  iket::session session(small_session());
  const auto refuse = [&](const iket::trace_options& how) {
    CHECK_THROWS_AS((void)session.trace("sign_in", 8, 64, how), iket::error);
    CHECK_THROWS_AS((void)iket::estimate_memory(8, 64, how), iket::error);
  };
  for (const iket::cta_selection& ctas : {iket::ctas::every(0), iket::ctas::range(5, 5), iket::ctas::range(7, 3),
                                          iket::ctas::range(8, 9), iket::ctas::list({}), iket::ctas::list({0, 8})}) {
    iket::trace_options how;
    how.ctas = ctas;
    refuse(how);
  }
  for (const std::uint32_t mask : {0u, 0b100u}) {
    iket::trace_options how;
    how.warps = mask;
    refuse(how);
  }
  for (const dim3 cluster : {dim3(3), dim3(1, 2), dim3(0), dim3(16, 16)}) {
    iket::trace_options how;
    how.cluster = cluster;
    refuse(how);
  }
  sign_in<<<8, 64>>>(session.trace("sign_in", 8, 64));
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.size() == 16);
}
