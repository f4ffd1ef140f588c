// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A selection of CTAs as a stride or a list, which a kernel can look itself up in; see `rank_strided`, `rank_listed`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <iket/detail/slot_place.hpp>
#include <iket/detail/types.hpp>
#include <iket/error.hpp>
#include <iket/selection.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Three extents, none of them zero.
struct extent {
  u32 x, y, z;
  [[nodiscard]] u64 count() const { return u64{x} * y * z; }
};

/// The CTAs of a launch that have slots.
struct selection_plan {
  u32 first_cta = 0;
  u32 span = 0;             ///< all are less than this behind the first
  u32 stride = 1;           ///< every how many-th CTA of the span, or (of what was selected) of the list
  std::vector<u32> listed;  ///< of a list: the CTAs, ascending, each once

  [[nodiscard]] u32 ctas() const {
    return listed.empty() ? (span + stride - 1) / stride : static_cast<u32>(listed.size());
  }
  [[nodiscard]] u64 list_bytes() const { return listed.empty() ? 0 : (u64{span} + 31) / 32 * sizeof(listed_ctas); }

  /// What a kernel reads of a list.
  [[nodiscard]] std::vector<listed_ctas> list_entries() const {
    std::vector<listed_ctas> entries(static_cast<std::size_t>(list_bytes() / sizeof(listed_ctas)));
    for (const u32 cta : listed) entries[(cta - first_cta) / 32].bits |= 1u << (cta - first_cta) % 32;
    u32 before = 0;
    for (listed_ctas& entry : entries) {
      entry.before = before;
      before += count_bits(entry.bits);
    }
    return entries;
  }
};

/// The clusters of a grid, numbered as their CTAs are. Without clusters each CTA is one.
struct cluster_grid {
  extent grid;
  extent cluster;

  [[nodiscard]] u32 count() const { return static_cast<u32>(grid.count() / cluster.count()); }
  [[nodiscard]] u32 cluster_of(u32 cta) const {
    const u32 x = cta % grid.x / cluster.x;
    const u32 y = cta / grid.x % grid.y / cluster.y;
    const u32 z = cta / grid.x / grid.y / cluster.z;
    return (z * (grid.y / cluster.y) + y) * (grid.x / cluster.x) + x;
  }
  /// Puts the CTAs of a cluster behind `to`.
  void append_ctas(u32 number, std::vector<u32>& to) const {
    const u32 columns = grid.x / cluster.x, rows = grid.y / cluster.y;
    const u32 x = number % columns * cluster.x, y = number / columns % rows * cluster.y;
    const u32 z = number / columns / rows * cluster.z;
    for (u32 dz = 0; dz < cluster.z; ++dz)
      for (u32 dy = 0; dy < cluster.y; ++dy)
        for (u32 dx = 0; dx < cluster.x; ++dx) to.push_back(((z + dz) * grid.y + y + dy) * grid.x + x + dx);
  }
};

/// Numbers of the clusters in which something is selected, ascending, each once; every `thinning`-th of them.
inline std::vector<u32> selected_clusters(const cta_selection& selection, const cluster_grid& clusters, u32 thinning) {
  const u32 ctas = static_cast<u32>(clusters.grid.count());
  std::vector<u32> selected;
  switch (selection.choice) {
    case file::cta_choice::every:
      for (u64 number = 0; number < clusters.count(); number += selection.stride)
        selected.push_back(static_cast<u32>(number));
      break;
    case file::cta_choice::range:
      for (u32 cta = selection.first; cta < std::min(selection.last, ctas); ++cta)
        selected.push_back(clusters.cluster_of(cta));
      break;
    case file::cta_choice::list:
      for (const u32 cta : selection.list) selected.push_back(clusters.cluster_of(cta));
      break;
  }
  std::sort(selected.begin(), selected.end());
  selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < selected.size(); i += thinning) selected[kept++] = selected[i];
  selected.resize(kept);
  return selected;
}

/// @throws iket::error where the cluster does not divide the grid, or nothing is selected, or what is not there.
inline void check_selection(const cta_selection& selection, const cluster_grid& clusters) {
  const extent &grid = clusters.grid, &cluster = clusters.cluster;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    throw error("iket: the cluster given to trace() does not divide the grid");
  const u64 ctas = grid.count();
  if (selection.choice == file::cta_choice::every && selection.stride == 0)
    throw error("iket: ctas::every(0) selects no CTA");
  if (selection.choice == file::cta_choice::range && selection.first >= std::min<u64>(selection.last, ctas))
    throw error("iket: ctas::range(" + std::to_string(selection.first) + ", " + std::to_string(selection.last) +
                ") selects none of the launch's " + std::to_string(ctas) + " CTAs");
  if (selection.choice != file::cta_choice::list) return;
  if (selection.list.empty()) throw error("iket: ctas::list names no CTA");
  for (const u32 cta : selection.list)
    if (cta >= ctas)
      throw error("iket: ctas::list names CTA " + std::to_string(cta) + ", but the launch has " + std::to_string(ctas));
}

/// What `selection` selects of a grid, and of that every `thinning`-th: of clusters, where `cluster` is one of several
/// CTAs. Then all but the whole grid is a list, so that a kernel need not know of clusters.
/// @throws iket::error as `check_selection`.
inline selection_plan plan_selection(const cta_selection& selection, const extent& grid, const extent& cluster,
                                     u32 thinning = 1) {
  const cluster_grid clusters{grid, cluster};
  check_selection(selection, clusters);
  const u32 ctas = static_cast<u32>(grid.count());
  const u32 together = static_cast<u32>(cluster.count());
  const bool whole = selection.choice == file::cta_choice::every && selection.stride == 1 && thinning == 1;

  selection_plan plan;
  if (whole || (together == 1 && selection.choice != file::cta_choice::list)) {
    const bool range = selection.choice == file::cta_choice::range;
    plan.first_cta = range ? selection.first : 0;
    plan.span = (range ? std::min(selection.last, ctas) : ctas) - plan.first_cta;
    const u64 stride = u64{range ? 1 : selection.stride} * thinning;
    plan.stride = static_cast<u32>(std::min<u64>(stride, plan.span));  // a larger one selects the first alone, as this
    return plan;
  }
  const u64 stride = u64{selection.choice == file::cta_choice::every ? selection.stride : 1} * thinning;
  plan.stride = static_cast<u32>(std::min<u64>(stride, clusters.count()));  // as above
  for (const u32 number : selected_clusters(selection, clusters, thinning)) clusters.append_ctas(number, plan.listed);
  std::sort(plan.listed.begin(), plan.listed.end());
  plan.first_cta = plan.listed.front();
  plan.span = plan.listed.back() - plan.first_cta + 1;
  return plan;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
