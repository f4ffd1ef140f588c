// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// One side of a bootstrap: deviations and their variances, as found and as drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "compare/bootstrap.hpp"

namespace iket::analysis {

/// Random numbers that are the same on every machine; std::uniform_int_distribution's are not.
class drawing {
 public:
  /// One of its own for each (seed, round).
  drawing(std::uint64_t seed, std::uint64_t round) {
    std::seed_seq words{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                        static_cast<std::uint32_t>(round)};
    random_.seed(words);
  }

  /// Below `count`, which is below 2^32. A count that is no power of two makes some numbers likelier by 2^-32.
  [[nodiscard]] std::size_t below(std::size_t count) {
    return static_cast<std::size_t>((std::uint64_t{random_()} * count) >> 32);
  }

 private:
  std::mt19937 random_;
};

/// Sums over one side for each figure; to be used again for the next round.
struct side_sums {
  std::vector<double> deviation;
  std::vector<double> variance;  ///< of the deviation
};

/// Variances are those of a sum of independent blocks; where launches are drawn, those of a sum of independent
/// launches if that is more: between launches there cannot be less than what their blocks bring with them, even if few
/// launches happen to be alike.
class resampler {
 public:
  /// `draws`: so many blocks are drawn of each launch; 0: as many as it has.
  resampler(const influences& of, bool over_launches, std::size_t draws = 0)
      : of_(of), over_launches_(over_launches), draws_(draws) {}

  /// As found: deviations are zero.
  void sum(side_sums& to);
  /// Another round.
  void draw(drawing& random, side_sums& to);

  /// Of the variances as found: launches, or blocks, less one each.
  [[nodiscard]] double freedom() const;

 private:
  void begin(side_sums& to);
  void add_block(std::size_t block);
  void end_launch(std::size_t blocks, side_sums& to);
  void end(side_sums& to);

  const influences& of_;
  bool over_launches_;
  std::size_t draws_;
  std::vector<double> sums_, squares_;                // of the blocks of a launch
  std::vector<double> launch_sums_, launch_squares_;  // of the launches
};

}  // namespace iket::analysis
