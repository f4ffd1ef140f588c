// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Thousands of sites in one module: each keeps its name and its line. The kernels are generated: many_sites.cuh has,
// one a line, the marks "site 0", "site 1", ..., many_sites_per_kernel in each of many_sites_kernels.
#include <cstdint>
#include <string>

#include "many_sites.cuh"
#include "support.hpp"

using namespace iket::analysis;

TEST_CASE("thousands of sites of one module all have their names and lines") {
  iket::session_options options = gpu_test::small_session();
  options.records_per_warp = many_sites_per_kernel;
  iket::session session(options);
  for (const auto kernel : many_sites_kernels) kernel<<<2, 32>>>(session.trace("marks", 2, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == std::size(many_sites_kernels));
  CHECK(trace.points.size() == trace.launches.size() * many_sites_per_kernel);

  std::size_t wrong = 0, site = 0;
  std::uint32_t line = 0;  // of the site before
  for (const launch& launch : trace.launches) {
    REQUIRE(launch.warps.size() == 2);
    for (const warp_timeline& warp : launch.warps) REQUIRE(warp.points.size() == many_sites_per_kernel);
    for (std::size_t i = 0; i < many_sites_per_kernel; ++i, ++site) {
      const point& point = launch.warps[0].points[i];
      const source_location& source = trace.sources.at(point.source);
      const bool right = trace.points.at(point.name).name == "site " + std::to_string(site) &&
                         point.name == launch.warps[1].points[i].name &&
                         (i == 0 ? source.line > line : source.line == line + 1) &&
                         source.file.find("many_sites.cuh") != std::string::npos;
      wrong += right ? 0 : 1;
      line = source.line;
    }
  }
  CHECK(site == 3000);
  CHECK(wrong == 0);
}
