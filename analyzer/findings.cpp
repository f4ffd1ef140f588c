// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "findings.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bottleneck_findings.hpp"
#include "fraction.hpp"
#include "misuse_findings.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

using findings = std::vector<finding>;

std::string text_of(const std::array<std::uint32_t, 3>& extent) {
  return "(" + std::to_string(extent[0]) + "," + std::to_string(extent[1]) + "," + std::to_string(extent[2]) + ")";
}

void add(findings& to, severity level, std::string text, double value) {
  to.push_back({level, std::move(text), {}, value});
}

void add_who_waits(const launch_report& launch, findings& to) {
  for (const role_statistics& role : launch.roles) {
    const double waits = fraction(role.wait, role.observed());
    if (role.waits.empty()) continue;
    const role_wait& longest = role.waits.front();
    const std::string who = (role.name == "-" ? "warps without a role" : role.name) + ": waits ";
    // A bottleneck's sentence has said it, and why.
    if (std::any_of(to.begin(), to.end(), [&](const finding& told) { return told.text.starts_with(who); })) continue;
    std::string text = who + percent_text(waits) + (role.lost != 0 ? " of its observed time" : " of its time");
    if (role.waits.size() == 1)
      text += ", all in " + quoted(longest.stage);
    else
      text += ", most in " + quoted(longest.stage) + " (" + percent_text(fraction(longest.time, role.observed())) + ")";
    to.push_back({severity::info, std::move(text), longest.stage, waits});
  }
}

void add_nothing_recorded(const launch_report& launch, findings& to) {
  if (launch.launches_compiled_out != 0) {
    const bool all = launch.launches_compiled_out == launch.count;
    add(to, severity::warning,
        "compiled out: built with IKET_DISABLE, so nothing was recorded" +
            (all ? "" : " in " + std::to_string(launch.launches_compiled_out) + " of the launches"),
        static_cast<double>(launch.launches_compiled_out));
    if (all) return;
  }
  if (launch.launches_untraced != 0) {
    add(to, severity::info, "not traced: noted and timed by iket-capture, in a run beside the traced one",
        static_cast<double>(launch.launches_untraced));
    if (launch.launches_untraced == launch.count) return;
  }
  if (launch.warps_missing != 0)
    add(to, severity::warning,
        "the records of " + count_text(launch.warps_missing, "warp") +
            " are missing from the file, which is cut or damaged",
        static_cast<double>(launch.warps_missing));
  if (launch.written != 0 || launch.recorders_refused != 0 || launch.warps_missing != 0) return;
  if (launch.ctas_traced == 0)
    add(to, severity::warning, "0 records: no CTA was traced", 0);
  else if (launch.warps == 0)
    add(to, severity::warning,
        "0 records: no warp made a recorder: the kernel did not run, did not get this tracer, or was built with "
        "IKET_DISABLE",
        0);
  else
    add(to, severity::warning,
        "0 records: " + count_text(launch.warps, "warp") + " made a recorder and recorded nothing", 0);
}

void add_missed(const launch_report& launch, findings& to) {
  const std::string advice = ": the tracer has memory for " + std::to_string(launch.regions) +
                             " between two drains; a larger trace_options::regions, or a drain in between, trace more";
  if (launch.launches_missed != 0)
    add(to, severity::warning,
        std::to_string(launch.launches_missed) + " further launch" + (launch.launches_missed == 1 ? "" : "es") +
            " not traced" + advice,
        static_cast<double>(launch.launches_missed));
  else if (launch.warps_unplaced != 0)
    add(to, severity::warning, count_text(launch.warps_unplaced, "warp") + " of the last launches not traced" + advice,
        static_cast<double>(launch.warps_unplaced));
  if (launch.launches_mixed != 0)
    add(to, severity::warning,
        std::to_string(launch.launches_mixed) + " launch" + (launch.launches_mixed == 1 ? "" : "es") +
            " of one tracer could not be told apart: some warp made no recorder in one of them, or two",
        static_cast<double>(launch.launches_mixed));
}

void add_untraced(const launch_report& launch, findings& to) {
  if (launch.recorders_refused != 0) {
    const auto shape = [](const auto& grid, const auto& block) {
      return "grid " + text_of(grid) + " and block " + text_of(block);
    };
    add(to, severity::warning,
        count_text(launch.recorders_refused, "recorder") + " refused: the kernel ran with " +
            shape(launch.refused_grid, launch.refused_block) + ", announced were " + shape(launch.grid, launch.block),
        static_cast<double>(launch.recorders_refused));
  }
  if (launch.launches_compiled_out == launch.count || launch.launches_untraced == launch.count) return;
  if (!launch.warp_selection.empty()) {
    const std::uint32_t warps = launch.warps_per_cta - count_warps(launch.selected->warp_mask, launch.warps_per_cta);
    add(to, severity::info,
        std::to_string(warps) + " of " + count_text(launch.warps_per_cta, "warp") +
            " of each CTA not traced, as asked for: " + launch.warp_selection + " only",
        static_cast<double>(warps));
  }
  const std::uint64_t untraced = launch.ctas_total - std::min(launch.ctas_traced, launch.ctas_total);
  if (untraced == 0) return;
  std::string text = std::to_string(untraced) + " of " + count_text(launch.ctas_total, "CTA") + " not traced";
  if (launch.launches_over_limit != 0)
    text += ": " + std::string(launch.cta_selection.empty() ? "all of them" : "those asked for") + " need " +
            bytes_text(launch.bytes_needed) + ", the memory limit is " + bytes_text(launch.bytes_limit) +
            "; fewer records per warp or a higher limit trace more";
  else if (!launch.cta_selection.empty())
    text += ", as asked for: " + launch.cta_selection + " only";
  add(to, launch.launches_over_limit != 0 ? severity::warning : severity::info, std::move(text),
      static_cast<double>(untraced));
}

void add_lost(const launch_report& launch, findings& to) {
  if (launch.lost == 0) return;
  picosecond_sum lost = 0;
  picosecond_sum lifetime = 0;
  for (const role_statistics& role : launch.roles) {
    lost += role.lost;
    lifetime += role.lifetime();
  }
  const std::string how = launch.launches_keep_first == 0              ? " lost, overwritten in "
                          : launch.launches_keep_first == launch.count ? " lost, not stored in full rings in "
                                                                       : " lost in ";
  add(to, severity::warning,
      std::to_string(launch.lost) + " of " + count_text(launch.written, "record") + how +
          std::to_string(launch.warps_with_loss) + " of " + count_text(launch.warps, "warp") + " (rings hold " +
          std::to_string(launch.records_per_warp) + "): " + percent_text(fraction(lost, lifetime)) +
          " of the warps' time is not observed; more records per warp keep it",
      static_cast<double>(launch.lost));
}

/// " ('a' 2, 'b' 1 and 3 more)": which stages a count is made of, and how much belongs to no stage.
template <class Count>
std::string breakdown(const launch_report& launch, std::uint64_t total, const std::string& rest, Count count_of) {
  constexpr std::size_t most_named = 3;
  std::vector<std::pair<std::uint64_t, std::string>> parts;
  for (const stage_statistics& stage : launch.stages)
    if (count_of(stage) != 0) parts.emplace_back(count_of(stage), quoted(stage.name));
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const bool some_unnamed = parts.size() > most_named;
  if (some_unnamed) parts.resize(most_named);
  std::uint64_t unnamed = total;
  std::string text;
  for (const auto& [count, name] : parts) {
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
    unnamed -= std::min(unnamed, count);
  }
  if (unnamed != 0)
    text += (text.empty() ? "" : ", ") + (some_unnamed ? "others" : rest) + " " + std::to_string(unnamed);
  return " (" + text + ")";
}

void add_unpaired(const launch_report& launch, findings& to) {
  if (launch.unmatched != 0)
    add(to, severity::warning,
        count_text(launch.unmatched, "event") + " unmatched: a begin or an end whose partner was never recorded" +
            breakdown(launch, launch.unmatched, "pops", [](const stage_statistics& s) { return s.unmatched; }),
        static_cast<double>(launch.unmatched));
  if (launch.cut != 0)
    add(to, severity::warning,
        count_text(launch.cut, "event") + " cut: the partner was lost" +
            breakdown(launch, launch.cut, "pops", [](const stage_statistics& s) { return s.cut; }),
        static_cast<double>(launch.cut));
  if (launch.open != 0) {
    picosecond_sum time = 0;
    for (const stage_statistics& stage : launch.stages) time += stage.open_time;
    add(to, severity::warning,
        count_text(launch.open, "range") + " still open " +
            (launch.launches_running != 0 ? "at the snapshot" : "at the end of the warp") +
            breakdown(launch, launch.open, "unknown", [](const stage_statistics& s) { return s.open; }) + ": " +
            duration_text(static_cast<double>(time)) + " in them, left out of the durations above",
        static_cast<double>(launch.open));
  }
}

/// The rest of a report is to be read with this in mind.
void add_partial(const launch_report& launch, findings& to) {
  const auto those = [&](std::uint64_t count) {
    return launch.count == 1 ? std::string("the launch")
                             : std::to_string(count) + " of " + std::to_string(launch.count) + " launches";
  };
  if (launch.launches_running != 0)
    add(to, severity::warning,
        those(launch.launches_running) +
            " had not ended at the snapshot: all figures are of what the warps had done so far, and no stage is "
            "named as the bottleneck",
        static_cast<double>(launch.launches_running));
  if (launch.launches_failed != 0)
    add(to, severity::warning,
        those(launch.launches_failed) +
            " had not ended when a kernel failed, perhaps another one: figures end with the last records, and no stage "
            "is named as the bottleneck",
        static_cast<double>(launch.launches_failed));
}

void add_warps(const launch_report& launch, findings& to) {
  if (launch.warps_unclosed != 0 && launch.is_partial())
    add(to, severity::info,
        std::to_string(launch.warps_unclosed) + " of " + count_text(launch.warps, "warp") +
            " had not closed the recorder (first " + launch.first_unclosed + ")",
        static_cast<double>(launch.warps_unclosed));
  else if (launch.warps_unclosed != 0)
    add(to, severity::warning,
        std::to_string(launch.warps_unclosed) + " of " + count_text(launch.warps, "warp") +
            " never closed the recorder (the kernel hung or trapped, or the recording lane left; first " +
            launch.first_unclosed + "): time ends with the last record",
        static_cast<double>(launch.warps_unclosed));
  const std::uint64_t made = launch.warps + launch.warps_missing;
  const std::uint64_t unrecorded = launch.warps_reserved - std::min(made, launch.warps_reserved);
  if (launch.warps != 0 && unrecorded != 0)
    add(to, severity::info,
        std::to_string(unrecorded) + " of " + count_text(launch.warps_reserved, "traced warp") +
            " made no recorder and have no part in this report",
        static_cast<double>(unrecorded));
  if (launch.warps != 0 && launch.clock.rate_assumed)
    add(to, severity::warning,
        "too little was recorded to measure the SM clock's rate: durations may be off by a good part, cycles are exact",
        launch.clock.sm_ghz);
}

void add_relations_left_out(const launch_report& launch, findings& to) {
  if (!launch.relations_left_out.empty())
    add(to, severity::warning,
        "not everything that relates stages to each other is here (overlap, waits, pipelines, critical path): " +
            launch.relations_left_out,
        static_cast<double>(launch.stages.size()));
}

void add_too_short(const launch_report& launch, findings& to) {
  for (const stage_statistics& stage : launch.stages)
    if (stage.is_too_short())
      to.push_back({severity::info,
                    "stage " + quoted(stage.name) + ": " + std::to_string(*stage.too_short) + " of " +
                        count_text(stage.count, "range") + (stage.count == 1 ? " is" : " are") +
                        " shorter than the cost of " + fixed_text(too_short_events, 0) + " events (an estimated " +
                        duration_text(launch.too_short_ps) + "): tracing itself is a good part of them",
                    stage.name, static_cast<double>(*stage.too_short)});
}

}  // namespace

std::vector<finding> findings_of(const launch_report& launch) {
  findings result;
  add_misuse(launch, result);
  add_partial(launch, result);
  if (!launch.is_partial()) add_bottlenecks(launch, result);
  add_relation_limits(launch, result);
  add_relations_left_out(launch, result);
  add_who_waits(launch, result);
  add_too_short(launch, result);
  add_nothing_recorded(launch, result);
  add_missed(launch, result);
  add_untraced(launch, result);
  add_lost(launch, result);
  add_unpaired(launch, result);
  add_warps(launch, result);
  return result;
}

}  // namespace iket::analysis
