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

/// The steps between neighbouring different values of the timer, in their order.
std::vector<std::uint64_t> steps_of(std::span<const sm_pair> pairs) {
  std::vector<std::uint64_t> values;
  values.reserve(pairs.size());
  for (const sm_pair& pair : pairs) values.push_back(pair.globaltimer_ns);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (std::size_t i = 0; i + 1 < values.size(); ++i) values[i] = values[i + 1] - values[i];
  if (!values.empty()) values.pop_back();
  return values;
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

/// The divisor that most groups of steps have: a value that was read wrongly spoils only its own group.
std::uint64_t usual_divisor(std::span<const std::uint64_t> steps) {
  if (steps.size() < 2 * enough_steps) return common_divisor(steps);
  std::vector<std::uint64_t> divisors;
  for (std::size_t i = 0; i + enough_steps <= steps.size(); i += enough_steps)
    divisors.push_back(common_divisor(steps.subspan(i, enough_steps)));
  std::sort(divisors.begin(), divisors.end());
  std::uint64_t usual = divisors[0];
  std::size_t most = 0;
  for (std::size_t first = 0, last = 0; first < divisors.size(); first = last) {
    while (last < divisors.size() && divisors[last] == divisors[first]) ++last;
    if (last - first <= most) continue;
    most = last - first;
    usual = divisors[first];
  }
  return usual;
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
  std::vector<std::uint64_t> steps = steps_of(pairs);
  if (steps.empty()) return {};
  const auto tick = static_cast<double>(usual_divisor(steps));
  if (!stands_longer_than(pairs, tick, ns_per_cycle)) return {tick, 0};
  // A value read wrongly makes two steps that are too short; they are few.
  const auto low = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 20);
  std::nth_element(steps.begin(), low, steps.end());
  const double step = std::max(tick, static_cast<double>(*low));
  return {step, step > tick ? tick : 0};
}

}  // namespace iket::analysis
