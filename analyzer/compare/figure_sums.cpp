// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/figure_sums.hpp"

#include <cmath>
#include <numeric>

namespace iket::analysis {
namespace {

template <class Part, class Weight>
figure_sums sums_of(std::size_t blocks, const Part& part, const Weight& weight) {
  figure_sums result;
  for (std::size_t block = 0; block < blocks; ++block) {
    result.parts.push_back(part(block));
    result.weights.push_back(weight(block));
  }
  return result;
}

double total(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

}  // namespace

std::optional<double> figure_sums::ratio() const {
  const double weight = total(weights);
  if (weight <= 0) return std::nullopt;
  return total(parts) / weight;
}

figure_sums self_sums(const block_sums& of, std::size_t stage, bool per_range) {
  return sums_of(
      of.blocks(), [&](std::size_t block) { return of.of_stage(block, stage, stage_sum::self_ps); },
      [&](std::size_t block) {
        return per_range ? of.of_stage(block, stage, stage_sum::ranges) : of.of_ctas(block, cta_sum::ctas);
      });
}

figure_sums role_sums(const block_sums& of, std::size_t role, role_sum which) {
  return sums_of(
      of.blocks(), [&](std::size_t block) { return of.of_role(block, role, which); },
      [&](std::size_t block) { return of.of_role(block, role, role_sum::warps); });
}

figure_sums duration_sums(const block_sums& of) {
  figure_sums result;
  for (std::size_t launch = 0; launch < of.launches(); ++launch) {
    // Spread evenly, so that it is the same whichever blocks of the launch are drawn.
    const std::size_t blocks = of.first_block(launch + 1) - of.first_block(launch);
    result.parts.insert(result.parts.end(), blocks, of.durations_in(launch) / static_cast<double>(blocks));
    result.weights.insert(result.weights.end(), blocks,
                          static_cast<double>(of.launches_in(launch)) / static_cast<double>(blocks));
  }
  return result;
}

influences influences_of(const std::vector<figure_sums>& figures, const block_sums& shape) {
  // Of equal blocks each is the mean but for rounding, which is no difference.
  constexpr double rounding = 1e-12;
  influences result;
  result.figures = figures.size();
  result.values.resize(shape.blocks() * figures.size());
  for (std::size_t launch = 0; launch <= shape.launches(); ++launch)
    result.first_block.push_back(shape.first_block(launch));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const double weight = total(figures[i].weights);
    const double ratio = figures[i].ratio().value_or(0);
    for (std::size_t block = 0; block < shape.blocks(); ++block) {
      const double part = figures[i].parts[block];
      const double rest = part - ratio * figures[i].weights[block];
      const bool is_rounding = std::abs(rest) <= rounding * std::abs(part);
      result.values[block * figures.size() + i] = is_rounding || weight <= 0 ? 0 : rest / weight;
    }
  }
  return result;
}

}  // namespace iket::analysis
