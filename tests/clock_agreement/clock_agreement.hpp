// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Judges clocks by the messages between their owners, as network time does: where a message a -> b seems to take
/// longer than one b -> a, clock b is ahead of clock a by half the difference, as far as both ways take equally long.
/// One pair's ways do not; least squares over all pairs take that out, as it differs from pair to pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace clock_agreement {

/// The partner of who sits a round out.
inline constexpr std::uint32_t nobody = 0xFFFFFFFFu;

/// Everyone meets everyone once, as many at a time as can: n - 1 rounds, or n where n is odd and one sits out each.
/// Seats are drawn by lot, so that in each round players of any group meet some of every other.
class tournament {
 public:
  explicit tournament(std::uint32_t players);

  [[nodiscard]] std::uint32_t players() const noexcept { return players_; }
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::uint32_t partner(std::uint32_t round, std::uint32_t player) const {
    return partners_[std::size_t{round} * players_ + player];
  }
  /// [round][player]
  [[nodiscard]] const std::vector<std::uint32_t>& partners() const noexcept { return partners_; }

 private:
  std::uint32_t players_;
  std::uint32_t rounds_;
  std::vector<std::uint32_t> partners_;
};

/// The shortest time that a message seemed to take, for each way between two clocks. In any unit.
class shortest_times {
 public:
  explicit shortest_times(std::size_t clocks);

  void add(std::size_t from, std::size_t to, double time);

  /// How far clock `b` is ahead of clock `a`; nothing where a way is missing.
  [[nodiscard]] std::optional<double> ahead(std::size_t a, std::size_t b) const;

  /// Infinite where there was no message.
  [[nodiscard]] double shortest(std::size_t from, std::size_t to) const { return times_[from * clocks_ + to]; }

 private:
  std::size_t clocks_;
  std::vector<double> times_;
};

/// Clock `b` was seen to be ahead of clock `a`.
struct sighting {
  std::size_t a = 0;
  std::size_t b = 0;
  double ahead = 0;
  std::uint32_t round = 0;
};

/// All pairs of a tournament of which both ways are known.
[[nodiscard]] std::vector<sighting> sightings(const tournament& meetings, const shortest_times& times);

/// One error per clock, their sum 0, that fits the sightings with the least sum of squares. Nothing where the sightings
/// do not tie all clocks together. O(n^3) in the clocks.
[[nodiscard]] std::optional<std::vector<double>> clock_errors(std::size_t clocks, const std::vector<sighting>& seen);

/// What the errors leave of each sighting.
[[nodiscard]] std::vector<double> residuals(const std::vector<double>& errors, const std::vector<sighting>& seen);

/// Clocks that agree.
struct grouping {
  std::vector<std::vector<std::uint32_t>> groups;  ///< each sorted; by their first

  /// [clock]
  [[nodiscard]] std::vector<std::size_t> group_of() const;
};

/// Puts clocks together that chains of differences of at most `limit` tie, in the first round and in the last: of the
/// straight lines that fit all sightings best. So counters that pass each other meanwhile are two. Nothing where the
/// sightings do not tie all clocks together at all times. O(n^3) in the clocks.
[[nodiscard]] std::optional<grouping> group_clocks(std::size_t clocks, const std::vector<sighting>& seen, double limit);

/// Groups of clocks, none in two of them.
using partition = std::vector<std::vector<std::uint32_t>>;

/// Sightings within a group that say more than the limit.
[[nodiscard]] std::size_t count_contradictions(const partition& groups, const std::vector<sighting>& seen,
                                               double limit);

/// Clocks that both put together, each group sorted, by their first: what two readings tell apart, each where the other
/// saw counters that happened to agree.
[[nodiscard]] partition common_refinement(const partition& a, const partition& b);

/// Whether each group of `finer` lies within one of `coarser`.
[[nodiscard]] bool refines(const partition& finer, const partition& coarser);

/// How far each group strayed from its clocks' errors in each window of so many rounds: an error that comes and goes
/// leaves the mean over all rounds as it is. A window whose sightings do not tie all groups together gives nothing.
[[nodiscard]] std::vector<double> group_wander(const std::vector<double>& errors, const std::vector<sighting>& seen,
                                               const grouping& groups, std::uint32_t rounds_per_window);

/// Sizes of values.
struct distribution {
  double median = 0;
  double p90 = 0;
  double worst = 0;
  double rms = 0;
};

/// Of the values' sizes without their signs; percentiles by rank. All 0 for none.
[[nodiscard]] distribution sizes_of(std::vector<double> values);

}  // namespace clock_agreement
