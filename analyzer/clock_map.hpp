// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From SM cycles to time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock_pairs.hpp"
#include "rate_windows.hpp"
#include "sm_clock.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// The clocks of one device's SMs, from all their clock pairs.
///
/// Each pair says that at its cycle count the time lay within a tick of the global timer, up to the timer's jitter and
/// the way between the two reads (reading_errors.hpp); many near each other say more together (pair_means.hpp). SMs
/// that share a counter, which the pairs show (clock_domains.hpp), share a map. How fast the counter ran, and how much
/// that may have changed unseen, comes from the pairs too (rate_bounds.hpp). What then is left for the time between and
/// beyond all pairs (time_envelope.hpp) is the uncertainty; the map is its middle (envelope_chain.hpp). Pairs that do
/// not fit are left out and counted.
///
/// What the uncertainty takes for granted: a counter's rate changes by no more than 2e-4 from place to place in a way
/// that its windows of 50 to 100 us do not show, or those of several pairs where pairs are farther apart, or short ones
/// that tell the rate to 1.5e-3; and where no pair was made for long, by no more than 1.5e-3 beyond what the device
/// showed anywhere in the file, and a fifth of how much that differs; where a load sets in and that differs by more
/// than a hundredth, by another quarter of it. While the device was idle, from a quarter of that to one and a half
/// times of it.
class clock_map {
 public:
  /// `pairs` in any order; `zero_ns` is the global time that becomes 0 ps; `rated_khz` is the rate to assume where the
  /// pairs tell none, 0 where unknown (1 GHz then); `known_tick_ns` is the timer's step as it was measured, 0 where it
  /// was not: the pairs may show a longer one. `stays_busy`: warps ran on behind the last pair. O(n log n) in the
  /// pairs: a second for a million.
  clock_map(std::vector<sm_pair> pairs, std::uint64_t zero_ns, std::uint32_t rated_khz, double known_tick_ns = 0,
            bool stays_busy = false);

  /// The clock of one SM; of an SM without pairs, that of another one. Refers to this map.
  [[nodiscard]] sm_clock of(std::uint32_t sm) const noexcept;

  [[nodiscard]] picoseconds time(std::uint32_t sm, std::uint64_t cycles) const noexcept { return of(sm).time(cycles); }

  /// How far that may be from the true time.
  [[nodiscard]] picoseconds uncertainty(std::uint32_t sm, std::uint64_t cycles) const noexcept {
    return of(sm).at(cycles).uncertainty;
  }

  /// Which SMs share a counter: a list for each, in order; SMs without pairs are in none.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& domains() const noexcept { return domains_; }

  /// The place of an SM's domain there; `none` for an SM without pairs.
  [[nodiscard]] index domain_of(std::uint32_t sm) const noexcept;

  /// Of the stretches that tell a rate of all domains, the mean [cycles per ns].
  [[nodiscard]] double sm_ghz() const noexcept { return sm_ghz_; }

  /// Step of the global timer, as the pairs show it; 0 where they do not.
  [[nodiscard]] double tick_ns() const noexcept { return tick_ns_; }

  /// The pairs tell no rate: the rated one was taken.
  [[nodiscard]] bool rate_assumed() const noexcept { return rate_assumed_; }

  /// True where `rate_assumed` and the driver stated no rate either.
  [[nodiscard]] bool rate_is_guess() const noexcept { return rate_is_guess_; }

  /// Pairs that were left out because they fit no clock.
  [[nodiscard]] std::uint64_t outliers() const noexcept { return outliers_; }

  /// Knots of all maps together.
  [[nodiscard]] std::size_t knots() const noexcept;

 private:
  struct sm_entry {
    std::uint32_t sm = 0;
    index chain = none;
    picoseconds offset = 0;
    picoseconds doubt = 0;
  };

  [[nodiscard]] const sm_entry* find(std::uint32_t sm) const noexcept;

  std::vector<clock_chain> chains_;  // by domain; where there is none, one that answers
  std::vector<sm_entry> sms_;        // by SM
  std::vector<std::vector<std::uint32_t>> domains_;
  double sm_ghz_ = 0;
  double tick_ns_ = 0;
  std::uint64_t outliers_ = 0;
  bool rate_assumed_ = false;
  bool rate_is_guess_ = false;

  friend class clock_map_builder;
};

}  // namespace iket::analysis
