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

/// Studentised differences: all rounds of a figure after another.
std::vector<double> draw_rounds(const influences& before, const influences& after, bool over_launches,
                                const bootstrap_options& options) {
  constexpr std::size_t rounds_a_job = 50;
  std::vector<double> drawn(options.rounds * before.figures);
  for_each_job((options.rounds + rounds_a_job - 1) / rounds_a_job, [&](std::size_t job, unsigned) {
    resampler old_side(before, over_launches), new_side(after, over_launches);
    side_sums old_sums, new_sums;
    const std::size_t end = std::min((job + 1) * rounds_a_job, options.rounds);
    for (std::size_t round = job * rounds_a_job; round < end; ++round) {
      drawing random(options.seed, round);
      old_side.draw(random, old_sums);
      new_side.draw(random, new_sums);
      for (std::size_t i = 0; i < before.figures; ++i)
        drawn[i * options.rounds + round] =
            studentised(new_sums.deviation[i] - old_sums.deviation[i], new_sums.variance[i] + old_sums.variance[i]);
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

/// Welch's degrees of freedom of a sum of two variances.
double joint_freedom(double a, double a_freedom, double b, double b_freedom) {
  if (a + b <= 0) return std::min(a_freedom, b_freedom);
  return (a + b) * (a + b) / (a * a / std::max(a_freedom, 1.0) + b * b / std::max(b_freedom, 1.0));
}

}  // namespace

bootstrap_result bootstrap(const influences& before, const influences& after, const bootstrap_options& options) {
  bootstrap_result result;
  result.over_launches = before.launches() > 1 && after.launches() > 1;
  if (before.figures == 0) return result;
  const std::vector<double> drawn = draw_rounds(before, after, result.over_launches, options);
  std::vector<double> sorted = drawn;
  for_each_job(before.figures, [&](std::size_t figure, unsigned) {
    const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(figure * options.rounds);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(options.rounds));
  });
  const std::size_t rank = common_rank(drawn, sorted, options);
  const double marginal_level = static_cast<double>(rank) / static_cast<double>(options.rounds);

  resampler old_side(before, result.over_launches), new_side(after, result.over_launches);
  side_sums old_sums, new_sums;
  old_side.sum(old_sums);
  new_side.sum(new_sums);
  for (std::size_t i = 0; i < before.figures; ++i) {
    const double freedom =
        joint_freedom(old_sums.variance[i], old_side.freedom(), new_sums.variance[i], new_side.freedom());
    const double quantile = std::max(sorted[i * options.rounds + rank], student_quantile(marginal_level, freedom));
    const double error = std::sqrt(old_sums.variance[i] + new_sums.variance[i]);
    result.half_widths.push_back(error > 0 ? quantile * error : 0);
  }
  return result;
}

}  // namespace iket::analysis
