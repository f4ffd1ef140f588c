// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "role_statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "stage_statistics.hpp"

namespace iket::analysis {
namespace {

struct interval {
  picoseconds begin = 0;
  picoseconds end = 0;
};

/// Where a warp has at least one work token open: disjoint, in order.
std::vector<interval> work_tokens_of(const warp_timeline& warp, const timeline& source) {
  std::vector<interval> merged;
  for (const range& one : warp.ranges) {
    if (!one.token || one.stage == none || source.stages.at(one.stage).kind != stage_kind::work) continue;
    if (!merged.empty() && one.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, one.end);
    else
      merged.push_back({one.begin, one.end});
  }
  return merged;
}

/// The part of successive intervals that others cover, both in order: one pass over the others in all.
class coverage {
 public:
  explicit coverage(std::vector<interval> others) : others_(std::move(others)) {}

  picoseconds of(interval part) {
    while (next_ < others_.size() && others_[next_].end <= part.begin) ++next_;
    picoseconds covered = 0;
    for (std::size_t i = next_; i < others_.size() && others_[i].begin < part.end; ++i)
      covered += std::min(part.end, others_[i].end) - std::max(part.begin, others_[i].begin);
    return covered;
  }

 private:
  std::vector<interval> others_;
  std::size_t next_ = 0;
};

struct gathered_role {
  role_statistics result;
  std::map<index, picosecond_sum> waits;
};

/// Walks the stack of one warp over its observed window and charges every moment once.
class stack_walk {
 public:
  stack_walk(const warp_timeline& warp, const timeline& source, gathered_role& role)
      : warp_(warp), source_(source), role_(role), tokens_(work_tokens_of(warp, source)), now_(warp.observed) {}

  void run() {
    for (const range& one : warp_.ranges) {
      if (one.token || one.stage == none) continue;
      close_until(one.begin);
      charge_until(one.begin);
      open_.push_back(&one);
    }
    close_until(warp_.unobserved);
    charge_until(warp_.unobserved);
  }

 private:
  void close_until(picoseconds time) {
    while (!open_.empty() && open_.back()->end <= time) {
      charge_until(open_.back()->end);
      open_.pop_back();
    }
  }

  void charge_until(picoseconds time) {
    time = std::min(time, warp_.unobserved);
    if (time <= now_) return;
    const interval part{std::exchange(now_, time), time};
    const picoseconds span = part.end - part.begin;
    if (open_.empty()) {
      const picoseconds covered = tokens_.of(part);
      role_.result.work += covered;
      role_.result.untracked += span - covered;
    } else if (source_.stages.at(open_.back()->stage).kind == stage_kind::wait) {
      role_.result.wait += span;
      role_.waits[open_.back()->stage] += span;
    } else {
      role_.result.work += span;
    }
  }

  const warp_timeline& warp_;
  const timeline& source_;
  gathered_role& role_;
  coverage tokens_;
  picoseconds now_;
  std::vector<const range*> open_;
};

void add(const warp_timeline& warp, const timeline& source, gathered_role& to) {
  ++to.result.warps;
  to.result.lost += warp.observed - warp.open + (warp.close - warp.unobserved);
  stack_walk(warp, source, to).run();
}

role_statistics finish(gathered_role&& gathered, const timeline& source) {
  role_statistics result = std::move(gathered.result);
  for (const auto& [stage, time] : gathered.waits) result.waits.push_back({source.stages.at(stage).name, time});
  std::stable_sort(result.waits.begin(), result.waits.end(),
                   [](const role_wait& a, const role_wait& b) { return a.time > b.time; });
  return result;
}

}  // namespace

std::vector<role_statistics> role_statistics_of(const timeline& source, const launch_group& group) {
  std::map<index, gathered_role> roles;
  for (const launch* one : group)
    for (const warp_timeline& warp : one->warps) {
      gathered_role& role = roles[warp.role];
      role.result.name = role_name(source, warp.role);
      add(warp, source, role);
    }
  std::vector<role_statistics> result;
  for (auto& [name, gathered] : roles) result.push_back(finish(std::move(gathered), source));
  std::stable_sort(result.begin(), result.end(),
                   [](const role_statistics& a, const role_statistics& b) { return a.wait > b.wait; });
  return result;
}

role_statistics role_times_of(const timeline& source, const warp_timeline& warp) {
  gathered_role role;
  add(warp, source, role);
  return std::move(role.result);
}

}  // namespace iket::analysis
