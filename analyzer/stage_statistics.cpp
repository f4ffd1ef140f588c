// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "stage_statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "overhead.hpp"

namespace iket::analysis {
namespace {

/// What is gathered of one stage before its statistics can be computed.
struct gathered_stage {
  stage_statistics result;
  std::vector<picoseconds> durations;
  std::set<std::string> roles;
  std::set<source_location> sources;
  index last_source = none;  // sites repeat: most look-ups end here
  const warp_timeline* last_warp = nullptr;
  double cycles = 0;  // of the whole ranges
  double events = 0;  // whose cost lies inside them
  std::uint64_t too_short = 0;
};

class gatherer {
 public:
  gatherer(const timeline& source, const std::optional<calibration>& measured)
      : source_(source), measured_(measured), stages_(source.stages.size()) {}

  void add(const warp_timeline& warp) {
    for (const range& one : warp.ranges) add(warp, one);
    for (const odd_events& odd : warp.odd) add(warp, odd);
  }

  std::vector<stage_statistics> take() {
    std::vector<stage_statistics> result;
    for (std::size_t i = 0; i < stages_.size(); ++i)
      if (stages_[i].last_warp != nullptr) result.push_back(finish(source_.stages[i], std::move(stages_[i])));
    std::stable_sort(result.begin(), result.end(), [](const stage_statistics& a, const stage_statistics& b) {
      return a.self != b.self ? a.self > b.self : a.name < b.name;
    });
    return result;
  }

 private:
  gathered_stage& stage_on(const warp_timeline& warp, index stage) {
    gathered_stage& gathered = stages_.at(stage);
    if (gathered.last_warp == &warp) return gathered;
    gathered.last_warp = &warp;
    gathered.roles.insert(role_name(source_, warp.role));
    gathered.result.observed += warp.unobserved - warp.observed;
    return gathered;
  }

  void add(const warp_timeline& warp, const range& one) {
    if (one.stage == none) return;
    gathered_stage& gathered = stage_on(warp, one.stage);
    if (one.source != gathered.last_source && one.source != none) {
      gathered.last_source = one.source;
      gathered.sources.insert(source_.sources.at(one.source));
    }
    if (one.state == range_state::open) gathered.result.open_time += one.end - one.begin;
    if (one.state != range_state::whole) return;
    gathered.durations.push_back(one.end - one.begin);
    gathered.result.total += one.end - one.begin;
    gathered.result.self += one.self;
    gathered.cycles += static_cast<double>(one.cycles);
    gathered.events += 1.0 + one.inside;
    if (measured_ && static_cast<double>(one.cycles) < too_short_events * measured_->event_burst_cycles)
      ++gathered.too_short;
  }

  void add(const warp_timeline& warp, const odd_events& odd) {
    if (odd.stage == none) return;
    stage_statistics& result = stage_on(warp, odd.stage).result;
    result.open += odd.open;
    result.cut += odd.cut;
    result.unmatched += odd.unmatched;
  }

  [[nodiscard]] stage_statistics finish(const stage& stage, gathered_stage&& gathered) const {
    stage_statistics result = std::move(gathered.result);
    result.name = stage.name;
    result.kind = stage.kind;
    result.count = gathered.durations.size();
    result.roles.assign(gathered.roles.begin(), gathered.roles.end());
    // A stage of which only ends were kept is still known to its sites.
    result.sources.assign(gathered.sources.begin(), gathered.sources.end());
    if (result.sources.empty()) result.sources = stage.sources;
    if (result.count != 0) {
      std::vector<picoseconds>& sorted = gathered.durations;
      std::sort(sorted.begin(), sorted.end());
      result.spread = duration_spread{sorted.front(), percentile(sorted, 50), percentile(sorted, 90),
                                      percentile(sorted, 99), sorted.back()};
    }
    if (measured_) {
      result.overhead = part_of_cycles(gathered.events, measured_->event_cycles, gathered.cycles);
      result.too_short = gathered.too_short;
    }
    return result;
  }

  const timeline& source_;
  const std::optional<calibration> measured_;
  std::vector<gathered_stage> stages_;
};

}  // namespace

std::optional<double> stage_statistics::share() const {
  if (count == 0 || observed <= 0) return std::nullopt;
  return static_cast<double>(self) / static_cast<double>(observed);
}

std::optional<double> stage_statistics::mean_ps() const {
  if (count == 0) return std::nullopt;
  return static_cast<double>(total) / static_cast<double>(count);
}

std::vector<stage_statistics> stage_statistics_of(const timeline& source, const launch_group& group) {
  gatherer all(source, event_costs_of(source, group));
  for (const launch* one : group)
    for (const warp_timeline& warp : one->warps) all.add(warp);
  return all.take();
}

picoseconds percentile(std::span<const picoseconds> sorted, std::uint64_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

std::string role_name(const timeline& source, index role) { return role == none ? "-" : source.roles.at(role); }

}  // namespace iket::analysis
