// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the others did while a warp waited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "picosecond_sum.hpp"
#include "statistics/switches.hpp"

namespace iket::analysis {

/// A wait stage, and the role of the warps that waited.
using wait_key = std::pair<index, index>;

/// Times of waits of one stage and role, sums over their self intervals within the CTAs' windows.
struct wait_time {
  picosecond_sum total = 0;
  picosecond_sum related = 0;  ///< of it, where another warp was traced; what follows is of this part
  picosecond_sum skew = 0;     ///< only warps of the same team worked
  picosecond_sum uncovered = 0;
  std::vector<picosecond_sum> covered_by;  ///< by activity, as far as needed; may overlap each other
};

/// Sums up what covers waits, over units.
class wait_cover {
 public:
  explicit wait_cover(const activity_table& activities) : activities_(activities) {}

  /// A unit's switches, by time. O(n w a) with w kinds of waits and a activities going on at once; gives up where that
  /// is more than `limits::cover_steps` for each of them.
  void add(const unit_warps& unit, std::span<const activity_switch> switches);

  /// The sums of units that another one has added.
  void add(const wait_cover& other);

  [[nodiscard]] const std::map<wait_key, wait_time>& times() const { return times_; }

  /// Whether it did: then the sums lack something.
  [[nodiscard]] bool gave_up() const noexcept { return gave_up_; }

 private:
  /// Waits of one team in one stage that go on now.
  struct current_wait {
    std::uint32_t team = 0;
    index stage = none;
    std::int64_t count = 0;
    std::int64_t by_workers = 0;  // of `count`, those whose own warp works: it has a work token open
    wait_time* time = nullptr;
  };
  struct warp_state {
    std::int64_t works = 0;        // its stack range and tokens of kind work
    std::vector<index> waits_now;  // stages
  };

  void reset(const unit_warps& unit);
  /// False: there were more steps than that.
  [[nodiscard]] bool spend(std::uint64_t steps);
  void advance(picoseconds span);
  void charge(current_wait& wait, picoseconds span);
  void change(const activity_switch& one, index activity, int by);
  void change_work(std::uint32_t warp, index activity, int by);
  void change_wait(std::uint32_t warp, index activity, int by);
  void add_teams(index activity, int by);
  [[nodiscard]] current_wait& wait_of(std::uint32_t warp, index stage);

  activity_table activities_;
  std::map<wait_key, wait_time> times_;
  const unit_warps* unit_ = nullptr;
  bool related_ = false;
  bool gave_up_ = false;
  std::uint64_t steps_left_ = 0;       // for this unit
  std::vector<std::int64_t> work_;     // warps and tokens, by team and stage
  std::vector<std::int64_t> teams_;    // teams in it, or items in flight, by activity
  std::vector<index> going_on_;        // activities with some
  std::vector<std::int64_t> working_;  // warps that work, by team
  std::vector<warp_state> states_;     // by warp
  std::vector<current_wait> waits_;
};

}  // namespace iket::analysis
