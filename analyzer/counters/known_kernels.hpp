// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Profiled launches of pages `raw` and `details`, each once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// Knows a launch again that two pages of a kind have: the same page twice, or pages `raw` with other units.
class known_kernels {
 public:
  /// `kernels`, which may have some, outlives this. Linear in them.
  explicit known_kernels(std::vector<profiled_kernel>& kernels);

  /// Appends the launch, unless it is there, among the first of its ID. Log in the launches.
  void add(profiled_kernel&& kernel);

 private:
  std::vector<profiled_kernel>& kernels_;
  /// As many reports have a launch of one ID, of which pages are given at once.
  static constexpr std::size_t most_of_an_id = 64;

  std::map<std::string, std::vector<std::size_t>> places_;  // by ID
};

}  // namespace iket::analysis::counters
