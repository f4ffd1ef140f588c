// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "related_json.hpp"

namespace iket::analysis {
namespace {

using namespace report_values;

json optional_fraction(picosecond_sum part, picosecond_sum whole) {
  return whole != 0 ? json(static_cast<double>(part) / static_cast<double>(whole)) : json(nullptr);
}

json overlap_json(const overlap_statistics& one) {
  return {{"a", one.a},
          {"b", one.b},
          {"scope", scope_name(one.scope)},
          {"overlap_ns", nanoseconds(one.overlap)},
          {"a_ns", nanoseconds(one.a_time)},
          {"b_ns", nanoseconds(one.b_time)},
          {"fraction_of_a", optional_fraction(one.overlap, one.a_time)},
          {"fraction_of_b", optional_fraction(one.overlap, one.b_time)}};
}

json wait_json(const wait_statistics& wait) {
  const auto cover = [&](const cover_part& part) {
    return json{{"activity", part.activity}, {"fraction", optional_number(wait.fraction(part.time))}};
  };
  const auto release = [](const releaser& by) {
    return json{{"stage", by.stage}, {"role", by.role}, {"count", integer(by.count)}};
  };
  const bool known = wait.related != 0;
  return {{"stage", wait.stage},
          {"role", wait.role},
          {"total_ns", nanoseconds(wait.total)},
          {"covered_by", known ? array_of(wait.covered_by, cover) : json(nullptr)},
          {"skew_fraction", optional_number(wait.fraction(wait.skew))},
          {"uncovered_fraction", optional_number(wait.fraction(wait.uncovered))},
          {"long_waits", integer(wait.long_waits)},
          {"released_by", array_of(wait.released_by, release)}};
}

json imbalance_json(const imbalance_statistics& one) {
  return {{"stage", one.stage},
          {"role", one.role},
          {"across", division_name(one.across)},
          {"n", integer(one.n)},
          {"mean_ns", one.mean_ps() / 1000},
          {"max_ns", nanoseconds(one.max)},
          {"max_over_mean", optional_number(one.max_over_mean())},
          {"cv", optional_number(one.cv())}};
}

json tail_json(const std::optional<tail_statistics>& tail) {
  if (!tail) return nullptr;
  return {{"median_end_ns", mean_ns(tail->median_end, tail->launches)},
          {"last_end_ns", mean_ns(tail->last_end, tail->launches)},
          {"fraction", optional_number(tail->fraction())},
          {"sms", integer(tail->fewest_sms)}};
}

json path_json(const critical_path& path) {
  return array_of(path.shares, [&](const path_share& share) {
    return json{{"stage", share.stage},
                {"kind", path_kind_name(share.kind)},
                {"ns", mean_ns(share.time, path.launches)},
                {"fraction", optional_fraction(share.time, path.duration)}};
  });
}

json stage_json(const pipeline_stage& stage) {
  return {{"stage", stage.stage},
          {"role", stage.role},
          {"by", stage.by_payload ? "payload" : "order"},
          {"iterations", integer(stage.iterations)},
          {"latency_p50_ns", nanoseconds(stage.latency_p50)},
          {"latency_p90_ns", nanoseconds(stage.latency_p90)},
          {"latency_max_ns", nanoseconds(stage.latency_max)},
          {"interval_p50_ns", nanoseconds(stage.interval_p50)},
          {"depth_used", stage.depth ? integer(*stage.depth) : json(nullptr)}};
}

json pipeline_json(const pipeline& one) {
  const auto phase = [&](picosecond_sum pipeline_phases::*member) {
    return one.phases ? mean_ns((*one.phases).*member, one.ctas) : json(nullptr);
  };
  return {{"ctas", integer(one.ctas)},
          {"interval_ns", nanoseconds(one.interval)},
          {"fill_ns", phase(&pipeline_phases::fill)},
          {"steady_ns", phase(&pipeline_phases::steady)},
          {"drain_ns", phase(&pipeline_phases::drain)},
          {"stages", array_of(one.stages, stage_json)},
          {"unknown", one.unknown}};
}

}  // namespace

void add_related(const launch_report& launch, json& to) {
  const related_statistics& related = launch.related;
  to["observed_together_fraction"] = optional_fraction(related.together, related.observed);
  to["overlap"] = array_of(related.overlap, overlap_json);
  to["waits"] = array_of(related.waits, wait_json);
  to["imbalance"] = array_of(launch.imbalance, imbalance_json);
  to["tail"] = tail_json(launch.tail);
  to["critical_path"] = path_json(launch.critical_path);
  to["pipelines"] = array_of(related.pipelines.pipelines, pipeline_json);
  to["pipelines_reason"] = related.pipelines.reason.empty() ? json(nullptr) : json(related.pipelines.reason);
}

}  // namespace iket::analysis
