// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/comparison.hpp"

#include <algorithm>
#include <cstddef>

#include "compare/compare_kernel.hpp"
#include "compare/kernel_pairs.hpp"
#include "limits.hpp"

namespace iket::analysis {
namespace {

/// As many as are told, and a warning where that is not all.
template <class Kernels>
void limit(Kernels& kernels, std::size_t most, const std::string& which, std::vector<std::string>& warnings) {
  if (kernels.size() <= most) return;
  warnings.push_back("only " + std::to_string(most) + " of " + std::to_string(kernels.size()) + " kernels " + which +
                     "; --launch takes others");
  kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(most), kernels.end());
}

std::vector<unmatched_kernel> names_of(const std::vector<launch_group>& kernels) {
  std::vector<unmatched_kernel> names;
  for (const launch_group& one : kernels) names.push_back({one.front()->kernel, one.front()->grid, one.front()->block});
  return names;
}

}  // namespace

std::string_view verdict_name(verdict of) {
  constexpr std::array<std::string_view, 6> names{"significant", "noise",    "too small",
                                                  "unknown",     "only old", "only new"};
  return names[static_cast<std::size_t>(of)];
}

std::optional<double> compared_value::relative() const {
  if (!before || !after || *before == 0) return std::nullopt;
  return difference() / *before;
}

comparison compare(const timeline& before, const timeline& after, const bootstrap_options& options) {
  comparison result;
  result.baseline = before.file;
  result.options = options;
  kernel_pairs kernels = match_kernels(before, after);
  const std::size_t most = limits::groups_with(std::max(before.stages.size(), after.stages.size()));
  limit(kernels.pairs, most, "are compared", result.warnings);
  limit(kernels.only_before, most, "that only the baseline has are told", result.warnings);
  limit(kernels.only_after, most, "that only the new trace has are told", result.warnings);
  for (const kernel_pair& pair : kernels.pairs) result.kernels.push_back(compare_kernel(before, after, pair, options));
  result.only_before = names_of(kernels.only_before);
  result.only_after = names_of(kernels.only_after);
  return result;
}

}  // namespace iket::analysis
