// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which launches of two traces are of the same kernel.
#pragma once

#include <vector>

#include "launch_group.hpp"

namespace iket::analysis {

/// One kernel before and after: its launches on all devices and in all files of a side. Neither is empty.
struct kernel_pair {
  launch_group before;
  launch_group after;

  [[nodiscard]] bool has_one_name() const { return before.front()->kernel == after.front()->kernel; }
  [[nodiscard]] bool has_one_grid() const { return before.front()->grid == after.front()->grid; }
  [[nodiscard]] bool has_one_block() const { return before.front()->block == after.front()->block; }
};

struct kernel_pairs {
  std::vector<kernel_pair> pairs;         ///< in the order of `after`
  std::vector<launch_group> only_before;  ///< kernels without a partner
  std::vector<launch_group> only_after;
};

/// The kernels of a timeline: groups that differ in nothing but device or file are one. Without launches that are left
/// out, unless those are asked for too.
[[nodiscard]] std::vector<launch_group> group_kernels(const timeline& source, bool left_out_too = false);

/// Pairs kernels of equal name, grid and block; of those left over, the ones whose name no other kernel left over on
/// their side has, by name alone; and where each side has a single kernel, those two, whatever they are called.
/// Launches of `after` that are left out decide who is whose partner, and only then they and the pairs that have no
/// others go: a choice of launches makes no other pairs. O(n log n) in the kernels. Points into the timelines.
[[nodiscard]] kernel_pairs match_kernels(const timeline& before, const timeline& after);

}  // namespace iket::analysis
