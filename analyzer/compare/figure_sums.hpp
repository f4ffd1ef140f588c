// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Figures that are ratios of sums over the blocks of one side: what a bootstrap takes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/block_sums.hpp"
#include "compare/bootstrap.hpp"

namespace iket::analysis {

/// A figure by block: the sum of `parts` over the sum of `weights`.
struct figure_sums {
  std::vector<double> parts;
  std::vector<double> weights;

  /// None where there is nothing to divide by.
  [[nodiscard]] std::optional<double> ratio() const;
};

/// The self time of a stage per CTA, or per range.
[[nodiscard]] figure_sums self_sums(const block_sums& of, std::size_t stage, bool per_range);
/// A time of a role per warp.
[[nodiscard]] figure_sums role_sums(const block_sums& of, std::size_t role, role_sum which);
/// The duration per launch.
[[nodiscard]] figure_sums duration_sums(const block_sums& of);

/// To first order what each block changes of the ratios, which all exist: (part - ratio * weight) / sum of weights.
/// `shape` is that of all of them.
[[nodiscard]] influences influences_of(const std::vector<figure_sums>& figures, const block_sums& shape);

}  // namespace iket::analysis
