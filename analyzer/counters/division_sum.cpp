// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "division_sum.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "code_division.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

void add(const column_values& values, const std::vector<std::size_t>& places, column_values& to) {
  for (std::size_t i = 0; i < values.size(); ++i) to[places[i]] += values[i];
}

void append_lines(const std::vector<source_location>& from, std::vector<source_location>& to) {
  for (const source_location& line : from)
    if (std::find(to.begin(), to.end(), line) == to.end()) to.push_back(line);
}

}  // namespace

void division_sum::add_listing(const source_listing& listing, const std::vector<code_site>& sites) {
  const std::vector<std::size_t> places = places_of(listing);
  const code_division division = divide(listing, sites);
  to_.division = division.kind;
  add(sums_of(listing), places, to_.sums);
  add(division.shared, places, to_.shared);
  add(division.recording, places, to_.recording);
  add(division.outside, places, to_.outside);
  add(division.unknown, places, to_.unknown);
  for (const stage_counters& stage : division.stages) add_stage(stage, places);
  events_ += division.events;
  events_of_sites_ += division.events_of_sites;
  untold_ += division.events_untold;
  indirect_ += division.indirect;
  dropped_ = dropped_ || division.dropped;
  whole_ = whole_ && division.whole;
}

void division_sum::finish() {
  // Of a stage that no traced warp of these launches ran, the report has no row.
  for (stage_counters& stage : to_.stages)
    if (place_of(stage) == launch_.stages.size()) add(std::exchange(stage.values, {}), to_.unknown);
  std::erase_if(to_.stages, [](const stage_counters& stage) { return is_empty(stage.values); });
  std::stable_sort(to_.stages.begin(), to_.stages.end(),
                   [this](const stage_counters& a, const stage_counters& b) { return place_of(a) < place_of(b); });
  add_notes();
}

void division_sum::add_notes() {
  if (to_.division == division_kind::lines)
    to_.notes.emplace_back(
        "divided by source lines, each to the nearest begin above it, as the page has no machine code: print it with "
        "--print-source cuda,sass");
  if (to_.division != division_kind::instructions) return;
  if (!whole_)
    to_.doubts.emplace_back(
        "the page 'source' lacks some of the machine code: it was cut off or edited, so print it again");
  if (events_ == 0)
    to_.notes.emplace_back(
        "no event in the machine code: the profiled binary was built without IKET or with -DIKET_DISABLE; profile "
        "the one that was traced");
  else if (events_of_sites_ == 0)
    to_.notes.emplace_back(
        "no event in the machine code has a site that the trace knows: profile the binary that was traced");
  else if (events_of_sites_ + untold_ < events_)
    to_.notes.push_back(count_text(events_ - events_of_sites_ - untold_, "event") +
                        " in the machine code of stages that are not in the trace, as no traced warp ran them: their "
                        "code is told as not followed");
  if (untold_ != 0)
    to_.notes.push_back(count_text(untold_, "event") +
                        " without a constant tag, taken for the end of the token range opened last");
  if (indirect_ != 0)
    to_.notes.push_back(std::to_string(indirect_) + (indirect_ == 1 ? " branch" : " branches") +
                        " to where a register says: code that is reached by them alone was not followed");
  if (dropped_)
    to_.notes.emplace_back(
        "stages are open in more ways than were followed, as where a loop begins ranges that it never ends: some code "
        "may "
        "be of another stage than is told");
}

std::vector<std::size_t> division_sum::places_of(const source_listing& listing) {
  std::vector<std::size_t> places;
  for (const source_column& column : listing.columns) {
    const auto at = std::find(to_.columns.begin(), to_.columns.end(), column.key);
    places.push_back(static_cast<std::size_t>(at - to_.columns.begin()));
    if (at == to_.columns.end()) to_.columns.push_back(column.key);
  }
  for (column_values* const part : {&to_.sums, &to_.shared, &to_.recording, &to_.outside, &to_.unknown})
    part->resize(to_.columns.size());
  for (stage_counters& stage : to_.stages) stage.values.resize(to_.columns.size());
  return places;
}

void division_sum::add_stage(const stage_counters& from, const std::vector<std::size_t>& places) {
  auto at = std::find_if(to_.stages.begin(), to_.stages.end(), [&](const stage_counters& known) {
    return known.stage == from.stage && known.kind == from.kind;
  });
  if (at == to_.stages.end())
    at = to_.stages.insert(at, {from.stage, from.kind, column_values(to_.columns.size()), {}, {}, 0});
  add(from.values, places, at->values);
  at->spill_instructions += from.spill_instructions;
  append_lines(from.spill_lines, at->spill_lines);
  append_lines(from.conflict_lines, at->conflict_lines);
}

std::size_t division_sum::place_of(const stage_counters& stage) const {
  const auto at = std::find_if(launch_.stages.begin(), launch_.stages.end(), [&](const stage_statistics& one) {
    return one.name == stage.stage && one.kind == stage.kind;
  });
  return static_cast<std::size_t>(at - launch_.stages.begin());
}

}  // namespace iket::analysis::counters
