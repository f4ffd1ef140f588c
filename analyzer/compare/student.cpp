// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/student.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace iket::analysis {
namespace {

// Even; the integrand is about 1 / sqrt(1000) wide at the least.
constexpr std::size_t steps = 1024;

/// The integral of cos(a)^power from 0 to the end of each pair of steps of [0, pi / 2].
std::array<double, steps / 2 + 1> integrals_of(double power) {
  constexpr double step = std::numbers::pi / 2 / steps;
  const auto value = [&](std::size_t number) {
    return std::pow(std::max(std::cos(static_cast<double>(number) * step), 0.0), power);
  };
  std::array<double, steps / 2 + 1> sums{};
  for (std::size_t i = 0; i < steps; i += 2) {
    const double part = step / 3 * (value(i) + 4 * value(i + 1) + value(i + 2));
    sums[i / 2 + 1] = sums[i / 2] + part;
  }
  return sums;
}

}  // namespace

double student_quantile(double level, double freedom) {
  if (level >= 1) return std::numeric_limits<double>::infinity();
  freedom = std::clamp(freedom, 1.0, 1000.0);
  const std::array<double, steps / 2 + 1> sums = integrals_of(freedom - 1);
  const double wanted = std::max(level, 0.0) * sums.back();
  const auto above = std::upper_bound(sums.begin(), sums.end(), wanted);
  const auto place = static_cast<std::size_t>(above - sums.begin()) - 1;
  if (above == sums.end()) return std::numeric_limits<double>::infinity();
  // Within the pair of steps, Newton's method on Simpson's rule.
  constexpr double pair = std::numbers::pi / steps;
  const auto value = [&](double angle) { return std::pow(std::max(std::cos(angle), 0.0), freedom - 1); };
  const double begin = static_cast<double>(place) * pair;
  const double rest = wanted - sums[place];
  double angle = begin + pair * rest / (sums[place + 1] - sums[place]);
  for (int i = 0; i < 20 && value(angle) > 0; ++i) {
    const double part = (angle - begin) / 6 * (value(begin) + 4 * value((begin + angle) / 2) + value(angle));
    angle = std::clamp(angle - (part - rest) / value(angle), begin, begin + pair);
  }
  return std::sqrt(freedom) * std::tan(angle);
}

}  // namespace iket::analysis
