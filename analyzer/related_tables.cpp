// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "related_tables.hpp"

#include "units.hpp"

namespace iket::analysis {
namespace {

std::string percent_or_dash(const std::optional<double>& fraction) { return fraction ? percent_text(*fraction) : "-"; }

std::string whole_percent(double fraction) { return fixed_text(100 * fraction, 0) + " %"; }

/// Else what is known of SMs is of the CTAs that happened to be traced.
bool has_every_cta(const launch_report& launch) { return launch.ctas_traced == launch.ctas_total; }

/// nullptr where nothing went on, or what the table would show as 0.0 %.
const cover_part* largest_cover(const wait_statistics& wait) {
  if (wait.covered_by.empty()) return nullptr;
  const std::optional<double> fraction = wait.fraction(wait.covered_by.front().time);
  return percent_or_dash(fraction) == percent_text(0) ? nullptr : &wait.covered_by.front();
}

}  // namespace

text_table wait_table(const launch_report& launch) {
  text_table table;
  table.columns = {{"waits", true, 18, 0, false},     {"role", true, 8, 5, false},         {"total", false, 0, 4, true},
                   {"meanwhile", true, 10, 0, false}, {"of it", false, 0, 0, true},        {"skew", false, 0, 2, true},
                   {"uncovered", false, 0, 3, true},  {"released by", true, 10, 0, false}, {"ends", false, 0, 1, true}};
  for (const wait_statistics& wait : launch.related.waits) {
    const cover_part* const cover = largest_cover(wait);
    const releaser* const by = wait.released_by.empty() ? nullptr : &wait.released_by.front();
    const auto released = by != nullptr ? static_cast<double>(by->count) / static_cast<double>(wait.long_waits) : 0.0;
    table.rows.push_back({{terminal_safe(wait.stage), style::wait},
                          {terminal_safe(wait.role), style::plain},
                          {duration_text(static_cast<double>(wait.total)), style::plain},
                          {cover != nullptr ? terminal_safe(cover->activity) : "-", style::plain},
                          {cover != nullptr ? percent_or_dash(wait.fraction(cover->time)) : "-", style::plain},
                          {percent_or_dash(wait.fraction(wait.skew)), style::plain},
                          {percent_or_dash(wait.fraction(wait.uncovered)), style::plain},
                          {by != nullptr ? terminal_safe(by->stage) : "-", style::plain},
                          {by != nullptr ? whole_percent(released) : "-", style::plain}});
  }
  return table;
}

std::string wait_legend() {
  return "meanwhile: what went on for most of the wait, of it: for how much of that; skew: only warps of the same role "
         "worked; uncovered: nothing traced went on; released by: what ended most of the waits longer than 100 ns, "
         "ends: "
         "how many of those";
}

text_table imbalance_table(const launch_report& launch) {
  text_table table;
  table.columns = {{"uneven stage", true, 20, 0, false}, {"role", true, 8, 0, false},
                   {"across", true, 0, 0, false},        {"n", false, 0, 0, false},
                   {"mean", false, 0, 1, true},          {"max", false, 0, 2, true},
                   {"max/mean", false, 0, 0, false},     {"variation", false, 0, 3, true}};
  const bool has_all = has_every_cta(launch);
  for (const imbalance_statistics& one : launch.imbalance) {
    const std::optional<double> ratio = one.max_over_mean();
    if (one.across == division::sms && !has_all) continue;
    if (one.kind != stage_kind::work || one.n < 2 || !ratio || *ratio < least_printed_imbalance) continue;
    table.rows.push_back({{terminal_safe(one.stage), style::plain},
                          {terminal_safe(one.role), style::plain},
                          {std::string(division_name(one.across)), style::plain},
                          {std::to_string(one.n), style::plain},
                          {duration_text(one.mean_ps()), style::plain},
                          {duration_text(static_cast<double>(one.max)), style::plain},
                          {fixed_text(*ratio, 2), style::plain},
                          {percent_or_dash(one.cv()), style::plain}});
  }
  return table;
}

std::string imbalance_legend() {
  return "work stages whose largest total is " + fixed_text(least_printed_imbalance, 2) + " times the mean or more";
}

text_table pipeline_table(const pipeline& of) {
  text_table table;
  table.columns = {{"pipeline", true, 18, 0, false},   {"role", true, 8, 4, false}, {"iterations", false, 0, 3, false},
                   {"latency p50", false, 0, 0, true}, {"p90", false, 0, 2, true},  {"max", false, 0, 1, true},
                   {"every", false, 0, 0, true},       {"deep", false, 0, 0, false}};
  for (const pipeline_stage& stage : of.stages)
    table.rows.push_back({{terminal_safe(stage.stage), style::plain},
                          {terminal_safe(stage.role), style::plain},
                          {std::to_string(stage.iterations), style::plain},
                          {duration_text(static_cast<double>(stage.latency_p50)), style::plain},
                          {duration_text(static_cast<double>(stage.latency_p90)), style::plain},
                          {duration_text(static_cast<double>(stage.latency_max)), style::plain},
                          {duration_text(static_cast<double>(stage.interval_p50)), style::plain},
                          {stage.depth ? std::to_string(*stage.depth) : "", style::plain}});
  return table;
}

std::string pipeline_legend(const pipeline& of) {
  std::string text = "an iteration every " + duration_text(static_cast<double>(of.interval));
  if (of.phases) {
    const auto per_cta = [&](picosecond_sum sum) {
      return duration_text(static_cast<double>(sum) / static_cast<double>(of.ctas));
    };
    text += "; a CTA takes " + per_cta(of.phases->fill) + " to fill, " + per_cta(of.phases->steady) + " steady, " +
            per_cta(of.phases->drain) + " to drain";
  }
  return text + "; latency: of one iteration, over all warps of the role; deep: most in flight at once";
}

std::vector<std::string> path_facts(const launch_report& launch) {
  constexpr double least = 0.01;
  constexpr std::size_t name_width = 30;
  const bool is_whole = has_every_cta(launch);
  picosecond_sum known = launch.critical_path.duration;
  std::vector<const path_share*> shares;
  for (const path_share& share : launch.critical_path.shares)
    // Where the CTAs before were not traced, that says nothing of the kernel.
    if (share.kind == path_kind::before && !is_whole)
      known -= share.time;
    else
      shares.push_back(&share);
  const bool is_part = known != launch.critical_path.duration;
  std::vector<std::string> facts;
  if (is_part)
    facts.push_back("critical path, its last " +
                    percent_text(static_cast<double>(known) / static_cast<double>(launch.critical_path.duration)));
  for (const path_share* const share : shares)
    if (const double fraction = static_cast<double>(share->time) / static_cast<double>(known); fraction >= least)
      facts.push_back((facts.empty() ? "critical path: " : "") +
                      shorten_middle(terminal_safe(share->stage), name_width) + " " + percent_text(fraction));
  if (is_part) facts.push_back("the CTAs before were not traced");
  if (launch.tail && launch.tail->fewest_sms > 1 && has_every_cta(launch))
    if (const std::optional<double> fraction = launch.tail->fraction())
      facts.push_back("beside the path: tail " + percent_text(*fraction));
  return facts;
}

}  // namespace iket::analysis
