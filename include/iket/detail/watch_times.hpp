// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When a watchdog speaks, tries again, and gives up. Without a clock of its own, so that tests can be exact.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <iket/detail/running_launches.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

using watch_time = std::chrono::steady_clock::time_point;

/// Which launches run for too long.
class overdue_launches {
 public:
  explicit overdue_launches(std::chrono::nanoseconds limit) : limit_(limit) {}

  struct overdue {
    std::string name;
    std::chrono::nanoseconds since;  ///< it was first seen to run
  };

  /// Of those that run `now`, those that do so for the limit or longer, each once. The clock of one begins when it is
  /// first seen, and again where it was not seen for once.
  [[nodiscard]] std::vector<overdue> look(const std::vector<running_launch>& running, watch_time now) {
    std::map<launch_key, watch_time> seen;
    std::vector<overdue> found;
    for (const running_launch& launch : running) {
      const auto before = first_seen_.find(launch.key);
      const watch_time first = before == first_seen_.end() ? now : before->second;
      seen[launch.key] = first;
      if (now - first >= limit_ && told_.insert(launch.key).second) found.push_back({launch.name, now - first});
    }
    first_seen_ = std::move(seen);
    return found;
  }

  /// Whether one that `look` has found was among those that it saw last.
  [[nodiscard]] bool is_any_left() const {
    return std::any_of(first_seen_.begin(), first_seen_.end(),
                       [this](const auto& seen) { return told_.count(seen.first) != 0; });
  }

 private:
  std::chrono::nanoseconds limit_;
  std::map<launch_key, watch_time> first_seen_;  // of those that run
  std::set<launch_key> told_;
};

/// When a snapshot is tried: at once, and where that fails again, after one look, then two, four, and so on.
class snapshot_tries {
 public:
  explicit snapshot_tries(unsigned at_most) : at_most_(at_most) {}

  /// There is something new to take one of.
  void begin() {
    left_ = at_most_;
    pause_ = 1;
    looks_ = 0;
  }
  /// There is nothing to take one of any more, or one has been taken.
  void end() { left_ = 0; }
  /// Called once a look: whether to try now.
  [[nodiscard]] bool is_due() { return left_ != 0 && (looks_ == 0 || --looks_ == 0); }
  /// The try has failed. Whether it was the first one.
  bool fail() {
    const bool is_first = left_ == at_most_;
    --left_;
    looks_ = pause_;
    pause_ *= 2;
    return is_first;
  }
  /// Whether none is left, or there is nothing to try.
  [[nodiscard]] bool is_over() const { return left_ == 0; }

 private:
  unsigned at_most_, left_ = 0, pause_ = 1, looks_ = 0;
};

/// What a watchdog's thread is at that may not come to its end.
enum class watch_step {
  none,
  looking,  ///< whether launches run
  waiting,  ///< for other calls of the session, before the next
  copying,  ///< what they have recorded
  writing,  ///< that into a file
};

/// Whether a step takes too long. Looking is told of once and for all: a program may copy behind long kernels, and none
/// of them hang.
class step_timer {
 public:
  /// `memory_bytes` is what there may be to copy: a second for each GiB, behind the limit, but not before 2 s. A limit
  /// of more than a year counts as a year: sums with an endless one would overflow.
  step_timer(std::chrono::nanoseconds limit, std::size_t memory_bytes)
      : looking_(std::clamp<std::chrono::nanoseconds>(limit, std::chrono::seconds(2), std::chrono::hours(24 * 365))),
        copying_(looking_ + std::chrono::seconds(memory_bytes >> 30)),
        writing_(std::max<std::chrono::nanoseconds>(looking_, std::chrono::seconds(60))) {}

  void begin(watch_step step, watch_time now) {
    step_ = step;
    since_ = now;
    is_told_ = step == watch_step::looking && has_told_looking_;
  }
  void end() { step_ = watch_step::none; }

  /// How long `step` may take.
  [[nodiscard]] std::chrono::nanoseconds bound(watch_step step) const {
    if (step == watch_step::looking) return looking_;
    return step == watch_step::writing ? writing_ : copying_;
  }

  /// The step that takes longer than it may, once; else none.
  [[nodiscard]] watch_step overrun(watch_time now) {
    if (step_ == watch_step::none || is_told_ || now - since_ < bound(step_)) return watch_step::none;
    is_told_ = true;
    has_told_looking_ = has_told_looking_ || step_ == watch_step::looking;
    return step_;
  }

 private:
  std::chrono::nanoseconds looking_, copying_, writing_;
  watch_step step_ = watch_step::none;
  watch_time since_;
  bool is_told_ = false;  // of this step
  bool has_told_looking_ = false;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
