// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "compare/comparison_notes.hpp"

#include <algorithm>
#include <cmath>

#include "compare/block_sums.hpp"
#include "limits.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

std::string launches_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " traced launch" : " traced launches");
}

/// "13 of 512"; sums over the launches.
std::string part_text(const compared_side& side) {
  return std::to_string(side.ctas_traced) + " of " + std::to_string(side.ctas_total);
}

void add_shape(const compared_side& before, const compared_side& after, std::vector<std::string>& to) {
  if (before.kernel != after.kernel)
    to.push_back("compared with the kernel '" + before.kernel + "', the only one of the baseline");
  if (before.block != after.block)
    to.push_back("another block: " + extent_text(after.block) + ", was " + extent_text(before.block));
  if (before.grid != after.grid)
    to.push_back("another grid: " + extent_text(after.grid) + ", was " + extent_text(before.grid) +
                 "; stages are compared per CTA, and a CTA may have another share of the work: the duration tells");
  if (before.device != after.device)
    to.push_back("another GPU: " + (after.device.empty() ? "unknown" : after.device) + ", was " +
                 (before.device.empty() ? "unknown" : before.device));
}

void add_traced(const kernel_comparison& of, std::vector<std::string>& to) {
  const compared_side &before = of.before, &after = of.after;
  // Shares, without rounding.
  const bool other_part = before.ctas_traced * after.ctas_total != after.ctas_traced * before.ctas_total;
  if (other_part && before.grid == after.grid)
    to.push_back(part_text(after) + " CTAs traced, was " + part_text(before) + ": stages are compared per traced CTA");
  if (of.per_range)
    to.push_back("records were lost (" + std::to_string(after.lost) + ", was " + std::to_string(before.lost) +
                 "): stages are compared per range that was kept, and nothing is said of the roles");
  if (before.checked || after.checked) to.push_back("a checked build ran: times are not to be trusted");
}

void add_samples(const kernel_comparison& of, std::vector<std::string>& to) {
  const compared_side &before = of.before, &after = of.after;
  const std::uint64_t units = std::min(before.units, after.units);
  if (units < least_units) {
    to.push_back(std::to_string(after.units) + " CTAs or clusters traced, was " + std::to_string(before.units) +
                 ": below " + std::to_string(least_units) + " nothing is said of what is noise");
    return;
  }
  const compared_side& fewer = before.units < after.units ? before : after;
  if (fewer.launches_timed == 1 && fewer.units <= block_size_for(std::max(before.units, after.units))) {
    to.push_back(std::to_string(fewer.units) + " CTAs or clusters are too few beside " +
                 std::to_string(std::max(before.units, after.units)) + ": nothing is said of what is noise");
    return;
  }
  if (!of.over_launches)
    to.push_back(launches_text(after.launches_timed) + ", was " + std::to_string(before.launches_timed) +
                 ": the intervals tell how CTAs of a launch differ, not how launches do; trace two or more of each");
}

void add_left_out(const kernel_comparison& of, std::vector<std::string>& to) {
  if (of.stages.size() > limits::compared_names)
    to.push_back("more than " + std::to_string(limits::compared_names) +
                 " stages: of those with the least self time nothing is said of what is noise");
  if (of.roles_left_out != 0)
    to.push_back("more than " + std::to_string(limits::compared_names) + " roles: the last " +
                 std::to_string(of.roles_left_out) + " by name are not compared");
}

void add_clock(const compared_side& before, const compared_side& after, std::vector<std::string>& to) {
  if (before.rate_assumed || after.rate_assumed)
    to.push_back("the SM clock's rate is assumed: times are as wrong as it is");
  else if (before.sm_ghz > 0 && after.sm_ghz > 0 &&
           std::abs(after.sm_ghz / before.sm_ghz - 1) >= noted_clock_difference)
    to.push_back("the SM clock ran at " + fixed_text(after.sm_ghz, 3) + " GHz, was " + fixed_text(before.sm_ghz, 3) +
                 ": times are real time, of which the same number of cycles takes " +
                 percent_text(std::abs(before.sm_ghz / after.sm_ghz - 1)) +
                 (after.sm_ghz < before.sm_ghz ? " more" : " less"));
  if (before.overhead && after.overhead && std::abs(*after.overhead - *before.overhead) >= noted_overhead_difference)
    to.push_back("tracing took an estimated " + percent_text(*after.overhead) + " of the warps' time, was " +
                 percent_text(*before.overhead));
}

}  // namespace

std::vector<std::string> comparison_notes(const kernel_comparison& of) {
  std::vector<std::string> notes;
  add_shape(of.before, of.after, notes);
  if (of.before.launches_timed == 0 || of.after.launches_timed == 0) {
    notes.push_back(std::string("the ") + (of.after.launches_timed == 0 ? "new" : "old") +
                    " kernel has no traced warp");
    return notes;
  }
  add_traced(of, notes);
  add_samples(of, notes);
  add_clock(of.before, of.after, notes);
  add_left_out(of, notes);
  return notes;
}

}  // namespace iket::analysis
