// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/same_ctas.hpp"

#include <cmath>
#include <cstddef>

namespace iket::analysis {
namespace {

/// Where all launches have as many.
std::size_t blocks_a_launch(const influences& of) { return of.first_block[1]; }

bool have_launches_of(const influences& of, std::size_t blocks) {
  for (std::size_t launch = 0; launch < of.launches(); ++launch)
    if (of.first_block[launch + 1] - of.first_block[launch] != blocks) return false;
  return true;
}

/// The sums over all launches: those of one.
influences one_launch_of(const influences& of) {
  const std::size_t size = blocks_a_launch(of) * of.figures;
  influences result{of.figures, std::vector<double>(size), {0, blocks_a_launch(of)}};
  for (std::size_t i = 0; i < of.values.size(); ++i) result.values[i % size] += of.values[i];
  return result;
}

void keep_deviations(influences& of) {
  const influences sums = one_launch_of(of);
  const std::size_t blocks = blocks_a_launch(of), size = sums.values.size();
  const auto launches = static_cast<double>(of.launches());
  const double scale = std::sqrt(launches / (launches - 1));
  for (std::size_t launch = 0; launch < of.launches(); ++launch)
    for (std::size_t figure = 0; figure < of.figures; ++figure) {
      double* const values = of.values.data() + launch * size + figure;
      double mean = 0;
      for (std::size_t i = 0; i < size; i += of.figures) mean += values[i] / static_cast<double>(blocks);
      // The means over launches sum to zero, so that the launch keeps its mean.
      for (std::size_t i = 0; i < size; i += of.figures)
        values[i] = mean + scale * (values[i] - mean - sums.values[i + figure] / launches);
    }
}

}  // namespace

bool hold_against_itself(influences& before, influences& after) {
  if (before.launches() == 0 || after.launches() == 0) return false;
  const std::size_t blocks = blocks_a_launch(before);
  if (!have_launches_of(before, blocks) || !have_launches_of(after, blocks)) return false;
  if (before.launches() > 1 && after.launches() > 1) {
    keep_deviations(before);
    keep_deviations(after);
    return true;
  }
  const influences old_side = one_launch_of(before);
  after = one_launch_of(after);
  for (std::size_t i = 0; i < after.values.size(); ++i) after.values[i] -= old_side.values[i];
  before = {after.figures, std::vector<double>(after.figures), {0, 1}};
  return true;
}

}  // namespace iket::analysis
