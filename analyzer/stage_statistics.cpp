// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "stage_statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "overhead.hpp"
#include "parallel.hpp"
#include "warp_blocks.hpp"

namespace iket::analysis {
namespace {

/// What is gathered of one stage on some warps before its statistics can be computed.
struct gathered_stage {
  stage_statistics result;
  picoseconds* durations = nullptr;  // where the next one goes
  std::set<std::string> roles;
  std::set<source_location> sources;
  index last_source = none;  // sites repeat: most look-ups end here
  const warp_timeline* last_warp = nullptr;
  picosecond_sum cycles = 0;      // of the whole ranges, and of the open ones
  std::uint64_t half_events = 0;  // whose cost lies inside them
  std::uint64_t too_short = 0;

  void add(gathered_stage&& other) {
    if (other.last_warp == nullptr) return;
    last_warp = other.last_warp;
    result.count += other.result.count;
    result.total += other.result.total;
    result.self += other.result.self;
    result.observed += other.result.observed;
    result.open += other.result.open;
    result.open_time += other.result.open_time;
    result.cut += other.result.cut;
    result.unmatched += other.result.unmatched;
    roles.merge(other.roles);
    sources.merge(other.sources);
    cycles += other.cycles;
    half_events += other.half_events;
    too_short += other.too_short;
  }
};

/// Cycles of a range that is open on a warp that never closed, up to the warp's last record: in proportion to the time,
/// as what it did behind that is not known.
picosecond_sum recorded_cycles(const warp_timeline& warp, const range& of) {
  if (warp.last_event <= warp.observed) return 0;
  const double part =
      static_cast<double>(warp.last_event - of.begin) / static_cast<double>(warp.last_event - warp.observed);
  return static_cast<picosecond_sum>(std::clamp(part, 0.0, 1.0) * static_cast<double>(warp.cycles));
}

/// Gathers the stages of one block of warps.
class gatherer {
 public:
  std::vector<gathered_stage> stages;  // as in the timeline

  gatherer(const timeline& source, const std::optional<calibration>& measured)
      : stages(source.stages.size()),
        source_(source),
        too_short_cycles_(measured ? too_short_events * measured->event_burst_cycles : 0) {}

  void add(const warp_timeline& warp) {
    for (const range& one : warp.ranges) add(warp, one);
    for (const odd_events& odd : warp.odd) add(warp, odd);
  }

 private:
  gathered_stage& stage_on(const warp_timeline& warp, index stage) {
    gathered_stage& gathered = stages.at(stage);
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
    if (one.state == range_state::open && !warp.closed) {
      gathered.cycles += recorded_cycles(warp, one);
      gathered.half_events += 1 + 2 * std::uint64_t{one.inside};
    }
    if (one.state != range_state::whole) return;
    ++gathered.result.count;
    *gathered.durations++ = one.end - one.begin;
    gathered.result.total += one.end - one.begin;
    gathered.result.self += one.self;
    gathered.cycles += one.cycles;
    gathered.half_events += 2 + 2 * std::uint64_t{one.inside};
    if (static_cast<double>(one.cycles) < too_short_cycles_) ++gathered.too_short;
  }

  void add(const warp_timeline& warp, const odd_events& odd) {
    if (odd.stage == none) return;
    stage_statistics& result = stage_on(warp, odd.stage).result;
    result.open += odd.open;
    result.cut += odd.cut;
    result.unmatched += odd.unmatched;
  }

  const timeline& source_;
  const double too_short_cycles_;
};

/// How many whole ranges each stage has on some warps.
std::vector<std::uint64_t> whole_ranges_on(const warp_block& warps, std::size_t stages) {
  std::vector<std::uint64_t> counts(stages);
  for (const warp_timeline* const warp : warps)
    for (const range& one : warp->ranges)
      if (one.stage != none && one.state == range_state::whole) ++counts.at(one.stage);
  return counts;
}

/// The durations of all stages, each stage's together, in memory of just that size.
class duration_store {
 public:
  explicit duration_store(const std::vector<std::vector<std::uint64_t>>& counts_by_block) {
    const std::size_t stages = counts_by_block.empty() ? 0 : counts_by_block.front().size();
    std::size_t size = 0;
    firsts_.assign(counts_by_block.size(), std::vector<std::size_t>(stages));
    for (std::size_t stage = 0; stage < stages; ++stage)
      for (std::size_t block = 0; block < counts_by_block.size(); ++block) {
        firsts_[block][stage] = size;
        size += counts_by_block[block][stage];
      }
    values_ = std::make_unique_for_overwrite<picoseconds[]>(size);
  }

  /// Where a block of warps puts those of a stage.
  [[nodiscard]] picoseconds* begin(std::size_t block, std::size_t stage) const {
    return values_.get() + firsts_[block][stage];
  }

  [[nodiscard]] std::span<picoseconds> of(std::size_t stage, std::uint64_t count) const {
    return {begin(0, stage), static_cast<std::size_t>(count)};
  }

 private:
  std::vector<std::vector<std::size_t>> firsts_;
  std::unique_ptr<picoseconds[]> values_;
};

std::size_t place_of(std::size_t count, std::uint64_t percent) { return (count * percent + 99) / 100 - 1; }

/// Puts `values`, which are not empty, in some other order. Linear.
duration_spread spread_of(std::span<picoseconds> values) {
  duration_spread result;
  auto begin = values.begin();
  const auto select = [&](std::uint64_t percent) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(place_of(values.size(), percent));
    std::nth_element(begin, place, values.end());
    begin = place;
    return *place;
  };
  result.p50 = select(50);
  result.min = *std::min_element(values.begin(), begin + 1);
  result.p90 = select(90);
  result.p99 = select(99);
  result.max = *std::max_element(begin, values.end());
  return result;
}

/// The statistics of one stage; `durations` are in any order.
stage_statistics finish(const stage& stage, gathered_stage&& gathered, std::span<picoseconds> durations,
                        const std::optional<calibration>& measured) {
  stage_statistics result = std::move(gathered.result);
  result.name = stage.name;
  result.kind = stage.kind;
  result.roles.assign(gathered.roles.begin(), gathered.roles.end());
  // A stage of which only ends were kept is still known to its sites.
  result.sources.assign(gathered.sources.begin(), gathered.sources.end());
  if (result.sources.empty()) result.sources = stage.sources;
  if (!durations.empty()) result.spread = spread_of(durations);
  if (measured) {
    result.overhead = part_of_cycles(static_cast<double>(gathered.half_events) / 2, measured->event_cycles,
                                     static_cast<double>(gathered.cycles));
    result.too_short = gathered.too_short;
  }
  return result;
}

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
  const std::optional<calibration> measured = event_costs_of(source, group);
  const std::size_t stage_count = source.stages.size();
  const warp_blocks warps(group);
  std::vector<std::vector<std::uint64_t>> counts(warps.size());
  for_each_job(warps.size(),
               [&](std::size_t block, unsigned) { counts[block] = whole_ranges_on(warps[block], stage_count); });
  const duration_store durations(counts);

  std::vector<gatherer> blocks(warps.size(), gatherer(source, measured));
  for_each_job(warps.size(), [&](std::size_t block, unsigned) {
    for (std::size_t stage = 0; stage < stage_count; ++stage)
      blocks[block].stages[stage].durations = durations.begin(block, stage);
    for (const warp_timeline* const warp : warps[block]) blocks[block].add(*warp);
  });
  std::vector<stage_statistics> results(stage_count);
  std::vector<char> has_run(stage_count);
  for_each_job(stage_count, [&](std::size_t stage, unsigned) {
    gathered_stage all;
    for (gatherer& of : blocks) all.add(std::move(of.stages[stage]));
    has_run[stage] = all.last_warp != nullptr;
    if (has_run[stage] == 0) return;
    const std::uint64_t count = all.result.count;
    results[stage] = finish(source.stages[stage], std::move(all), durations.of(stage, count), measured);
  });

  std::vector<stage_statistics> sorted;
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    if (has_run[stage] != 0) sorted.push_back(std::move(results[stage]));
  std::stable_sort(sorted.begin(), sorted.end(), [](const stage_statistics& a, const stage_statistics& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
  return sorted;
}

picoseconds percentile(std::span<const picoseconds> sorted, std::uint64_t percent) {
  return sorted[place_of(sorted.size(), percent)];
}

std::string role_name(const timeline& source, index role) { return role == none ? "-" : source.roles.at(role); }

}  // namespace iket::analysis
