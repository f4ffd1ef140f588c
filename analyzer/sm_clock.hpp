// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The clock of an SM as a chain of straight lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// A time and how far it may be off [ps].
struct uncertain_time {
  picoseconds at = 0;
  picoseconds uncertainty = 0;
};

/// The counter of a clock domain as a chain of lines, in integers: exact, so that it never steps back, and differences
/// of times do not depend on where zero is. The uncertainty is a chain of lines over the same knots.
class clock_chain {
 public:
  /// One line through (`cycles`, `at` [ps]), with `picoseconds_per_cycle` > 0.
  clock_chain(std::uint64_t cycles, uncertain_time at, double picoseconds_per_cycle);

  /// Appends a knot at `cycles`, later than all before: at that time, or at the one that 1 ps per cycle leads to where
  /// that is later. The last line goes there.
  void add(std::uint64_t cycles, uncertain_time at);

  /// How much the uncertainty grows with each cycle before the first knot, and behind the last one [ps].
  void extend(double growth_before, double growth_behind);

  /// How fast it goes on behind the last knot, where the last line's slope is not to be trusted; and the growth there.
  void go_on_at(double picoseconds_per_cycle, double growth_behind);

  /// Never decreases with `cycles` (within 2^63 of the first knot); held within +-2^61 ps, 26 days.
  [[nodiscard]] uncertain_time at(std::uint64_t cycles) const noexcept;

  /// The same, for one after another: `place` is where the last one was found, 0 at first. O(1) where they rise slowly.
  [[nodiscard]] uncertain_time at(std::uint64_t cycles, std::size_t& place) const noexcept;

  /// The inverse, to within a cycle and a picosecond.
  [[nodiscard]] std::uint64_t cycles_at(picoseconds time) const noexcept;

  struct knot {
    std::uint64_t cycles = 0;
    picoseconds at = 0;
    std::int64_t slope = 0;  ///< [2^-32 ps per cycle], to the next one
    picoseconds uncertainty = 0;
  };

  [[nodiscard]] const std::vector<knot>& knots() const noexcept { return knots_; }

 private:
  [[nodiscard]] std::size_t knots_until(std::uint64_t cycles) const noexcept;
  [[nodiscard]] uncertain_time at_place(std::uint64_t cycles, std::size_t place) const noexcept;

  std::vector<knot> knots_;   // by cycles; the first line also holds before the first, the last one behind the last
  double growth_before_ = 0;  // [ps per cycle]
  double growth_behind_ = 0;
};

/// The clock of one SM: its domain's, moved by a constant. Refers to its `clock_map`. O(log knots) a time.
class sm_clock {
 public:
  sm_clock(const clock_chain& chain, picoseconds offset, picoseconds doubt) noexcept
      : chain_(&chain), offset_(offset), doubt_(doubt) {}

  [[nodiscard]] uncertain_time at(std::uint64_t cycles) const noexcept { return moved(chain_->at(cycles)); }
  /// See `clock_chain::at`.
  [[nodiscard]] uncertain_time at(std::uint64_t cycles, std::size_t& place) const noexcept {
    return moved(chain_->at(cycles, place));
  }
  [[nodiscard]] picoseconds time(std::uint64_t cycles) const noexcept { return at(cycles).at; }

  /// The uncertainty of a time that this clock shows.
  [[nodiscard]] picoseconds uncertainty_at(picoseconds time) const noexcept {
    return at(chain_->cycles_at(time - offset_)).uncertainty;
  }

 private:
  [[nodiscard]] uncertain_time moved(uncertain_time time) const noexcept {
    return {time.at + offset_, time.uncertainty + doubt_};
  }

  const clock_chain* chain_;
  picoseconds offset_;
  picoseconds doubt_;
};

}  // namespace iket::analysis
