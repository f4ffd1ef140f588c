// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/resampler.hpp"
#include "compare/student.hpp"
#include "parallel.hpp"

namespace iket::analysis {
namespace {

/// The size of a difference in standard errors.
double studentised(double difference, double variance) {
  if (difference == 0) return 0;
  return variance > 0 ? std::abs(difference) / std::sqrt(variance) : std::numeric_limits<double>::infinity();
}

/// The variance of a difference from those of its sides: their sum; where launches are not drawn not below what it
/// would be if blocks varied as much on both sides. A side of few blocks that by chance has none of the long ones is
/// both too short and too calm.
class joint_variance {
 public:
  joint_variance(const influences& before, const influences& after)
      : before_(static_cast<double>(before.blocks())),
        after_(static_cast<double>(after.blocks())),
        pools_(before.launches() == 1 && after.launches() == 1 && std::min(before_, after_) > 1) {}

  [[nodiscard]] bool pools() const { return pools_; }

  double operator()(double before, double after) const {
    if (!pools_) return before + after;
    const double of_block = ((before_ - 1) * before_ * before + (after_ - 1) * after_ * after) / (before_ + after_ - 2);
    return std::max(before + after, of_block * (1 / before_ + 1 / after_));
  }

 private:
  double before_, after_;  // blocks
  bool pools_;
};

/// Studentised differences: all rounds of a figure after another. The resamplers are where rounds begin.
std::vector<double> draw_rounds(std::size_t figures, const resampler& before, const resampler& after,
                                const joint_variance& variance, const bootstrap_options& options) {
  constexpr std::size_t rounds_a_job = 50;
  std::vector<double> drawn(options.rounds * figures);
  for_each_job((options.rounds + rounds_a_job - 1) / rounds_a_job, [&](std::size_t job, unsigned) {
    resampler old_side = before, new_side = after;
    side_sums old_sums, new_sums;
    const std::size_t end = std::min((job + 1) * rounds_a_job, options.rounds);
    for (std::size_t round = job * rounds_a_job; round < end; ++round) {
      drawing random(options.seed, round);
      old_side.draw(random, old_sums);
      new_side.draw(random, new_sums);
      for (std::size_t i = 0; i < figures; ++i)
        drawn[i * options.rounds + round] = studentised(new_sums.deviation[i] - old_sums.deviation[i],
                                                        variance(old_sums.variance[i], new_sums.variance[i]));
    }
  });
  return drawn;
}

/// How many rounds are below a figure's quantile, so that in `level` of the rounds no figure is above its own. Ties
/// count for the lowest of them: a figure that is often infinite must not make the others so.
std::size_t common_rank(const std::vector<double>& drawn, const std::vector<double>& sorted,
                        const bootstrap_options& options) {
  std::vector<std::size_t> highest(options.rounds);
  for (std::size_t first = 0; first < drawn.size(); first += options.rounds) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(options.rounds);
    for (std::size_t round = 0; round < options.rounds; ++round)
      highest[round] = std::max(highest[round],
                                static_cast<std::size_t>(std::lower_bound(begin, end, drawn[first + round]) - begin));
  }
  const auto rank = static_cast<std::size_t>(std::ceil(options.level * static_cast<double>(options.rounds)));
  std::nth_element(highest.begin(), highest.begin() + static_cast<std::ptrdiff_t>(rank - 1), highest.end());
  return highest[rank - 1];
}

/// The quantile of each figure, and the marginal level that they have in common.
struct quantiles {
  std::vector<double> values;
  double level = 0;
};

quantiles quantiles_of(const std::vector<double>& drawn, const bootstrap_options& options) {
  std::vector<double> sorted = drawn;
  const std::size_t figures = drawn.size() / options.rounds;
  for_each_job(figures, [&](std::size_t figure, unsigned) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(figure * options.rounds);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(options.rounds));
  });
  const std::size_t rank = common_rank(drawn, sorted, options);
  quantiles result{{}, static_cast<double>(rank) / static_cast<double>(options.rounds)};
  for (std::size_t i = 0; i < figures; ++i) result.values.push_back(sorted[i * options.rounds + rank]);
  return result;
}

/// The blocks of both sides, each with what it would contribute to the mean of `count` blocks.
influences pooled(const influences& before, const influences& after, std::size_t count) {
  influences result{before.figures, {}, {0, before.blocks() + after.blocks()}};
  for (const influences* const side : {&before, &after})
    for (const double value : side->values)
      result.values.push_back(value * static_cast<double>(side->blocks()) / static_cast<double>(count));
  return result;
}

/// Raises quantiles to what they would be if the blocks of both sides were of one kind.
void raise_to_pooled(const influences& before, const influences& after, const joint_variance& variance,
                     const bootstrap_options& options, quantiles& to) {
  const influences old_pool = pooled(before, after, before.blocks()), new_pool = pooled(before, after, after.blocks());
  const quantiles found = quantiles_of(draw_rounds(before.figures, {old_pool, false, before.blocks()},
                                                   {new_pool, false, after.blocks()}, variance, options),
                                       options);
  for (std::size_t i = 0; i < before.figures; ++i) to.values[i] = std::max(to.values[i], found.values[i]);
}

/// Welch's degrees of freedom of a sum of two variances.
double joint_freedom(double a, double a_freedom, double b, double b_freedom) {
  if (a + b <= 0) return std::min(a_freedom, b_freedom);
  return (a + b) * (a + b) / (a * a / std::max(a_freedom, 1.0) + b * b / std::max(b_freedom, 1.0));
}

/// All blocks as those of one launch: a launch that has a single one tells nothing of how blocks vary.
influences joined(const influences& of) { return {of.figures, of.values, {0, of.blocks()}}; }

}  // namespace

bootstrap_result bootstrap(const influences& before, const influences& after, const bootstrap_options& options) {
  bootstrap_result result;
  result.over_launches = before.launches() > 1 && after.launches() > 1;
  if (before.figures == 0) return result;
  if (!result.over_launches && before.launches() + after.launches() > 2)
    return bootstrap(joined(before), joined(after), options);
  resampler old_side(before, result.over_launches), new_side(after, result.over_launches);
  const joint_variance variance(before, after);
  quantiles found = quantiles_of(draw_rounds(before.figures, old_side, new_side, variance, options), options);
  if (variance.pools()) raise_to_pooled(before, after, variance, options, found);
  side_sums old_sums, new_sums;
  old_side.sum(old_sums);
  new_side.sum(new_sums);
  for (std::size_t i = 0; i < before.figures; ++i) {
    const double freedom =
        joint_freedom(old_sums.variance[i], old_side.freedom(), new_sums.variance[i], new_side.freedom());
    const double quantile = std::max(found.values[i], student_quantile(found.level, freedom));
    const double error = std::sqrt(variance(old_sums.variance[i], new_sums.variance[i]));
    result.half_widths.push_back(error > 0 ? quantile * error : 0);
  }
  return result;
}

}  // namespace iket::analysis
