// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/related_statistics.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "parallel.hpp"
#include "stage_statistics.hpp"
#include "statistics/relations.hpp"
#include "statistics/wait_cover.hpp"

namespace iket::analysis {
namespace {

/// Counts releases: by wait stage, its role, activity of the releaser, its role.
class release_counts {
 public:
  using key = std::array<index, 4>;

  explicit release_counts(const activity_table& activities) : activities_(activities) {}

  void add(const unit_warps& warps, std::span<const release> releases) {
    for (const release& one : releases) {
      const unit_warp& waiting = warps[one.warp];
      key of{waiting.warp->ranges[one.wait].stage, waiting.warp->role, none, none};
      if (one.by_range != none) {
        const warp_timeline& by = *warps[one.by_warp].warp;
        const index stage = by.ranges[one.by_range].stage;
        of[2] = one.in_flight ? activities_.in_flight(stage) : stage;
        of[3] = by.role;
      }
      if (last_ == nullptr || of != last_key_) last_ = &counts_[of];
      last_key_ = of;
      ++*last_;
    }
  }

  void add(const release_counts& other) {
    for (const auto& [of, count] : other.counts_) counts_[of] += count;
  }

  [[nodiscard]] const std::map<key, std::uint64_t>& counts() const { return counts_; }

 private:
  activity_table activities_;
  std::map<key, std::uint64_t> counts_;
  key last_key_{};
  std::uint64_t* last_ = nullptr;
};

/// The units of all launches of a group as one list.
class unit_list {
 public:
  unit_list(const launch_group& group, scope by) : group_(group) {
    for (const launch* one : group) {
      units_.emplace_back(*one, by);
      ends_.push_back(size() + units_.back().size());
    }
  }

  [[nodiscard]] std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] std::size_t launch_of(std::size_t unit) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), unit) - ends_.begin());
  }
  [[nodiscard]] const launch& launch_at(std::size_t number) const { return *group_[number]; }
  [[nodiscard]] cta_group operator[](std::size_t unit) const {
    const std::size_t number = launch_of(unit);
    return units_[number][unit - (number == 0 ? 0 : ends_[number - 1])];
  }

 private:
  const launch_group& group_;
  std::vector<scope_units> units_;
  std::vector<std::size_t> ends_;
};

/// What one thread gathers.
class gatherer {
 public:
  explicit gatherer(const activity_table& activities)
      : activities_(activities),
        finder_(activities),
        overlap_(activities),
        cover_(activities),
        releases_(activities),
        lines_(activities) {}

  /// A CTA or a cluster.
  void add(const unit_list& units, std::size_t unit, bool with_overlap) {
    const std::size_t launch = units.launch_of(unit);
    const unit_relations found =
        finder_.find(units[unit], uncertainty_between_sms(units.launch_at(launch)),
                     [&](std::uint32_t cta, std::span<const item_range> items, std::span<const flight> flights) {
                       lines_.add(finder_.warps(), cta, items, flights, launch);
                     });
    const std::span<const activity_switch> switches = switches_.of(*found.warps, found.flights, activities_);
    cover_.add(*found.warps, switches);
    releases_.add(*found.warps, found.releases);
    if (with_overlap) overlap_.add(switches);
    for (const unit_warp& one : found.warps->warps()) {
      observed_ += one.warp->unobserved - one.warp->observed;
      together_ += std::max<picoseconds>(one.until - one.from, 0);
    }
  }

  /// A unit of a wider scope.
  void add_overlap(cta_group unit) {
    const unit_relations found = finder_.find_flights(unit, relation_finder::ignore);
    overlap_.add(switches_.of(*found.warps, found.flights, activities_));
  }

  void add(gatherer&& other) {
    overlap_.add(other.overlap_);
    cover_.add(other.cover_);
    releases_.add(other.releases_);
    lines_.add(std::move(other.lines_));
    observed_ += other.observed_;
    together_ += other.together_;
  }

  related_statistics take(const timeline& source, scope by) {
    const bool gave_up = cover_.gave_up();
    return {overlap_.take(by),
            gave_up ? std::vector<wait_statistics>() : waits(source),
            pipelines_of(source, lines_.take()),
            observed_,
            together_,
            gave_up};
  }

 private:
  [[nodiscard]] std::vector<wait_statistics> waits(const timeline& source) const;

  activity_table activities_;
  relation_finder finder_;
  switch_list switches_;
  overlap_sums overlap_;
  wait_cover cover_;
  release_counts releases_;
  line_gatherer lines_;
  picosecond_sum observed_ = 0;
  picosecond_sum together_ = 0;
};

std::vector<wait_statistics> gatherer::waits(const timeline& source) const {
  std::map<wait_key, wait_statistics> all;
  for (const auto& [key, time] : cover_.times()) {
    wait_statistics& to = all[key];
    to.total = time.total;
    to.related = time.related;
    to.skew = time.skew;
    to.uncovered = time.uncovered;
    for (index activity = 0; activity < time.covered_by.size(); ++activity)
      if (time.covered_by[activity] != 0)
        to.covered_by.push_back({activities_.name(activity), time.covered_by[activity]});
    std::stable_sort(to.covered_by.begin(), to.covered_by.end(),
                     [](const cover_part& a, const cover_part& b) { return a.time > b.time; });
  }
  for (const auto& [key, count] : releases_.counts()) {
    wait_statistics& to = all[{key[0], key[1]}];
    to.long_waits += count;
    if (key[2] != none) to.released_by.push_back({activities_.name(key[2]), role_name(source, key[3]), count});
  }
  std::vector<wait_statistics> result;
  for (auto& [key, of] : all) {
    of.stage = source.stages[key.first].name;
    of.role = role_name(source, key.second);
    std::stable_sort(of.released_by.begin(), of.released_by.end(),
                     [](const releaser& a, const releaser& b) { return a.count > b.count; });
    result.push_back(std::move(of));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const wait_statistics& a, const wait_statistics& b) { return a.total > b.total; });
  return result;
}

}  // namespace

std::optional<double> wait_statistics::fraction(picosecond_sum part) const {
  if (related == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(related);
}

related_statistics related_statistics_of(const timeline& source, const launch_group& group, scope by) {
  const activity_table activities{&source.stages};
  const unit_list near(group, neighbourhood(by));
  const unit_list units(group, by);  // an SM may have run parts of several clusters, and a cluster be on several SMs
  const bool is_wider = by != neighbourhood(by);
  std::vector<gatherer> workers;
  for (unsigned i = 0; i < threads_for(std::max(near.size(), units.size())); ++i) workers.emplace_back(activities);
  for_each_job(near.size(), [&](std::size_t unit, unsigned thread) { workers[thread].add(near, unit, !is_wider); });
  if (is_wider)
    for_each_job(units.size(), [&](std::size_t unit, unsigned thread) { workers[thread].add_overlap(units[unit]); });
  for (std::size_t i = 1; i < workers.size(); ++i) workers.front().add(std::move(workers[i]));
  return workers.front().take(source, by);
}

}  // namespace iket::analysis
