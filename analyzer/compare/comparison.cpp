// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/comparison.hpp"

#include "compare/compare_kernel.hpp"
#include "compare/kernel_pairs.hpp"

namespace iket::analysis {
namespace {

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
  const kernel_pairs kernels = match_kernels(before, after);
  for (const kernel_pair& pair : kernels.pairs) result.kernels.push_back(compare_kernel(before, after, pair, options));
  result.only_before = names_of(kernels.only_before);
  result.only_after = names_of(kernels.only_after);
  return result;
}

}  // namespace iket::analysis
