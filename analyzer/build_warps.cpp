// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "build_warps.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <mutex>
#include <optional>

#include "launch_check.hpp"
#include "parallel.hpp"
#include "ring_blocks.hpp"
#include "warp_builder.hpp"

namespace iket::analysis {
namespace {

struct warp_place {
  std::size_t launch = 0;
  std::size_t warp = 0;
  auto operator<=>(const warp_place&) const = default;
};

std::vector<ring_block> blocks_of(const std::vector<launch_rings>& launches) {
  std::vector<const launch_view*> views;
  for (const launch_rings& of : launches) views.push_back(of.from);
  return ring_blocks_of(views);
}

/// Builds warps of one launch after another.
class launch_builder {
 public:
  launch_builder(const launch_rings& of, bool may_change_names, warp_builder& builder)
      : of_(of), names_(*of.sites, may_change_names), builder_(builder) {
    builder_.begin({&names_, of.clocks, of.zero, of.rates});
  }

  /// Returns whether it could be built.
  bool build(std::size_t number) {
    const warp_view& from = of_.from->warps[number];
    const warp_header header = from.header();
    const ring_layout layout = layout_of(*of_.from, header);
    std::optional<warp_timeline> warp = builder_.build(header, from.records, layout);
    if (!warp) return false;
    warp->cta_linear = static_cast<std::uint32_t>(linear_cta(header.cta, of_.from->info.grid));
    of_.to->warps[number] = std::move(*warp);
    keep_first_ = keep_first_ || layout.keeps_first;
    warnings_.add(number, header, builder_.ring());
    return true;
  }

  void add_results_to(launch_rings& launch) const {
    launch.warnings.add(warnings_);
    launch.uncertainties.add(builder_.uncertainties());
    launch.to->keep_first = launch.to->keep_first || keep_first_;
  }

 private:
  const launch_rings& of_;
  site_reader names_;
  warp_builder& builder_;
  launch_warnings warnings_;
  bool keep_first_ = false;
};

void set_span(launch& of) {
  if (of.warps.empty()) return;
  of.begin = of.warps.front().open;
  of.end = of.warps.front().close;
  for (const warp_timeline& warp : of.warps) {
    of.begin = std::min(of.begin, warp.open);
    of.end = std::max(of.end, warp.close);
  }
}

}  // namespace

void build_warps(std::vector<launch_rings>& launches) {
  for (const launch_rings& of : launches) of.to->warps.resize(of.from->warps.size());
  const std::vector<ring_block> blocks = blocks_of(launches);
  std::vector<of_thread<warp_builder>> builders(threads_for(blocks.size()));
  std::vector<warp_place> lacking;
  std::mutex results;
  for_each_job(blocks.size(), [&](std::size_t number, unsigned thread) {
    const ring_block& block = blocks[number];
    launch_builder build(launches[block.launch], false, builders[thread].value);
    std::vector<warp_place> not_built;
    for (std::size_t warp = block.first; warp < block.last; ++warp)
      if (!build.build(warp)) not_built.push_back({block.launch, warp});
    const std::lock_guard lock(results);
    build.add_results_to(launches[block.launch]);
    lacking.insert(lacking.end(), not_built.begin(), not_built.end());
  });

  std::sort(lacking.begin(), lacking.end());
  for (std::size_t i = 0; i < lacking.size();) {
    const std::size_t launch = lacking[i].launch;
    launch_builder build(launches[launch], true, builders.front().value);
    for (; i < lacking.size() && lacking[i].launch == launch; ++i) build.build(lacking[i].warp);
    build.add_results_to(launches[launch]);
  }
  for (const launch_rings& of : launches) set_span(*of.to);
}

}  // namespace iket::analysis
