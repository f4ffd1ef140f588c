// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A kernel whose warps note that they were there, and which of them the options say are traced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "support.hpp"

namespace gpu_test {

static __global__ void sign_in(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const unsigned cta = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned warp = ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
  IKET_MARK(rec, "here", cta * 32 + warp);
}

using cta_set = std::set<std::uint32_t>;

inline std::uint32_t count_of(dim3 size) { return size.x * size.y * size.z; }

// Clusters are numbered along x, then y, then z.
inline std::uint32_t cluster_of(std::uint32_t cta, dim3 grid, dim3 cluster) {
  const std::uint32_t x = cta % grid.x / cluster.x, y = cta / grid.x % grid.y / cluster.y;
  return (cta / (grid.x * grid.y) / cluster.z * (grid.y / cluster.y) + y) * (grid.x / cluster.x) + x;
}

// What the options' documentation says, CTA by CTA; of the selected clusters every `thinning`-th.
inline cta_set selected_ctas(const iket::trace_options& options, dim3 grid, std::uint32_t thinning = 1) {
  const iket::cta_selection& chosen = options.ctas;
  cta_set clusters;
  for (std::uint32_t cta = 0; cta < count_of(grid); ++cta) {
    const std::uint32_t number = cluster_of(cta, grid, options.cluster);
    const bool selected = chosen.choice == iket::file::cta_choice::every ? number % chosen.stride == 0
                          : chosen.choice == iket::file::cta_choice::range
                              ? cta >= chosen.first && cta < chosen.last
                              : std::count(chosen.list.begin(), chosen.list.end(), cta) != 0;
    if (selected) clusters.insert(number);
  }
  cta_set kept;
  std::uint32_t position = 0;
  for (const std::uint32_t number : clusters)
    if (position++ % thinning == 0) kept.insert(number);
  cta_set ctas;
  for (std::uint32_t cta = 0; cta < count_of(grid); ++cta)
    if (kept.count(cluster_of(cta, grid, options.cluster)) != 0) ctas.insert(cta);
  return ctas;
}

// The traced warps are those of `ctas` in the mask, and each wrote into a ring of its own.
inline void check_places(const iket::analysis::launch& launch, const cta_set& ctas, std::uint32_t mask) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> expected, found;
  for (const std::uint32_t cta : ctas)
    for (std::uint32_t warp = 0; warp < launch.warps_per_cta; ++warp)
      if ((mask >> warp & 1) != 0) expected.emplace(cta, warp);
  std::size_t wrong = 0;
  for (const iket::analysis::warp_timeline& warp : launch.warps) {
    found.emplace(warp.cta_linear, warp.warp);
    const bool right = warp.closed && warp.written == 2 && warp.points.size() == 1 &&
                       warp.points[0].payload().bits == warp.cta_linear * 32 + warp.warp;
    wrong += right ? 0 : 1;
  }
  CHECK((found == expected));
  CHECK(launch.warps.size() == expected.size());
  CHECK(launch.warps_opened == expected.size());
  CHECK(launch.ctas_traced == ctas.size());
  CHECK(launch.recorders_refused == 0);
  CHECK(wrong == 0);
}

inline void sign_in_with(dim3 grid, dim3 block, dim3 cluster, const iket::tracer& tracer) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  config.attrs = &attribute;
  config.numAttrs = count_of(cluster) > 1 ? 1 : 0;
  REQUIRE(cudaLaunchKernelEx(&config, sign_in, tracer) == cudaSuccess);
}

// One launch in a session of so much memory.
inline iket::analysis::timeline trace_in(std::size_t memory_limit, dim3 grid, dim3 block,
                                         const iket::trace_options& how, std::uint32_t records_per_warp) {
  iket::session_options options = small_session(memory_limit);
  options.records_per_warp = records_per_warp;
  iket::session session(options);
  sign_in_with(grid, block, how.cluster, session.trace("sign_in", grid, block, how));
  REQUIRE(finish() == cudaSuccess);
  return written_by(session);
}

}  // namespace gpu_test
