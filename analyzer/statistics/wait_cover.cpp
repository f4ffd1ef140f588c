// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/wait_cover.hpp"

#include <algorithm>

#include "limits.hpp"

namespace iket::analysis {

void wait_cover::add(const unit_warps& unit, std::span<const activity_switch> switches) {
  if (gave_up_) return;
  reset(unit);
  steps_left_ = limits::cover_steps * (switches.size() + 1000);
  picoseconds now = switches.empty() ? 0 : switches.front().time;
  for (const activity_switch& one : switches) {
    if (gave_up_) return;
    if (one.time != now) advance(one.time - now);
    now = one.time;
    if (one.leaves != none) change(one, one.leaves, -1);
    if (one.enters != none) change(one, one.enters, 1);
  }
}

void wait_cover::reset(const unit_warps& unit) {
  unit_ = &unit;
  related_ = unit.size() > 1;
  // All that was entered was left again: what there is of the unit before is 0.
  work_.resize(std::max<std::size_t>(work_.size(), std::size_t{unit.teams()} * activities_.stage_count()));
  teams_.resize(activities_.size());
  working_.resize(std::max<std::size_t>(working_.size(), unit.teams()));
  states_.resize(std::max(states_.size(), unit.size()));
  waits_.clear();
}

bool wait_cover::spend(std::uint64_t steps) {
  gave_up_ = gave_up_ || steps > steps_left_;
  if (!gave_up_) steps_left_ -= steps;
  return !gave_up_;
}

void wait_cover::advance(picoseconds span) {
  if (!spend(waits_.size() * (going_on_.size() + 1))) return;
  for (current_wait& wait : waits_) charge(wait, span);
}

void wait_cover::charge(current_wait& wait, picoseconds span) {
  if (wait.count == 0) return;
  wait_time& to = *wait.time;
  const picosecond_sum time = picosecond_sum{wait.count} * span;
  to.total += time;
  if (!related_) return;
  to.related += time;
  bool covered = false;
  for (const index activity : going_on_) {
    const bool own = !activities_.is_in_flight(activity) &&
                     work_[std::size_t{wait.team} * activities_.stage_count() + activity] != 0;
    if (teams_[activity] == (own ? 1 : 0)) continue;
    covered = true;
    if (to.covered_by.size() <= activity) to.covered_by.resize(activity + 1);
    to.covered_by[activity] += time;
  }
  if (covered) return;
  // A warp that works besides is no other warp to its own wait.
  const std::int64_t working = working_[wait.team];
  const picosecond_sum alone = working == 0 ? wait.count : working == 1 ? wait.by_workers : 0;
  to.skew += time - alone * span;
  to.uncovered += alone * span;
}

void wait_cover::change(const activity_switch& one, index activity, int by) {
  if (activities_.is_in_flight(activity)) return add_teams(activity, by);
  if (activities_.is_wait(activity)) return change_wait(one.warp, activity, by);
  change_work(one.warp, activity, by);
}

void wait_cover::add_teams(index activity, int by) {
  std::int64_t& count = teams_[activity];
  if (count == 0) going_on_.push_back(activity);
  count += by;
  if (count == 0) going_on_.erase(std::find(going_on_.begin(), going_on_.end(), activity));
}

void wait_cover::change_work(std::uint32_t warp, index activity, int by) {
  const std::uint32_t team = (*unit_)[warp].team;
  std::int64_t& count = work_[std::size_t{team} * activities_.stage_count() + activity];
  const bool was_in = count != 0;
  count += by;
  if (was_in != (count != 0)) add_teams(activity, by);
  warp_state& state = states_[warp];
  const bool worked = state.works != 0;
  state.works += by;
  if (worked == (state.works != 0)) return;
  working_[team] += by;
  if (!spend(waits_.size() * state.waits_now.size())) return;
  for (const index stage : state.waits_now) wait_of(warp, stage).by_workers += by;
}

void wait_cover::change_wait(std::uint32_t warp, index activity, int by) {
  warp_state& state = states_[warp];
  if (!spend(waits_.size() + state.waits_now.size())) return;
  current_wait& wait = wait_of(warp, activity);
  wait.count += by;
  if (state.works != 0) wait.by_workers += by;
  if (by > 0)
    state.waits_now.push_back(activity);
  else
    state.waits_now.erase(std::find(state.waits_now.begin(), state.waits_now.end(), activity));
}

wait_cover::current_wait& wait_cover::wait_of(std::uint32_t warp, index stage) {
  const unit_warp& of = (*unit_)[warp];
  for (current_wait& known : waits_)
    if (known.team == of.team && known.stage == stage) return known;
  return waits_.emplace_back(current_wait{.team = of.team, .stage = stage, .time = &times_[{stage, of.warp->role}]});
}

void wait_cover::add(const wait_cover& other) {
  gave_up_ = gave_up_ || other.gave_up_;
  for (const auto& [key, from] : other.times_) {
    wait_time& to = times_[key];
    to.total += from.total;
    to.related += from.related;
    to.skew += from.skew;
    to.uncovered += from.uncovered;
    if (to.covered_by.size() < from.covered_by.size()) to.covered_by.resize(from.covered_by.size());
    for (std::size_t i = 0; i < from.covered_by.size(); ++i) to.covered_by[i] += from.covered_by[i];
  }
}

}  // namespace iket::analysis
