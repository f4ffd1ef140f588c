// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is known of one side of a comparison before the two are held together.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "launch_group.hpp"

namespace iket::analysis {

struct kernel_side {
  compared_side facts;
  std::vector<stage_statistics> stages;
  std::set<std::string> roles;  ///< of its warps
  double lifetime_per_cta = 0;  ///< of all warps, per traced CTA [ps]
};

/// Linear in the ranges; `group` is not empty.
[[nodiscard]] kernel_side kernel_side_of(const timeline& source, const launch_group& group);

}  // namespace iket::analysis
