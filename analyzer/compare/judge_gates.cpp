// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/judge_gates.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "compare/kernel_pairs.hpp"
#include "compare/kernel_side.hpp"
#include "role_statistics.hpp"
#include "terminal_text.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t most_told = 12;    // names in a message
constexpr std::size_t widest_told = 60;  // columns of each

/// A kernel without a partner, as the new side of a comparison.
kernel_comparison alone(const timeline& source, const launch_group& group) {
  kernel_side side = kernel_side_of(source, group);
  kernel_comparison result;
  result.after = side.facts;
  if (side.facts.launches_timed != 0) result.duration.after = side.facts.duration_ps;
  for (stage_statistics& one : side.stages) {
    compared_stage_row row{one.name, one.kind, {}, {}, {}, {}};
    row.after = std::move(one);
    result.stages.push_back(std::move(row));
  }
  for (const role_statistics& role : role_statistics_of(source, group)) {
    const auto add = [&](std::string_view time, picosecond_sum sum) {
      compared_role_row row{role.name, time, {}};
      row.value.after = static_cast<double>(sum) / static_cast<double>(role.warps);
      result.roles.push_back(std::move(row));
    };
    add("work", role.work);
    add("wait", role.wait);
    add("untracked", role.untracked);
  }
  return result;
}

/// Why a figure is not to be held against anything; empty: it is. Sums over what happened to be kept are no figures of
/// a CTA or a warp. The self time of a comparison is then one of a range, but a bound without a baseline is one of a
/// CTA.
std::string_view distrust(const gate& one, const kernel_comparison& of) {
  if ((of.before.checked || of.after.checked) && one.unit() != gate_unit::count)
    return "a checked build ran: times are not to be trusted";
  const bool lost = of.before.lost + of.after.lost != 0;
  const bool is_sum = one.subject == gate_subject::role || one.metric == "total" || one.metric == "count" ||
                      (one.metric == "self" && !one.needs_baseline());
  return lost && is_sum ? "records were lost" : "";
}

std::optional<double> figure_of(const std::optional<stage_statistics>& stage, const std::string& metric,
                                const compared_side& side, bool per_range) {
  if (!stage) return std::nullopt;
  const auto per_cta = [&](double sum) -> std::optional<double> {
    if (side.ctas_traced == 0) return std::nullopt;
    return sum / static_cast<double>(side.ctas_traced);
  };
  if (metric == "self" && per_range)
    return stage->count == 0 ? std::nullopt
                             : std::optional(static_cast<double>(stage->self) / static_cast<double>(stage->count));
  if (metric == "self") return per_cta(static_cast<double>(stage->self));
  if (metric == "total") return per_cta(static_cast<double>(stage->total));
  if (metric == "count") return per_cta(static_cast<double>(stage->count));
  if (metric == "share") return stage->share();
  if (metric == "mean") return stage->mean_ps();
  if (!stage->spread) return std::nullopt;
  const duration_spread& spread = *stage->spread;
  const picoseconds value = metric == "min"   ? spread.min
                            : metric == "p50" ? spread.p50
                            : metric == "p90" ? spread.p90
                            : metric == "p99" ? spread.p99
                                              : spread.max;
  return static_cast<double>(value);
}

/// Judges one gate on all that it is about.
class gate_judge {
 public:
  gate_judge(const gate& one, std::vector<gate_result>& to) : gate_(one), to_(to) {}

  void judge(const kernel_comparison& kernel) {
    kernel_ = &kernel;
    if (gate_.subject == gate_subject::launch) {
      names_.insert(kernel.after.kernel);
      if (gate_.name.empty() || gate_.name == kernel.after.kernel) judge(kernel.duration.before, kernel.duration.after);
    }
    if (gate_.subject == gate_subject::stage)
      for (const compared_stage_row& row : kernel.stages) {
        if (row.after) names_.insert(row.stage);
        if (row.stage == gate_.name)
          judge(figure_of(row.before, gate_.metric, kernel.before, kernel.per_range),
                figure_of(row.after, gate_.metric, kernel.after, kernel.per_range), row.after && row.after->count == 0);
      }
    if (gate_.subject == gate_subject::role)
      for (const compared_role_row& row : kernel.roles) {
        if (row.value.after) names_.insert(row.role);
        if (row.role == gate_.name && row.time == gate_.metric) judge(row.value.before, row.value.after);
      }
  }

  /// Throws where nothing was judged.
  void finish() const {
    if (judged_ != 0) return;
    const std::string begin = "--fail-on '" + gate_.text + "' ";
    if (is_known_)
      throw gate_about_nothing(begin + "has no figure to judge" +
                               (gate_.needs_baseline() ? " that both sides have" : "") +
                               (distrust_.empty() ? "" : ": " + std::string(distrust_)));
    std::string known;
    std::size_t told = 0;
    for (const std::string& name : names_) {
      if (told++ == most_told) break;
      known += (known.empty() ? "'" : ", '") + shorten_middle(terminal_safe(name), widest_told) + "'";
    }
    if (names_.size() > most_told) known += " and " + std::to_string(names_.size() - most_told) + " more";
    throw gate_about_nothing(begin + "fits nothing" + (gate_.needs_baseline() ? " that is compared" : "") +
                             (known.empty() ? "" : ": there are " + known));
  }

 private:
  /// `none_ended`: it is of a stage of which there are open ranges at most.
  void judge(const std::optional<double>& before, const std::optional<double>& after, bool none_ended = false) {
    is_known_ = true;
    if (!after && none_ended && kernel_->after.unended != 0) distrust_ = "no range has ended, in a launch that had not";
    if (!after || (gate_.needs_baseline() && !before)) return;
    if (const std::string_view why = distrust(gate_, *kernel_); !why.empty()) {
      distrust_ = why;
      return;
    }
    gate_result result{gate_, kernel_->after.kernel, {}, *after, gate_.limit, false, kernel_->after.unended};
    if (gate_.needs_baseline()) {
      result.unended += kernel_->before.unended;
      result.before = before;
      result.limit = gate_.bound == gate_bound::relative ? *before * (1 + gate_.limit) : *before + gate_.limit;
    }
    result.failed = gate_.above ? *after > result.limit : *after < result.limit;
    ++judged_;
    to_.push_back(std::move(result));
  }

  const gate& gate_;
  std::vector<gate_result>& to_;
  const kernel_comparison* kernel_ = nullptr;
  std::set<std::string> names_;
  bool is_known_ = false;
  std::string_view distrust_;  // why a figure was not judged
  std::size_t judged_ = 0;
};

}  // namespace

std::vector<gate_result> judge_gates(const std::vector<gate>& gates, const timeline& of, const comparison* against) {
  std::vector<gate_result> results;
  std::vector<kernel_comparison> kernels;
  const auto needs_none = [](const gate& one) { return !one.needs_baseline(); };
  if (std::any_of(gates.begin(), gates.end(), needs_none))
    for (const launch_group& group : group_kernels(of)) kernels.push_back(alone(of, group));
  for (const gate& one : gates) {
    gate_judge judge(one, results);
    if (one.needs_baseline() && against == nullptr)
      throw gate_about_nothing("--fail-on '" + one.text + "' needs --baseline");
    for (const kernel_comparison& kernel : one.needs_baseline() ? against->kernels : kernels) judge.judge(kernel);
    judge.finish();
  }
  return results;
}

}  // namespace iket::analysis
