// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "report_json.hpp"

#include "compare/comparison_json.hpp"
#include "counters/counters_json.hpp"
#include "fault_list.hpp"
#include "related_json.hpp"
#include "report_values.hpp"
#include "standing_json.hpp"

namespace iket::analysis {
namespace {

using namespace report_values;

json duration_ns(const std::optional<duration_spread>& spread, picoseconds duration_spread::*member) {
  return spread ? json(nanoseconds(*spread.*member)) : json(nullptr);
}

json json_of(const source_location& source) { return {{"file", source.file}, {"line", source.line}}; }
json json_of(const stage_statistics& stage);
json json_of(const role_statistics& role);
json json_of(const finding& found);
json json_of(const fault& found);
json json_of(const launch_report& launch);

constexpr auto as_json = [](const auto& one) { return json_of(one); };

json json_of(const stage_statistics& stage) {
  const std::optional<double> mean_ps = stage.mean_ps();
  return {{"name", stage.name},
          {"kind", stage.kind == stage_kind::wait ? "wait" : "work"},
          {"roles", stage.roles},
          {"count", integer(stage.count)},
          {"total_ns", nanoseconds(stage.total)},
          {"self_ns", nanoseconds(stage.self)},
          {"mean_ns", mean_ps ? json(*mean_ps / 1000.0) : json(nullptr)},
          {"min_ns", duration_ns(stage.spread, &duration_spread::min)},
          {"p50_ns", duration_ns(stage.spread, &duration_spread::p50)},
          {"p90_ns", duration_ns(stage.spread, &duration_spread::p90)},
          {"p99_ns", duration_ns(stage.spread, &duration_spread::p99)},
          {"max_ns", duration_ns(stage.spread, &duration_spread::max)},
          {"share", optional_number(stage.share())},
          {"open", integer(stage.open)},
          {"open_ns", nanoseconds(stage.open_time)},
          {"cut", integer(stage.cut)},
          {"unmatched", integer(stage.unmatched)},
          {"estimated_overhead_fraction", optional_number(stage.overhead)},
          {"too_short", stage.too_short ? integer(*stage.too_short) : json(nullptr)},
          {"sources", array_of(stage.sources, as_json)}};
}

json json_of(const role_statistics& role) {
  return {{"name", role.name},
          {"warps", integer(role.warps)},
          {"lifetime_ns", nanoseconds(role.lifetime())},
          {"work_ns", nanoseconds(role.work)},
          {"wait_ns", nanoseconds(role.wait)},
          {"untracked_ns", nanoseconds(role.untracked)},
          {"lost_ns", nanoseconds(role.lost)}};
}

json json_of(const finding& found) {
  const char* const severities[] = {"info", "warning", "bottleneck"};
  return {{"severity", severities[static_cast<std::size_t>(found.severity)]},
          {"text", found.text},
          {"stage", found.stage.empty() ? json(nullptr) : json(found.stage)},
          {"value", optional_number(found.value)}};
}

json json_of(const fault& found) {
  const bool has_source = !found.source.file.empty();
  return {{"kind", kind_name(found.kind)},
          {"count", integer(found.count)},
          {"site", found.site.empty() ? json(nullptr) : json(found.site)},
          {"file", has_source ? json(found.source.file) : json(nullptr)},
          {"line", has_source ? json(found.source.line) : json(nullptr)},
          {"cta", found.cta},
          {"warp", found.warp}};
}

json calibration_of(const std::optional<calibration>& measured) {
  if (!measured) return nullptr;
  const auto known = [](double value) { return value > 0 ? json(value) : json(nullptr); };
  return {{"event_cycles", known(measured->event_cycles)},
          {"event_burst_cycles", known(measured->event_burst_cycles)},
          {"timer_tick_ns", known(measured->timer_tick_ns)},
          {"sm_clock_ghz", known(measured->sm_clock_ghz)}};
}

json host_clock_of(const std::optional<host_clock>& clock) {
  if (!clock) return nullptr;
  return {{"zero_ns", integer(clock->zero_ns)},
          {"drift_ppm", clock->drift_ppm},
          {"drift_error_ppm", clock->drift_error_ppm},
          {"error_ns", clock->error_ns},
          {"left_out", integer(clock->left_out)},
          {"boot_id", clock->boot_id.empty() ? json(nullptr) : json(clock->boot_id)}};
}

json overhead_of(const launch_report& launch) {
  if (!launch.overhead) return nullptr;
  return {{"event_cost_cycles", launch.overhead->event_cycles},
          {"event_burst_cost_cycles", launch.overhead->event_burst_cycles},
          {"estimated_fraction", optional_number(launch.overhead->fraction)}};
}

json selection_of(const launch_report& launch) {
  if (!launch.selected) return nullptr;
  const selection& of = *launch.selected;
  const char* const choices[] = {"every", "range", "list", "unknown"};
  const bool is_range = of.choice == cta_choice::range && of.last_cta > of.first_cta;
  return {{"choice", choices[static_cast<std::size_t>(of.choice)]},
          {"stride", of.cta_stride},
          {"first_cta", is_range ? json(of.first_cta) : json(nullptr)},
          {"last_cta", is_range ? json(of.last_cta - 1) : json(nullptr)},
          {"cluster", of.cluster},
          {"warps", warps_of(of.warp_mask, launch.warps_per_cta)}};
}

json clock_of(const launch_report& launch) {
  if (launch.launches_timed == 0) return nullptr;
  return {
      {"sm_ghz", launch.clock.sm_ghz},
      {"uncertainty_ns", launch.clock.rate_assumed ? json(nullptr) : json(launch.clock.uncertainty_ns)},
      {"uncertainty_median_ns", launch.clock.rate_assumed ? json(nullptr) : json(launch.clock.uncertainty_median_ns)},
      {"tick_ns", launch.clock.tick_ns > 0 ? json(launch.clock.tick_ns) : json(nullptr)},
      {"rate_assumed", launch.clock.rate_assumed},
      {"domains", launch.clock.domains != nullptr ? json(*launch.clock.domains) : json::array()}};
}

json refused_of(const launch_report& launch) {
  if (launch.recorders_refused == 0) return nullptr;
  return {
      {"recorders", integer(launch.recorders_refused)}, {"grid", launch.refused_grid}, {"block", launch.refused_block}};
}

json sequence_of(const launch_sequence& sequence) {
  if (sequence.followers == 0) return nullptr;
  const auto ns = [](const std::optional<double>& ps) { return ps ? json(*ps / 1000.0) : json(nullptr); };
  return {{"followers", integer(sequence.followers)},
          {"overlapping", integer(sequence.overlapping)},
          {"overlap_ns", ns(sequence.mean_overlap_ps())},
          {"gap_ns", ns(sequence.mean_gap_ps())}};
}

json over_limit_of(const launch_report& launch) {
  if (launch.launches_over_limit == 0) return nullptr;
  return {{"launches", integer(launch.launches_over_limit)},
          {"bytes_needed", integer(launch.bytes_needed)},
          {"bytes_limit", integer(launch.bytes_limit)}};
}

void add_duration(const launch_report& launch, json& to) {
  const bool timed = launch.launches_timed != 0;
  to["duration_ns"] = timed ? json(launch.duration_ps / 1000.0) : json(nullptr);
  to["event_duration_ns"] = launch.launches_event_timed != 0 ? json(launch.event_duration_ps / 1000.0) : json(nullptr);
  if (launch.plain)
    to["plain"] = {{"launches", integer(launch.plain->launches)},
                   {"median_ns", launch.plain->median_ns},
                   {"traced_launches", integer(launch.plain->traced_launches)},
                   {"traced_median_ns", launch.plain->traced_median_ns},
                   {"traced_over_plain", launch.plain->ratio()}};
  if (launch.launches_timed < 2) return;
  to["duration_min_ns"] = nanoseconds(launch.shortest);
  to["duration_max_ns"] = nanoseconds(launch.longest);
}

/// Of the launch and of each stage; without a profiler's pages there are no such members.
void add_counters(const launch_report& launch, json& to) {
  to["counters"] = counters::json_of(*launch.counters);
  for (std::size_t i = 0; i < launch.stages.size(); ++i)
    to["stages"][i]["counters"] =
        counters::json_of_stage(*launch.counters, launch.stages[i].name, launch.stages[i].kind);
}

json json_of(const launch_report& launch) {
  json result{{"kernel", launch.kernel},
              {"file", launch.file},
              {"count", integer(launch.count)},
              {"grid", launch.grid},
              {"block", launch.block},
              {"device", launch.gpu ? json(launch.gpu->name) : json(nullptr)},
              {"device_uuid", launch.gpu ? json(launch.gpu->uuid) : json(nullptr)}};
  result["host_begin_ns"] = launch.host_begin_error_ns ? integer(launch.host_begin_ns) : json(nullptr);
  result["host_begin_error_ns"] = optional_number(launch.host_begin_error_ns);
  add_duration(launch, result);
  result["running"] = integer(launch.launches_running);
  result["failed"] = integer(launch.launches_failed);
  add_standing(launch, result);
  result["sequence"] = sequence_of(launch.sequence);
  result["ctas"] = {{"traced", integer(launch.ctas_traced)}, {"total", integer(launch.ctas_total)}};
  result["selection"] = selection_of(launch);
  result["warps"] = integer(launch.warps);
  result["warps_reserved"] = integer(launch.warps_reserved);
  result["warps_unclosed"] = integer(launch.warps_unclosed);
  result["records_per_warp"] = integer(launch.records_per_warp);
  result["keep_first"] = integer(launch.launches_keep_first);
  result["records"] = {
      {"written", integer(launch.written)}, {"kept", integer(launch.kept)}, {"lost", integer(launch.lost)}};
  result["events"] = {{"kept", integer(launch.events)},
                      {"unmatched", integer(launch.unmatched)},
                      {"cut", integer(launch.cut)},
                      {"open", integer(launch.open)}};
  result["refused"] = refused_of(launch);
  result["compiled_out"] = integer(launch.launches_compiled_out);
  result["launches_missed"] = integer(launch.launches_missed);
  result["launches_mixed"] = integer(launch.launches_mixed);
  result["warps_unplaced"] = integer(launch.warps_unplaced);
  result["over_limit"] = over_limit_of(launch);
  result["checked"] = launch.launches_checked != 0;
  result["clock"] = clock_of(launch);
  result["overhead"] = overhead_of(launch);
  result["stages"] = array_of(launch.stages, as_json);
  if (launch.counters) add_counters(launch, result);
  result["roles"] = array_of(launch.roles, as_json);
  add_related(launch, result);
  result["faults"] = array_of(launch.faults, as_json);
  result["faults_dropped"] = integer(launch.faults_dropped);
  result["findings"] = array_of(launch.findings, as_json);
  return result;
}

json trace_of(const file_device& one, const device& gpu) {
  return {{"file", one.file},
          {"device", gpu.name},
          {"uuid", gpu.uuid},
          {"sms", gpu.sm_count},
          {"compute_capability", std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor)},
          {"calibration", calibration_of(gpu.calibration)},
          {"host_clock", host_clock_of(one.host_clock)},
          {"alignment_error_ns", optional_number(gpu.alignment_error_ns)}};
}

json traces_of(const report& source) {
  json result = json::array();
  for (const file_device& one : source.files) result.push_back(trace_of(one, source.devices.at(one.device)));
  if (result.empty()) result.push_back({{"file", source.file}, {"device", nullptr}});
  return result;
}

}  // namespace

std::string report_json(const report& source) {
  json result{{"schema", "iket-report/1"},
              {"traces", traces_of(source)},
              {"launches", array_of(source.launches, as_json)},
              {"warnings", source.warnings}};
  add_comparison(source, result);
  if (source.slice && source.slice->tells_anything()) result["slice"] = json::parse(slice_json(*source.slice));
  // Names that are no UTF-8 must not cost the report.
  return safe_json(result.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

}  // namespace iket::analysis
