// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What ended each wait.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "statistics/flights.hpp"
#include "statistics/sorted_runs.hpp"

namespace iket::analysis {

/// Waits that are not longer have no releaser. [ps]
inline constexpr picoseconds shortest_release = 100'000;
/// How much later than the wait its releaser may seem to end. [ps]
inline constexpr picoseconds release_slack = 50'000;

/// A wait, and the work or flight of another team that ended last in (begin of the wait, end of the wait + slack].
/// Where a flight of the wait's own item ended by then, only such flights count: the one that ended last, or nothing,
/// if that was before the wait.
struct release {
  std::uint32_t warp = 0;     ///< that waited, in the unit
  index wait = none;          ///< the range
  std::uint32_t by_warp = 0;  ///< of the work, in the unit
  index by_range = none;      ///< the work; `none` where nothing ended in time
  picoseconds begin = 0;      ///< of the work, or of the flight
  picoseconds end = 0;        ///< of the work, or of the flight
  bool in_flight = false;     ///< what ended is the flight of the work
};

/// Finds what released the waits of units, one after another; its memory is used again.
class release_finder {
 public:
  /// The waits of the unit that have or could have a releaser: whole, longer than `shortest_release`, and within their
  /// CTA's window; by end. `own` are those that waited for an item, and its flights. `uncertainty` is added to the
  /// slack between warps of different SMs. Of releasers that end at the same time it is that of the lowest warp, then
  /// the one that began last, then work before flights, then the lowest stage, then the first of the warp's ranges. O(n
  /// log n) in the unit's ranges. Valid until the next call.
  [[nodiscard]] std::span<const release> find(const unit_warps& unit, std::span<const flight> flights,
                                              std::span<const item_wait> own, const activity_table& activities,
                                              picoseconds uncertainty);

 private:
  struct candidate {
    picoseconds end = 0;
    picoseconds begin = 0;
    index stage = none;
    std::uint32_t warp = 0;
    index range = none;
    bool in_flight = false;
  };
  /// The latest candidates of two teams, by which any other team's is known.
  struct latest {
    const candidate* first = nullptr;
    const candidate* second = nullptr;
  };

  void collect(const unit_warps& unit, std::span<const flight> flights, const activity_table& activities);
  void match(const unit_warps& unit, bool same_sm, picoseconds slack);
  void prefer_own(const unit_warps& unit, std::span<const flight> flights, std::span<const item_wait> own,
                  picoseconds uncertainty);
  [[nodiscard]] static candidate candidate_of(const flight& of);
  static void take(const candidate& found, release& to);

  [[nodiscard]] static bool is_better(const candidate& a, const candidate& b);
  [[nodiscard]] static bool is_worse(const candidate& a, const candidate& b) { return is_better(b, a); }

  sorted_runs<candidate> candidates_;   // the better, the later
  sorted_runs<release> waits_;          // by end
  std::vector<std::uint32_t> sms_;      // of the unit, each once
  std::vector<std::uint32_t> sm_of_;    // place in `sms_` by warp
  std::vector<latest> latest_;          // by place in `sms_`
  std::vector<const candidate*> best_;  // by wait
  std::vector<item_wait> own_;          // by warp and range
};

}  // namespace iket::analysis
