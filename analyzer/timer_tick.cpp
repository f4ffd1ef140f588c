// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "timer_tick.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace iket::analysis {
namespace {

/// The different values that the timer showed, in their order.
std::vector<std::uint64_t> values_of(std::span<const sm_pair> pairs) {
  std::vector<std::uint64_t> values;
  values.reserve(pairs.size());
  for (const sm_pair& pair : pairs) values.push_back(pair.globaltimer_ns);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// From each value to the next.
std::vector<std::uint64_t> steps_of(std::span<const std::uint64_t> values) {
  std::vector<std::uint64_t> steps;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) steps.push_back(values[i + 1] - values[i]);
  return steps;
}

// Of seven steps of random length, all share a factor once in a hundred times.
constexpr std::size_t enough_steps = 7;

std::uint64_t common_divisor(std::span<const std::uint64_t> steps) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t step : steps) divisor = std::gcd(divisor, step);
  if (steps.size() < enough_steps)
    for (const std::uint64_t known : {1024, 1000, 32})
      if (divisor % known == 0) return known;
  return divisor;
}

/// Divisors of groups of steps, those that most groups have first; at most 16. A value that was read wrongly spoils
/// only the groups of its two steps.
std::vector<std::uint64_t> likely_divisors(std::span<const std::uint64_t> steps) {
  constexpr std::size_t most = 16;
  std::map<std::uint64_t, std::size_t> groups;
  for (std::size_t i = 0; i + enough_steps <= steps.size(); i += enough_steps)
    ++groups[common_divisor(steps.subspan(i, enough_steps))];
  std::vector<std::uint64_t> divisors;
  for (const auto& [divisor, count] : groups) divisors.push_back(divisor);
  std::stable_sort(divisors.begin(), divisors.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return groups[a] > groups[b]; });
  divisors.resize(std::min(divisors.size(), most));
  return divisors;
}

/// Whether three of four values lie on one grid of that step. They are more than half, so Boyer and Moore's majority
/// vote finds what they leave when divided by the step. Linear.
bool lie_on_grid(std::span<const std::uint64_t> values, std::uint64_t step) {
  std::uint64_t rest = 0;
  std::size_t votes = 0;
  for (const std::uint64_t value : values) {
    if (votes == 0) rest = value % step;
    votes = value % step == rest ? votes + 1 : votes - 1;
  }
  const auto on_grid =
      std::count_if(values.begin(), values.end(), [&](std::uint64_t value) { return value % step == rest; });
  return static_cast<std::size_t>(on_grid) >= values.size() - values.size() / 4;
}

/// The largest step of a grid on which most values lie.
std::uint64_t grid_step(std::span<const std::uint64_t> values, std::span<const std::uint64_t> steps) {
  if (steps.size() < 2 * enough_steps) return common_divisor(steps);
  const std::vector<std::uint64_t> likely = likely_divisors(steps);
  std::uint64_t largest = 0;
  for (const std::uint64_t step : likely)
    if (step > largest && lie_on_grid(values, step)) largest = step;
  return largest != 0 ? largest : likely[0];
}

/// True where SMs read one value for clearly longer than `tick_ns`, more often than single bad pairs could say so.
bool stands_longer_than(std::span<const sm_pair> pairs, double tick_ns, double ns_per_cycle) {
  std::size_t runs = 0;
  std::size_t long_runs = 0;
  for (std::size_t first = 0; first < pairs.size();) {
    std::size_t last = first;
    while (last + 1 < pairs.size() && pairs[last + 1].sm == pairs[first].sm &&
           pairs[last + 1].globaltimer_ns == pairs[first].globaltimer_ns)
      ++last;
    if (last != first) {
      ++runs;
      if (static_cast<double>(pairs[last].cycles - pairs[first].cycles) * ns_per_cycle > 1.5 * tick_ns) ++long_runs;
    }
    first = last + 1;
  }
  return long_runs >= 2 && long_runs * 10 >= runs;
}

}  // namespace

timer_step estimate_timer_step(std::span<const sm_pair> pairs, double ns_per_cycle) {
  const std::vector<std::uint64_t> values = values_of(pairs);
  std::vector<std::uint64_t> steps = steps_of(values);
  if (steps.empty()) return {};
  const auto tick = static_cast<double>(grid_step(values, steps));
  if (!stands_longer_than(pairs, tick, ns_per_cycle)) return {tick, 0};
  // A value read wrongly makes two steps that are too short; they are few.
  const auto low = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 20);
  std::nth_element(steps.begin(), low, steps.end());
  const double step = std::max(tick, static_cast<double>(*low));
  return {step, step > tick ? tick : 0};
}

}  // namespace iket::analysis
