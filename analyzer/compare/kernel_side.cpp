// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/kernel_side.hpp"

#include <algorithm>

#include "overhead.hpp"
#include "picosecond_sum.hpp"
#include "statistics/scope.hpp"

namespace iket::analysis {
namespace {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Of the launches with warps.
void add_clocks(const launch_group& group, compared_side& to) {
  std::vector<double> uncertainties;
  picosecond_sum durations = 0;
  for (const launch* const one : group) {
    if (one->warps.empty()) continue;
    ++to.launches_timed;
    durations += one->end - one->begin;
    to.sm_ghz += one->clock.sm_ghz;
    to.tick_ps = std::max(to.tick_ps, 1000 * one->clock.tick_ns);
    to.rate_assumed = to.rate_assumed || one->clock.rate_assumed;
    uncertainties.push_back(1000 * one->clock.uncertainty_median_ns);
  }
  to.uncertainty_ps = median(std::move(uncertainties));
  if (to.launches_timed == 0) return;
  to.sm_ghz /= static_cast<double>(to.launches_timed);
  to.duration_ps = static_cast<double>(durations) / static_cast<double>(to.launches_timed);
}

compared_side facts_of(const timeline& source, const launch_group& group) {
  const launch& first = *group.front();
  compared_side result;
  result.kernel = first.kernel;
  result.grid = first.grid;
  result.block = first.block;
  if (first.device != none) result.device = source.devices.at(first.device).name;
  for (const launch* const one : group) {
    ++result.launches;
    result.unended += one->running || one->failed ? 1 : 0;
    result.ctas_total += one->ctas_total;
    result.checked = result.checked || one->checked;
    if (!one->warps.empty()) result.units += scope_units(*one, scope::cluster).size();
    result.ctas_traced += ctas_of(*one).size();
    for (const warp_timeline& warp : one->warps) result.lost += warp.lost;
  }
  add_clocks(group, result);
  const std::optional<tracing_overhead> overhead = overhead_of(source, group);
  if (overhead) result.overhead = overhead->fraction;
  if (overhead && result.sm_ghz > 0) result.event_ps = 1000 * overhead->event_burst_cycles / result.sm_ghz;
  return result;
}

}  // namespace

kernel_side kernel_side_of(const timeline& source, const launch_group& group) {
  kernel_side result;
  result.facts = facts_of(source, group);
  result.stages = stage_statistics_of(source, group);
  picosecond_sum lifetime = 0;
  for (const launch* const one : group)
    for (const warp_timeline& warp : one->warps) {
      lifetime += warp.close - warp.open;
      result.roles.insert(role_name(source, warp.role));
    }
  if (result.facts.ctas_traced != 0)
    result.lifetime_per_cta = static_cast<double>(lifetime) / static_cast<double>(result.facts.ctas_traced);
  return result;
}

}  // namespace iket::analysis
