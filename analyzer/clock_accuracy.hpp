// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How well times of a launch are known, for those who compare them.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "clock_map.hpp"
#include "time_shift.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Answers for events of a `launch`, by their SM and time.
class clock_accuracy {
 public:
  /// `zero` is the time on `clocks` that is 0 on the time line.
  clock_accuracy(std::shared_ptr<const clock_map> clocks, picoseconds zero) : clocks_(std::move(clocks)), zero_(zero) {}

  /// The same for times that `by` moved to another line; without what that line may be off as a whole.
  [[nodiscard]] clock_accuracy moved(const time_shift& by) const {
    clock_accuracy result = *this;
    result.shift_ = by(shift_);
    result.rate_ = (1 + rate_) * (1 + by.rate) - 1;
    return result;
  }

  /// How far `time` of an event on `sm` may be off; O(log knots). Two events of one SM share most of it: that one came
  /// before the other is certain.
  [[nodiscard]] picoseconds uncertainty(std::uint32_t sm, picoseconds time) const noexcept {
    return clocks_->of(sm).uncertainty_at(zero_ + before(time));
  }

  /// The place of the SM's clock domain in `clock_summary::domains`; `none` for an SM without pairs.
  [[nodiscard]] index domain_of(std::uint32_t sm) const noexcept { return clocks_->domain_of(sm); }

 private:
  // What became `time` when it was moved.
  [[nodiscard]] picoseconds before(picoseconds time) const noexcept {
    const picoseconds since = time - shift_;
    return since - (rate_ == 0 ? 0 : std::llround(static_cast<double>(since) * (rate_ / (1 + rate_))));
  }

  std::shared_ptr<const clock_map> clocks_;
  picoseconds zero_;
  picoseconds shift_ = 0;  // where the launch's line has its zero on the line to which it was moved
  double rate_ = 0;        // by how much it was stretched
};

}  // namespace iket::analysis
