// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How far figures of two traces would have come apart by chance alone: a bootstrap over launches and CTAs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace iket::analysis {

/// What each block of CTAs contributes to each of some figures of one side. The contributions to a figure sum to zero:
/// they are those to its deviation from what was found.
struct influences {
  std::size_t figures = 0;
  std::vector<double> values;            ///< block after block, `figures` each
  std::vector<std::size_t> first_block;  ///< of each launch, then the number of blocks

  [[nodiscard]] std::size_t launches() const { return first_block.size() - 1; }
  [[nodiscard]] std::size_t blocks() const { return first_block.back(); }
};

struct bootstrap_options {
  double level = 0.95;  ///< with which all intervals hold together
  std::size_t rounds = 2000;
  std::uint64_t seed = 1;
};

/// The interval of a figure's difference is the difference found, and as much to either side.
struct bootstrap_result {
  bool over_launches = false;       ///< launches were resampled, too
  std::vector<double> half_widths;  ///< of each figure, in its unit; infinite where nothing can be said
};

/// Draws launches with replacement where each side has two or more, and of each of those its blocks with replacement;
/// where a side has a single launch, the blocks alone, all those of a side together. Each round gives a studentised
/// difference a figure; the half-widths are such that all intervals together hold with the level: each figure's
/// quantile is taken at one common marginal level, found from all figures' ranks (balanced simultaneous intervals:
/// Beran, Journal of the American Statistical Association 83, 1988; the studentised two-stage bootstrap: Davison and
/// Hinkley, Bootstrap Methods and their Application, 1997, 2.7, 3.8 and 5.2). Where blocks alone are drawn, no quantile
/// is below that of rounds in which both sides draw from the blocks of both: the few blocks of one side do not show how
/// skewed they are, where the other side has many. Where launches or blocks are few, the bootstrap does not know how
/// little they tell: no quantile is below that of Student's distribution at the same level, with Welch's degrees of
/// freedom.
///
/// A round costs O(blocks x figures) on one core; all cores are used. The same input and seed give the same output,
/// whatever the number of threads. Both sides have the same figures, and a block at least.
[[nodiscard]] bootstrap_result bootstrap(const influences& before, const influences& after,
                                         const bootstrap_options& options);

}  // namespace iket::analysis
