// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which of a profiler's launches are those of a launch group.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ncu_profile.hpp"
#include "report.hpp"
#include "timeline.hpp"

namespace iket::analysis::counters {

using profiled_kernels = std::vector<const profiled_kernel*>;
using listed_launches = std::vector<const source_listing*>;

/// Whether a kernel may have been launched so, as far as its page tells.
[[nodiscard]] bool has_shape(const profiled_kernel& kernel, const launch_report& launch);

/// "grid 264 x 1 x 1, block 256 x 1 x 1"
[[nodiscard]] std::string shape_text(const launch_report& launch);
[[nodiscard]] std::string shape_text(const profiled_kernel& kernel);

/// Finds kernels by name, grid and block, and their listings, which tell neither grid nor block (join_counters.hpp has
/// the rules).
class launch_matcher {
 public:
  /// `profile` and `of` outlive this. `kernel`, unless empty, is a part of the name that a kernel must have.
  launch_matcher(const ncu_profile& profile, const report& of, std::string kernel);

  /// The profiled launches of a launch group; of several kernels, where nothing tells whose they are.
  [[nodiscard]] profiled_kernels kernels_of(const launch_report& launch) const;

  /// The listings of a launch group whose kernels are `found`; where there are some and nobody knows whose, none and a
  /// note. `sites` are those of its module, null where nobody knows
  /// them.
  [[nodiscard]] listed_launches listings_of(const launch_report& launch, const profiled_kernels& found,
                                            const std::vector<code_site>* sites, std::vector<std::string>& notes);

  [[nodiscard]] bool has_listings() const noexcept { return !listings_by_name_.empty(); }

  /// Files with listings that were a launch's by their name.
  [[nodiscard]] const std::set<std::string>& looked_at() const noexcept { return looked_at_; }

 private:
  using shape = std::pair<std::optional<std::array<std::uint32_t, 3>>, std::optional<std::array<std::uint32_t, 3>>>;

  void add_kernel(const profiled_kernel& one);
  void add_listing(const source_listing& one, bool is_alone);
  /// Without a page that tells grids: keeps the listings that `wanted_` names, if they are of one kernel, and one kind
  /// of launches has this name.
  void keep_certain(const std::string& name, listed_launches& pages) const;
  /// Of the listings of all kernels called `name` keeps those of this launch's kernel, grid and block: with as many
  /// samples as `found`; where that tells none, in the order of the page `raw`, or `details`, of the same report.
  void keep_shape(const launch_report& launch, const profiled_kernels& found, const std::string& name,
                  listed_launches& pages) const;

  inline static const shape any_shape{};

  const report& report_;
  std::string wanted_;
  std::set<std::string> launch_names_;
  std::map<std::string, profiled_kernels> kernels_by_name_;
  std::map<std::string, profiled_kernels> raw_by_name_, details_by_name_;  // the same, by the page
  /// Those whose names are no launch's, with their short names, by grid and block.
  std::map<shape, std::vector<std::pair<const profiled_kernel*, std::string>>> others_;
  profiled_kernels all_wanted_;  // that `wanted_` asks for
  std::map<std::string, listed_launches> listings_by_name_;
  listed_launches other_listings_;  // whose names are no launch's, where no other page tells the grid
  std::set<std::string> listing_names_;
  std::set<std::string> looked_at_;
};

}  // namespace iket::analysis::counters
