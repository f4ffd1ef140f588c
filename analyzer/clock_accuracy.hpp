// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How well times of a launch are known, for those who compare them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "clock_map.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Answers for events of a `launch`, by their SM and time.
class clock_accuracy {
 public:
  /// `zero` is the time on `clocks` that is 0 on the time line.
  clock_accuracy(std::shared_ptr<const clock_map> clocks, picoseconds zero) : clocks_(std::move(clocks)), zero_(zero) {}

  /// How far `time` of an event on `sm` may be off; O(log knots). Two events of one SM share most of it: that one came
  /// before the other is certain.
  [[nodiscard]] picoseconds uncertainty(std::uint32_t sm, picoseconds time) const noexcept {
    return clocks_->of(sm).uncertainty_at(time + zero_);
  }

  /// The place of the SM's clock domain in `clock_summary::domains`; `none` for an SM without pairs.
  [[nodiscard]] index domain_of(std::uint32_t sm) const noexcept { return clocks_->domain_of(sm); }

 private:
  std::shared_ptr<const clock_map> clocks_;
  picoseconds zero_;
};

}  // namespace iket::analysis
