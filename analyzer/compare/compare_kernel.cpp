// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/compare_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "compare/comparison_notes.hpp"
#include "compare/figure_sums.hpp"
#include "compare/kernel_side.hpp"
#include "compare/same_ctas.hpp"
#include "limits.hpp"

namespace iket::analysis {
namespace {

/// The stages of both sides, and the first roles by name.
compared_names names_of(const kernel_side& before, const kernel_side& after, std::size_t& roles_left_out) {
  compared_names names;
  std::set<compared_stage> stages;
  std::set<std::string> roles;
  for (const kernel_side* const side : {&before, &after}) {
    for (const stage_statistics& one : side->stages)
      if (const compared_stage stage{one.name, one.kind}; stages.insert(stage).second) names.stages.push_back(stage);
    roles.insert(side->roles.begin(), side->roles.end());
  }
  names.roles.assign(roles.begin(), roles.end());
  roles_left_out = names.roles.size() - std::min(names.roles.size(), limits::compared_names);
  names.roles.resize(names.roles.size() - roles_left_out);
  return names;
}

/// A figure on both sides, where its value is, and from what change on it is one.
struct candidate {
  compared_value* value = nullptr;
  figure_sums before, after;
  double least = 0;  // [ps]
};

/// The figures of a pair: first what each is, then how sure its change.
class judge {
 public:
  /// `least_part`: a smaller part of a figure may be the clock's. Figures that are not to be trusted have no part in
  /// the level that the others have in common.
  judge(const block_sums& before, const block_sums& after, double least_part, bool is_trusted)
      : before_(before), after_(after), least_part_(least_part), is_trusted_(is_trusted) {}

  void add(candidate one) {
    one.value->before = one.before.ratio();
    one.value->after = one.after.ratio();
    if (is_trusted_ && one.value->before && one.value->after) candidates_.push_back(std::move(one));
  }

  void decide(const bootstrap_options& options, kernel_comparison& to) {
    if (std::min(before_.units(), after_.units()) < least_units) return;
    // One block tells nothing of how they vary.
    if (std::min(before_.blocks(), after_.blocks()) < 2) return;
    std::vector<figure_sums> before, after;
    for (candidate& one : candidates_) {
      before.push_back(std::move(one.before));
      after.push_back(std::move(one.after));
    }
    influences old_parts = influences_of(before, before_), new_parts = influences_of(after, after_);
    to.paired = !before_.common_ctas().empty() && before_.common_ctas() == after_.common_ctas() &&
                to.before.grid == to.after.grid && hold_against_itself(old_parts, new_parts);
    const bootstrap_result result = bootstrap(old_parts, new_parts, options);
    to.over_launches = result.over_launches;
    for (std::size_t i = 0; i < candidates_.size(); ++i) decide(candidates_[i], result.half_widths[i]);
  }

 private:
  void decide(const candidate& one, double half_width) const {
    compared_value& value = *one.value;
    if (!std::isfinite(half_width)) return;
    value.half_width = half_width;
    const double size = std::abs(value.difference());
    if (size <= half_width)
      value.verdict = verdict::noise;
    else
      value.verdict = size <= std::max(one.least, least_part_ * std::max(*value.before, *value.after))
                          ? verdict::too_small
                          : verdict::significant;
  }

  const block_sums& before_;
  const block_sums& after_;
  double least_part_;
  bool is_trusted_;
  std::vector<candidate> candidates_;
};

verdict of_one_side(bool is_before) { return is_before ? verdict::only_before : verdict::only_after; }

/// Ranges as short as an event costs say nothing, whatever they differ by.
bool is_measurable(const stage_statistics& stage, const compared_side& side) {
  return stage.count != 0 &&
         static_cast<double>(stage.self) > side.event_ps.value_or(0) * static_cast<double>(stage.count);
}

double self_per_cta(const std::optional<stage_statistics>& stage, const compared_side& side) {
  return stage && side.ctas_traced != 0 ? static_cast<double>(stage->self) / static_cast<double>(side.ctas_traced) : 0;
}

/// By how much the ratio of self time to CTAs changed; the order of the rows.
double weight_of(const compared_stage_row& row, const kernel_comparison& of) {
  return self_per_cta(row.after, of.after) - self_per_cta(row.before, of.before);
}

/// Of a stage without a part in the sums, which would give the same.
std::optional<double> self_of(const std::optional<stage_statistics>& stage, const compared_side& side, bool per_range) {
  const std::uint64_t count = !stage ? 0 : per_range ? stage->count : side.ctas_traced;
  if (count == 0) return std::nullopt;
  return static_cast<double>(stage->self) / static_cast<double>(count);
}

/// A row for each name; where there are too many, those with the most self time first, whichever side has it: a choice
/// by how much they changed would make chance look like more.
void add_stages(const compared_names& names, const kernel_side& before, const kernel_side& after,
                kernel_comparison& to) {
  std::map<compared_stage, std::size_t> places;
  for (const compared_stage& name : names.stages) {
    places.emplace(name, to.stages.size());
    to.stages.push_back({name.name, name.kind, {}, {}, {}, {}});
  }
  const auto row_of = [&](const stage_statistics& one) -> compared_stage_row& {
    return to.stages[places.at({one.name, one.kind})];
  };
  for (const stage_statistics& one : before.stages) row_of(one).before = one;
  for (const stage_statistics& one : after.stages) row_of(one).after = one;
  for (compared_stage_row& row : to.stages)
    if (!to.per_range && before.lifetime_per_cta > 0) row.contribution = weight_of(row, to) / before.lifetime_per_cta;
  if (to.stages.size() <= limits::compared_names) return;
  std::stable_sort(to.stages.begin(), to.stages.end(), [&](const compared_stage_row& a, const compared_stage_row& b) {
    return self_per_cta(a.before, to.before) + self_per_cta(a.after, to.after) >
           self_per_cta(b.before, to.before) + self_per_cta(b.after, to.after);
  });
}

/// The stages of the first rows.
std::vector<compared_stage> stages_held(const kernel_comparison& of) {
  std::vector<compared_stage> stages;
  for (const compared_stage_row& row : of.stages) {
    if (stages.size() == limits::compared_names) break;
    stages.push_back({row.stage, row.kind});
  }
  return stages;
}

/// The sums are of the stages of the first `held` rows, in their order.
void judge_stages(const block_sums& before, const block_sums& after, std::size_t held, kernel_comparison& to,
                  judge& by) {
  for (std::size_t i = 0; i < to.stages.size(); ++i) {
    compared_stage_row& row = to.stages[i];
    if (i >= held) {
      row.self.before = self_of(row.before, to.before, to.per_range);
      row.self.after = self_of(row.after, to.after, to.per_range);
      if (row.before.has_value() != row.after.has_value()) row.self.verdict = of_one_side(row.before.has_value());
      continue;
    }
    const bool measurable =
        row.before && row.after && (is_measurable(*row.before, to.before) || is_measurable(*row.after, to.after));
    const double least = measurable ? 0 : std::numeric_limits<double>::infinity();
    figure_sums old_sums = self_sums(before, i, to.per_range), new_sums = self_sums(after, i, to.per_range);
    if (row.before && row.after) {
      by.add({&row.self, std::move(old_sums), std::move(new_sums), least});
      continue;
    }
    row.self.verdict = of_one_side(row.before.has_value());
    (row.before ? row.self.before : row.self.after) = (row.before ? old_sums : new_sums).ratio();
  }
}

void judge_roles(const compared_names& names, const block_sums& before, const block_sums& after, kernel_comparison& to,
                 judge& by) {
  constexpr std::pair<role_sum, std::string_view> times[] = {
      {role_sum::work_ps, "work"}, {role_sum::wait_ps, "wait"}, {role_sum::untracked_ps, "untracked"}};
  // Candidates point into the rows.
  to.roles.reserve(names.roles.size() * std::size(times));
  for (std::size_t role = 0; role < names.roles.size(); ++role)
    for (const auto& [which, name] : times) {
      compared_value& value = to.roles.emplace_back(compared_role_row{names.roles[role], name, {}}).value;
      figure_sums old_sums = role_sums(before, role, which), new_sums = role_sums(after, role, which);
      value.before = old_sums.ratio();
      value.after = new_sums.ratio();
      if (value.before.has_value() != value.after.has_value()) value.verdict = of_one_side(value.before.has_value());
      // Sums of what happened to be kept are no times of a warp.
      if (!to.per_range) by.add({&value, std::move(old_sums), std::move(new_sums), 0});
    }
}

void sort_rows(kernel_comparison& of) {
  std::stable_sort(of.stages.begin(), of.stages.end(), [&](const compared_stage_row& a, const compared_stage_row& b) {
    return std::abs(weight_of(a, of)) > std::abs(weight_of(b, of));
  });
  std::stable_sort(of.roles.begin(), of.roles.end(), [](const compared_role_row& a, const compared_role_row& b) {
    return std::abs(a.value.difference()) > std::abs(b.value.difference());
  });
}

/// How wrong a clock's rate may be that was found from ticks over one launch.
double rate_error(const compared_side& of) { return of.duration_ps > 0 ? of.tick_ps / of.duration_ps : 0; }

}  // namespace

kernel_comparison compare_kernel(const timeline& before, const timeline& after, const kernel_pair& pair,
                                 const bootstrap_options& options) {
  const kernel_side old_side = kernel_side_of(before, pair.before), new_side = kernel_side_of(after, pair.after);
  kernel_comparison result;
  result.before = old_side.facts;
  result.after = new_side.facts;
  result.per_range = result.before.lost + result.after.lost != 0;
  compared_names names = names_of(old_side, new_side, result.roles_left_out);
  add_stages(names, old_side, new_side, result);
  names.stages = stages_held(result);
  const std::size_t block_size = block_size_for(std::max(result.before.units, result.after.units));
  const block_sums old_sums(before, pair.before, names, block_size), new_sums(after, pair.after, names, block_size);
  judge by(old_sums, new_sums, rate_error(result.before) + rate_error(result.after),
           !result.before.checked && !result.after.checked);
  judge_stages(old_sums, new_sums, names.stages.size(), result, by);
  judge_roles(names, old_sums, new_sums, result, by);
  if (result.before.launches_timed != 0) result.duration.before = result.before.duration_ps;
  if (result.after.launches_timed != 0) result.duration.after = result.after.duration_ps;
  // How long one launch lasts says nothing of how long others do.
  if (std::min(result.before.launches_timed, result.after.launches_timed) > 1)
    by.add({&result.duration, duration_sums(old_sums), duration_sums(new_sums),
            result.before.tick_ps + result.after.tick_ps + result.before.uncertainty_ps + result.after.uncertainty_ps});
  by.decide(options, result);
  sort_rows(result);
  result.notes = comparison_notes(result);
  return result;
}

}  // namespace iket::analysis
