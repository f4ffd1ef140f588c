// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which warps of a launch are looked at together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

enum class scope : std::uint8_t { cta, cluster, sm, gpu };

/// "cta", "cluster", "sm", "gpu".
[[nodiscard]] std::string_view scope_name(scope of);

/// The traced warps of one CTA, by warp; never empty.
using cta_warps = std::span<const warp_timeline>;

/// CTAs that are looked at together, by linear number; never empty.
using cta_group = std::span<const cta_warps>;

/// The CTAs of one launch, divided by a scope. Points into the launch.
class scope_units {
 public:
  /// A CTA is of the SM on which its first traced warp opened. O(n log n) in the CTAs.
  scope_units(const launch& of, scope by);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  [[nodiscard]] cta_group operator[](std::size_t unit) const {
    return cta_group(ctas_).subspan(first_[unit], first_[unit + 1] - first_[unit]);
  }

 private:
  std::vector<cta_warps> ctas_;     // unit after unit
  std::vector<std::size_t> first_;  // of each unit in `ctas_`, then their number
};

/// The traced CTAs of a launch, by linear number.
[[nodiscard]] std::vector<cta_warps> ctas_of(const launch& of);

}  // namespace iket::analysis
