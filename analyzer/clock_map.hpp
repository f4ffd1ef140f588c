// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From SM cycles to time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

class line_fit;

/// A clock pair and the SM that it was read on.
struct sm_pair {
  std::uint32_t sm = 0;
  std::uint64_t cycles = 0;          ///< %clock64
  std::uint64_t globaltimer_ns = 0;  ///< %globaltimer
};

/// The clock of one SM as a chain of straight lines, in integers: exact, so that it never steps back, and differences
/// of times do not depend on where zero is.
class sm_clock {
 public:
  sm_clock() = default;
  /// One line through (`cycles`, `at` [ps]), with `picoseconds_per_cycle` > 0.
  sm_clock(std::uint64_t cycles, picoseconds at, double picoseconds_per_cycle);

  /// Turns into another line at `cycles`, later than all before: at the time that the clock shows there already, or at
  /// `at` where that is later.
  void turn(std::uint64_t cycles, picoseconds at, double picoseconds_per_cycle);

  /// Never decreases with `cycles` (within 2^63 of the first anchor); held within +-2^61 ps, 26 days.
  [[nodiscard]] picoseconds time(std::uint64_t cycles) const noexcept;

 private:
  struct line {
    std::uint64_t cycles = 0;
    picoseconds at = 0;
    std::int64_t slope = 0;  // [2^-32 ps per cycle]
  };

  std::vector<line> lines_ = {line{}};  // by cycles; the first also holds before its anchor
};

/// The clocks of one device's SMs, fitted to pairs. Each pair says that at its cycle count the time lay in
/// [globaltimer, globaltimer + tick).
///
/// Each SM has its own line. Its rate is fitted to its own pairs where they span more than 2048 ticks; else it is the
/// rate that fits all SMs' pairs together. The fit starts from medians, so that a few pairs that are wrong by any
/// amount have no say. Where a line misses pairs by more than the timer explains, because the clock adapted to the
/// load, the SM's clock is a chain of lines from pair to pair instead (clock_polyline.hpp). Pairs far off it are left
/// out and counted. The uncertainty is the largest distance between a pair's middle and its SM's clock, and half a tick
/// at least; between pairs an adaptive clock may have wandered further.
class clock_map {
 public:
  /// `pairs` in any order; `zero_ns` is the global time that becomes 0 ps; `rated_khz` is the rate to assume where the
  /// pairs tell none, 0 where unknown (1 GHz then). O(n log n) in the pairs.
  clock_map(std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz);

  /// The clock of one SM; of an SM without pairs, that of another one.
  [[nodiscard]] const sm_clock& of(std::uint32_t sm) const noexcept;

  [[nodiscard]] picoseconds time(std::uint32_t sm, std::uint64_t cycles) const noexcept { return of(sm).time(cycles); }

  [[nodiscard]] const clock_summary& summary() const noexcept { return summary_; }

  /// Pairs that were left out because they are far off their SM's clock.
  [[nodiscard]] std::uint64_t outliers() const noexcept { return outliers_; }

  /// True where `summary().rate_assumed` and the driver stated no rate either.
  [[nodiscard]] bool rate_is_guess() const noexcept { return rate_is_guess_; }

 private:
  struct entry {
    std::uint32_t sm = 0;
    sm_clock clock;
  };

  void place_clock(const line_fit& fit, std::uint64_t zero_ns);

  std::vector<entry> clocks_;  // by SM
  sm_clock other_;             // of SMs without pairs
  clock_summary summary_;
  std::uint64_t outliers_ = 0;
  bool rate_is_guess_ = false;
};

}  // namespace iket::analysis
