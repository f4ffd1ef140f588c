// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "timer_tick.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace iket::analysis {
namespace {

/// The steps between neighbouring different values of the timer, smallest first.
std::vector<std::uint64_t> sorted_steps(std::span<const sm_pair> pairs) {
  std::vector<std::uint64_t> values;
  values.reserve(pairs.size());
  for (const sm_pair& pair : pairs) values.push_back(pair.globaltimer_ns);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
  if (!values.empty()) values.pop_back();
  std::sort(values.begin(), values.end());
  return values;
}

std::uint64_t common_divisor(const std::vector<std::uint64_t>& steps) {
  std::uint64_t divisor = 0;
  for (const std::uint64_t step : steps) divisor = std::gcd(divisor, step);
  // Of seven steps of random length, all share a factor once in a hundred times.
  if (steps.size() < 7)
    for (const std::uint64_t known : {1024, 1000, 32})
      if (divisor % known == 0) return known;
  return divisor;
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

double estimate_tick_ns(std::span<const sm_pair> pairs, double ns_per_cycle) {
  const std::vector<std::uint64_t> steps = sorted_steps(pairs);
  if (steps.empty()) return 0;
  const auto tick = static_cast<double>(common_divisor(steps));
  if (!stands_longer_than(pairs, tick, ns_per_cycle)) return tick;
  // A value read wrongly makes two steps that are too short; they are few.
  return std::max(tick, static_cast<double>(steps[steps.size() / 20]));
}

}  // namespace iket::analysis
