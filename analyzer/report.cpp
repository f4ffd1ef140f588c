// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "findings.hpp"
#include "launch_group.hpp"
#include "limits.hpp"

namespace iket::analysis {
namespace {

void add(const warp_timeline& warp, launch_report& to) {
  ++to.warps;
  if (!warp.closed && to.warps_unclosed == 0)
    to.first_unclosed = "CTA " + std::to_string(warp.cta[0]) + "," + std::to_string(warp.cta[1]) + "," +
                        std::to_string(warp.cta[2]) + " warp " + std::to_string(warp.warp);
  to.warps_unclosed += warp.closed ? 0 : 1;
  to.warps_with_loss += warp.lost != 0 ? 1 : 0;
  to.written += warp.written;
  to.kept += warp.kept;
  to.lost += warp.lost;
  to.events += warp.events;
  for (const odd_events& odd : warp.odd) {
    to.unmatched += odd.unmatched;
    to.cut += odd.cut;
    to.open += odd.open;
  }
}

void add_duration(picoseconds duration, launch_report& to) {
  to.shortest = to.launches_timed == 0 ? duration : std::min(to.shortest, duration);
  to.longest = std::max(to.longest, duration);
  ++to.launches_timed;
}

/// Those of a file are few, but a group may have very many launches.
void add(const fault& one, launch_report& to) {
  for (fault& known : to.faults)
    if (known.kind == one.kind && known.site == one.site && known.source == one.source) {
      known.count += one.count;
      return;
    }
  if (to.faults.size() == limits::faults)
    to.faults_dropped += one.count;
  else
    to.faults.push_back(one);
}

void add(const launch& one, launch_report& to) {
  if (!one.warps.empty()) add_duration(one.end - one.begin, to);
  to.ctas_traced += one.ctas_traced;
  to.ctas_total += one.ctas_total;
  to.warps_reserved += one.ctas_traced * count_warps(one.warp_mask, one.warps_per_cta);
  to.warps_missing += one.warps_opened - std::min<std::uint64_t>(one.warps_opened, one.warps.size());
  to.records_per_warp = to.count == 0 ? one.records_per_warp : std::min(to.records_per_warp, one.records_per_warp);
  to.recorders_refused += one.recorders_refused;
  if (one.recorders_refused != 0) {
    to.refused_grid = one.refused_grid;
    to.refused_block = one.refused_block;
  }
  to.launches_compiled_out += one.compiled_out ? 1 : 0;
  to.launches_untraced += one.untraced ? 1 : 0;
  to.launches_over_limit += one.over_limit ? 1 : 0;
  to.launches_keep_first += one.keep_first ? 1 : 0;
  to.launches_checked += one.checked ? 1 : 0;
  to.launches_event_timed += one.event_time_ns != 0 ? 1 : 0;
  to.event_duration_ps += 1000.0 * static_cast<double>(one.event_time_ns);
  to.launches_missed += one.replays_missed;
  to.warps_unplaced += one.warps_unplaced;
  to.launches_mixed += one.replays_mixed ? 1 : 0;
  to.launches_running += one.running ? 1 : 0;
  to.launches_failed += one.failed ? 1 : 0;
  if (one.regions != 0) to.regions = to.regions == 0 ? one.regions : std::min(to.regions, one.regions);
  for (const fault& found : one.faults) add(found, to);
  to.faults_dropped += one.faults_dropped;
  to.bytes_needed = std::max(to.bytes_needed, one.bytes_needed);
  to.bytes_limit = std::max(to.bytes_limit, one.bytes_limit);
  ++to.count;
  for (const warp_timeline& warp : one.warps) add(warp, to);
}

double mean_duration_ps(const launch_group& group, std::uint64_t timed) {
  picosecond_sum sum = 0;
  for (const launch* one : group)
    if (!one->warps.empty()) sum += one->end - one->begin;
  return timed == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(timed);
}

void add_selection(const launch_group& group, launch_report& to) {
  const launch& first = *group.front();
  const auto is_like_first = [&](const launch* one) {
    return static_cast<const selection&>(*one) == first && one->ctas_traced == first.ctas_traced;
  };
  if (!std::all_of(group.begin(), group.end(), is_like_first)) {
    to.cta_selection = "another part in some launches";
    return;
  }
  to.selected = first;
  to.cta_selection = cta_text(first, first.ctas_traced);
  to.warp_selection = warp_text(first.warp_mask, first.warps_per_cta);
}

/// The clocks of all launches that have warps: the largest uncertainty, the median of the medians.
clock_summary clock_of(const launch_group& group) {
  clock_summary result;
  std::vector<double> medians, rates;
  for (const launch* one : group) {
    if (one->warps.empty()) continue;
    const clock_summary& clock = one->clock;
    if (medians.empty()) result = clock;
    result.uncertainty_ns = std::max(result.uncertainty_ns, clock.uncertainty_ns);
    result.tick_ns = std::max(result.tick_ns, clock.tick_ns);
    result.rate_assumed = result.rate_assumed || clock.rate_assumed;
    medians.push_back(clock.uncertainty_median_ns);
    rates.push_back(clock.sm_ghz);
  }
  if (medians.empty()) return result;
  const auto middle = medians.begin() + static_cast<std::ptrdiff_t>(medians.size() / 2);
  std::nth_element(medians.begin(), middle, medians.end());
  result.uncertainty_median_ns = *middle;
  result.sm_ghz = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  return result;
}

/// What relates stages to each other.
void add_relations(const timeline& source, const launch_group& group, scope by, launch_report& to) {
  if (to.stages.size() > limits::related_stages) {
    to.relations_left_out = "more than " + std::to_string(limits::related_stages) + " stages";
    to.related.pipelines.reason = to.relations_left_out;
    return;
  }
  to.related = related_statistics_of(source, group, by);
  if (to.related.waits_left_out) to.relations_left_out = "too many stages at a time";
  to.critical_path = critical_path_of(source, group, by);
}

launch_report report_on(const timeline& source, const launch_group& group, const launch_order& order,
                        const report_options& options, group_standing&& standing) {
  const launch& first = *group.front();
  launch_report result;
  result.kernel = first.kernel;
  result.file = first.file;
  result.is_of_several = has_several_files(source);
  result.grid = first.grid;
  result.block = first.block;
  result.clock = clock_of(group);
  result.host_begin_ns = first.host_begin_ns;
  result.host_begin_error_ns = first.host_begin_error_ns;
  result.warps_per_cta = first.warps_per_cta;
  if (first.device != none) result.gpu = source.devices.at(first.device);
  if (first.device != none && source.devices.size() > 1) result.gpu_number = first.device;
  for (const launch* one : group) add(*one, result);
  if (result.launches_event_timed != 0) result.event_duration_ps /= static_cast<double>(result.launches_event_timed);
  add_selection(group, result);
  result.duration_ps = mean_duration_ps(group, result.launches_timed);
  result.sequence = order.sequence_of(group);
  result.overhead = overhead_of(source, group);
  if (result.overhead && result.clock.sm_ghz > 0)
    result.too_short_ps = 1000.0 * too_short_events * result.overhead->event_burst_cycles / result.clock.sm_ghz;
  result.standing = std::move(standing.launches);
  result.standing_left_out = standing.left_out;
  result.launches_not_begun = standing.not_begun;
  result.stages = stage_statistics_of(source, group);
  result.roles = role_statistics_of(source, group);
  add_relations(source, group, options.scope, result);
  result.imbalance = imbalance_of(source, group);
  result.tail = tail_of(group);
  result.findings = findings_of(result);
  return result;
}

}  // namespace

report make_report(const timeline& source, const report_options& options) {
  report result;
  result.file = source.file;
  result.files = source.files;
  result.devices = source.devices;
  result.warnings = source.warnings;
  const launch_order order(source);
  std::vector<launch_group> groups = group_launches(source);
  const std::size_t most = limits::groups_with(source.stages.size());
  if (groups.size() > most) {
    result.warnings.push_back("only " + std::to_string(most) + " of " + std::to_string(groups.size()) +
                              " kinds of launches (by kernel, grid and block) are reported; --launch takes others");
    groups.resize(most);
  }
  std::vector<group_standing> standings = standings_of(source, groups);
  for (std::size_t i = 0; i < groups.size(); ++i)
    result.launches.push_back(report_on(source, groups[i], order, options, std::move(standings[i])));
  return result;
}

}  // namespace iket::analysis
