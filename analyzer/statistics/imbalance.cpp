// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/imbalance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "stage_statistics.hpp"

namespace iket::analysis {
namespace {

constexpr std::array divisions{division::warps, division::ctas, division::sms};

/// Totals by the members that ran a stage. The others are 0.
using member_totals = std::map<std::uint64_t, picosecond_sum>;

/// A member of a division within one launch.
std::uint64_t member_of(const warp_timeline& warp, std::uint64_t number, division by) {
  switch (by) {
    case division::warps:
      return number;
    case division::ctas:
      return warp.cta_linear;
    case division::sms:
      break;
  }
  return warp.sm;
}

using stage_and_role = std::pair<index, index>;

/// Of one division; launch after launch.
class division_sums {
 public:
  explicit division_sums(division by) : by_(by) {}

  void add(const warp_timeline& warp, std::uint64_t number,
           const std::vector<std::pair<index, picosecond_sum>>& totals) {
    const std::uint64_t member = member_of(warp, number, by_);
    members_[warp.role].insert(members_[warp.role].end(), member);
    for (const auto& [stage, total] : totals) totals_[{stage, warp.role}][member] += total;
  }

  /// Mean first, then the deviations from it: no digits are lost in a difference of squares.
  void finish_launch() {
    for (auto& [key, one] : totals_) {
      std::vector<picosecond_sum>& all = all_[key];
      for (const auto& [member, total] : one) all.push_back(total);
    }
    for (const auto& [role, members] : members_) counts_[role] += members.size();
    totals_.clear();
    members_.clear();
  }

  [[nodiscard]] imbalance_statistics statistics(const stage_and_role& key, const timeline& source) const {
    imbalance_statistics result;
    result.stage = source.stages.at(key.first).name;
    result.kind = source.stages.at(key.first).kind;
    result.role = role_name(source, key.second);
    result.across = by_;
    result.n = counts_.at(key.second);
    const std::vector<picosecond_sum>& totals = all_.at(key);
    for (const picosecond_sum total : totals) {
      result.sum += total;
      result.max = std::max(result.max, total);
    }
    const double mean = result.mean_ps();
    const auto squared = [&](picosecond_sum total) { return std::pow(static_cast<double>(total) - mean, 2); };
    double squares = static_cast<double>(result.n - totals.size()) * squared(0);
    for (const picosecond_sum total : totals) squares += squared(total);
    result.variance = squares / static_cast<double>(result.n);
    return result;
  }

  [[nodiscard]] const std::map<stage_and_role, std::vector<picosecond_sum>>& all() const { return all_; }

 private:
  division by_;
  std::map<index, std::set<std::uint64_t>> members_;  // of each role, in this launch
  std::map<stage_and_role, member_totals> totals_;    // in this launch
  std::map<index, std::uint64_t> counts_;             // members of each role, in the launches before
  std::map<stage_and_role, std::vector<picosecond_sum>> all_;
};

/// The totals of a warp's stages, those that it ran; in the order of their first ranges.
class warp_totals {
 public:
  explicit warp_totals(std::size_t stages) : place_(stages, none) {}

  const std::vector<std::pair<index, picosecond_sum>>& of(const warp_timeline& warp) {
    totals_.clear();
    for (const range& one : warp.ranges) {
      if (one.stage == none || one.state != range_state::whole) continue;
      if (place_[one.stage] == none) {
        place_[one.stage] = static_cast<index>(totals_.size());
        totals_.emplace_back(one.stage, 0);
      }
      totals_[place_[one.stage]].second += one.end - one.begin;
    }
    for (const auto& [stage, total] : totals_) place_[stage] = none;
    return totals_;
  }

 private:
  std::vector<index> place_;
  std::vector<std::pair<index, picosecond_sum>> totals_;
};

}  // namespace

std::string_view division_name(division of) {
  constexpr std::array<std::string_view, 3> names{"warps", "ctas", "sms"};
  return names[static_cast<std::size_t>(of)];
}

std::optional<double> imbalance_statistics::max_over_mean() const {
  if (sum == 0) return std::nullopt;
  return static_cast<double>(max) / mean_ps();
}

std::optional<double> imbalance_statistics::cv() const {
  if (sum == 0) return std::nullopt;
  return std::sqrt(variance) / mean_ps();
}

std::vector<imbalance_statistics> imbalance_of(const timeline& source, const launch_group& group) {
  std::vector<division_sums> sums(divisions.begin(), divisions.end());
  warp_totals totals(source.stages.size());
  for (const launch* one : group) {
    for (std::size_t i = 0; i < one->warps.size(); ++i) {
      const auto& of_warp = totals.of(one->warps[i]);
      for (division_sums& to : sums) to.add(one->warps[i], i, of_warp);
    }
    for (division_sums& to : sums) to.finish_launch();
  }
  std::vector<imbalance_statistics> result;
  for (const auto& [key, members] : sums.front().all())
    for (const division_sums& from : sums) result.push_back(from.statistics(key, source));
  return result;
}

}  // namespace iket::analysis
