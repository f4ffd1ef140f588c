// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The median and the largest of many uncertainties.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// Counts values in steps of 1/64 of themselves: 40 kB, and some nanoseconds a value.
class uncertainty_tally {
 public:
  /// `value` [ps], not negative.
  void add(picoseconds value) {
    const auto bits = static_cast<std::uint64_t>(value);
    const int shift = std::max(0, static_cast<int>(std::bit_width(bits)) - 7);
    const std::size_t place = static_cast<std::size_t>(shift) * 64 + static_cast<std::size_t>(bits >> shift);
    if (place >= counts_.size()) counts_.resize(place + 1);
    ++counts_[place];
    ++count_;
    largest_ = std::max(largest_, value);
  }

  void add(const uncertainty_tally& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t place = 0; place < other.counts_.size(); ++place) counts_[place] += other.counts_[place];
    count_ += other.count_;
    largest_ = std::max(largest_, other.largest_);
  }

  [[nodiscard]] picoseconds largest() const noexcept { return largest_; }

  /// At most 1/64 too large; 0 of none.
  [[nodiscard]] picoseconds median() const noexcept {
    std::uint64_t below = 0;
    for (std::size_t place = 0; place < counts_.size(); ++place) {
      below += counts_[place];
      if (below * 2 >= count_ && count_ != 0) return std::min(largest_, last_of(place));
    }
    return 0;
  }

 private:
  /// The largest value that is counted there.
  static picoseconds last_of(std::size_t place) {
    if (place < 128) return static_cast<picoseconds>(place);
    const std::size_t shift = place / 64 - 1;
    return static_cast<picoseconds>(((std::uint64_t{place - shift * 64} + 1) << shift) - 1);
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  picoseconds largest_ = 0;
};

}  // namespace iket::analysis
