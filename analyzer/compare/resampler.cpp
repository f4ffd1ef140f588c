// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/resampler.hpp"

#include <algorithm>

namespace iket::analysis {
namespace {

/// The sum of squared deviations from the mean of `count` values, times count / (count - 1): the variance of the sum of
/// so many independent ones. What rounding alone may leave is nothing.
double variance_of_sum(double sum, double squares, std::size_t count) {
  constexpr double rounding = 1e-12;
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  const double rest = squares - sum * sum / n;
  return rest > rounding * squares ? rest * n / (n - 1) : 0;
}

}  // namespace

void resampler::begin(side_sums& to) {
  const std::size_t figures = of_.figures;
  to.deviation.assign(figures, 0);
  to.variance.assign(figures, 0);
  sums_.assign(figures, 0);
  squares_.assign(figures, 0);
  launch_sums_.assign(figures, 0);
  launch_squares_.assign(figures, 0);
}

void resampler::add_block(std::size_t block) {
  const std::size_t figures = of_.figures;
  const double* const values = of_.values.data() + block * figures;
  double* const sums = sums_.data();
  double* const squares = squares_.data();
  for (std::size_t i = 0; i < figures; ++i) {
    sums[i] += values[i];
    squares[i] += values[i] * values[i];
  }
}

void resampler::end_launch(std::size_t blocks, side_sums& to) {
  for (std::size_t i = 0; i < of_.figures; ++i) {
    to.variance[i] += variance_of_sum(sums_[i], squares_[i], blocks);
    launch_sums_[i] += sums_[i];
    launch_squares_[i] += sums_[i] * sums_[i];
  }
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(squares_.begin(), squares_.end(), 0);
}

void resampler::end(side_sums& to) {
  to.deviation = launch_sums_;
  if (!over_launches_) return;
  for (std::size_t i = 0; i < of_.figures; ++i)
    to.variance[i] = std::max(to.variance[i], variance_of_sum(launch_sums_[i], launch_squares_[i], of_.launches()));
}

void resampler::sum(side_sums& to) {
  begin(to);
  for (std::size_t launch = 0; launch < of_.launches(); ++launch) {
    for (std::size_t block = of_.first_block[launch]; block < of_.first_block[launch + 1]; ++block) add_block(block);
    end_launch(of_.first_block[launch + 1] - of_.first_block[launch], to);
  }
  end(to);
}

void resampler::draw(drawing& random, side_sums& to) {
  begin(to);
  for (std::size_t i = 0; i < of_.launches(); ++i) {
    const std::size_t launch = over_launches_ ? random.below(of_.launches()) : i;
    const std::size_t first = of_.first_block[launch];
    const std::size_t count = of_.first_block[launch + 1] - first;
    const std::size_t draws = draws_ != 0 ? draws_ : count;
    for (std::size_t k = 0; k < draws; ++k) add_block(first + random.below(count));
    end_launch(draws, to);
  }
  end(to);
}

double resampler::freedom() const {
  return static_cast<double>(over_launches_ ? of_.launches() - 1 : of_.blocks() - of_.launches());
}

}  // namespace iket::analysis
