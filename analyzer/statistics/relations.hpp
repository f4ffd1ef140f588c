// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a unit's warps have to do with each other, instance by instance.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "launch_group.hpp"
#include "statistics/releases.hpp"

namespace iket::analysis {

/// Flights and releases of one CTA, or, with a scope wider than that, of one cluster.
struct unit_relations {
  const unit_warps* warps = nullptr;
  std::span<const flight> flights;    ///< CTA by CTA
  std::span<const release> releases;  ///< by the end of the wait; also of waits without a releaser
};

/// Finds the relations of units, one after another; its memory is used again.
class relation_finder {
 public:
  explicit relation_finder(const activity_table& activities) : activities_(activities) {}

  /// The warps and flights of a unit, without releases; calls `visit(cta, items, flights)` for each CTA on the way,
  /// with what is of that CTA. Valid until the next call, of whichever function. O(n log n) in the ranges.
  template <class Visit>
  unit_relations find_flights(cta_group unit, Visit&& visit) {
    warps_.assign(unit);
    flights_.clear();
    item_waits_.clear();
    for (std::uint32_t cta = 0; cta < warps_.ctas(); ++cta) {
      const std::size_t first = flights_.size();
      const std::span<const item_range> items = items_.find(warps_, cta);
      flight_finder_.find(warps_, items, activities_, shortest_release, flights_, item_waits_);
      visit(cta, items, std::span<const flight>(flights_).subspan(first));
    }
    return {&warps_, flights_, {}};
  }

  /// The same with releases; `uncertainty` is that between SMs [ps].
  template <class Visit>
  unit_relations find(cta_group unit, picoseconds uncertainty, Visit&& visit) {
    unit_relations result = find_flights(unit, visit);
    result.releases = releases_.find(warps_, flights_, item_waits_, activities_, uncertainty);
    return result;
  }

  /// Those of the unit that was last asked for, or is on its way.
  [[nodiscard]] const unit_warps& warps() const { return warps_; }

  /// For those who need no items.
  static void ignore(std::uint32_t, std::span<const item_range>, std::span<const flight>) {}

 private:
  activity_table activities_;
  unit_warps warps_;
  item_finder items_;
  flight_finder flight_finder_;
  std::vector<flight> flights_;
  std::vector<item_wait> item_waits_;
  release_finder releases_;
};

/// Where waits are related to what releases them: the CTA, or with a wider scope the cluster.
[[nodiscard]] constexpr scope neighbourhood(scope by) { return by == scope::cta ? scope::cta : scope::cluster; }

/// What is added to the slack of a release between SMs: how far off an event's time may be, the most of the launch.
[[nodiscard]] picoseconds uncertainty_between_sms(const launch& of);

/// Calls `visit` for every CTA of the launch, or every cluster where the scope is wider, that is `wanted`; without it,
/// for all.
void visit_relations(const timeline& source, const launch& of, scope by,
                     const std::function<void(const unit_relations&)>& visit,
                     const std::function<bool(cta_group)>& wanted = {});

}  // namespace iket::analysis
