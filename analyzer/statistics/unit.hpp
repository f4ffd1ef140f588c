// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The warps that statistics relate to each other: who they are, and when all of them can be relied on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "statistics/scope.hpp"

namespace iket::analysis {

/// Behind the name of a stage: what goes on is no range of it, but what such ranges issued.
inline constexpr std::string_view in_flight_suffix = " (in flight)";

/// What a warp or an item can be busy with: a stage by its number, or, behind all stages, a work stage in flight.
struct activity_table {
  const std::vector<stage>* stages = nullptr;

  [[nodiscard]] index stage_count() const { return static_cast<index>(stages->size()); }
  [[nodiscard]] index size() const { return 2 * stage_count(); }
  [[nodiscard]] index in_flight(index stage) const { return stage_count() + stage; }
  [[nodiscard]] bool is_in_flight(index activity) const { return activity >= stage_count(); }
  [[nodiscard]] index stage_of(index activity) const {
    return is_in_flight(activity) ? activity - stage_count() : activity;
  }
  [[nodiscard]] bool is_wait(index activity) const {
    return !is_in_flight(activity) && (*stages)[activity].kind == stage_kind::wait;
  }
  /// "load tile", "load tile (in flight)".
  [[nodiscard]] std::string name(index activity) const {
    return (*stages)[stage_of(activity)].name + std::string(is_in_flight(activity) ? in_flight_suffix : "");
  }
};

/// A warp among those that it is related to.
struct unit_warp {
  const warp_timeline* warp = nullptr;
  picoseconds from = 0;    ///< the window of its CTA
  picoseconds until = 0;   ///< not later than `from` where there is no such time
  std::uint32_t cta = 0;   ///< place of its CTA in the unit
  std::uint32_t team = 0;  ///< warps of one role are a team, a warp without a role is one by itself
};

/// The warps of a CTA or of several, in order of CTA and warp.
class unit_warps {
 public:
  /// Takes the CTAs' warps in place of those that it had. The window of a CTA is the time at which all of its traced
  /// warps are observed; it may be empty. O(n log n) in the warps.
  void assign(cta_group ctas);

  [[nodiscard]] std::span<const unit_warp> warps() const { return warps_; }
  [[nodiscard]] const unit_warp& operator[](std::size_t number) const { return warps_[number]; }
  [[nodiscard]] std::size_t size() const { return warps_.size(); }
  [[nodiscard]] std::uint32_t teams() const { return teams_; }
  [[nodiscard]] std::uint32_t ctas() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  /// The number of a CTA's first warp; that of the next CTA is behind its last one.
  [[nodiscard]] std::uint32_t first_warp(std::uint32_t cta) const { return first_[cta]; }

 private:
  std::vector<unit_warp> warps_;
  std::vector<std::pair<index, std::uint32_t>> roles_;  // and their teams
  std::uint32_t teams_ = 0;
  std::vector<std::uint32_t> first_{0};  // warp of each CTA, then their number
};

}  // namespace iket::analysis
