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

  /// Appends the launch, unless it is there. Log in the launches, and linear in those of its ID.
  void add(profiled_kernel&& kernel);

 private:
  std::vector<profiled_kernel>& kernels_;
  std::multimap<std::string, std::size_t> places_;  // by ID
};

}  // namespace iket::analysis::counters
