// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a comparison resamples: sums over CTAs, or over blocks of neighbouring ones where there are many.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launch_group.hpp"
#include "timeline.hpp"

namespace iket::analysis {

struct compared_stage {
  std::string name;
  stage_kind kind = stage_kind::work;
  auto operator<=>(const compared_stage&) const = default;
};

/// The stages and roles that two sides have together, each once.
struct compared_names {
  std::vector<compared_stage> stages;
  std::vector<std::string> roles;  ///< "-" for warps without one
};

/// The sums of one block. They are integers below 2^53, which doubles hold exactly: 2.5 hours of warp time a block.
enum class stage_sum : std::size_t { self_ps, ranges, count };                       ///< of whole ranges
enum class role_sum : std::size_t { work_ps, wait_ps, untracked_ps, warps, count };  ///< of its warps
enum class cta_sum : std::size_t { ctas, lifetime_ps, count };                       ///< lifetime of all its warps

/// At most about this many blocks a side, and launches or groups of them, so that the rounds of a bootstrap take as
/// long for a million CTAs as for some thousands.
inline constexpr std::size_t most_blocks = 2048;
inline constexpr std::size_t most_launch_blocks = 256;

/// CTAs or clusters of a block where the larger side has so many.
[[nodiscard]] constexpr std::size_t block_size_for(std::uint64_t units) {
  return units <= most_blocks ? 1 : static_cast<std::size_t>((units + most_blocks - 1) / most_blocks);
}

/// A CTA by its linear number, and which of its launch's CTAs or clusters it is in.
struct placed_cta {
  std::uint32_t cta = 0;
  std::size_t unit = 0;
  bool operator==(const placed_cta&) const = default;
};

/// The sums of one side. CTAs of one cluster are in one block, as they depend on each other.
class block_sums {
 public:
  /// A block is `block_size` successive CTAs or clusters of a launch. What is not among the names has no part, but for
  /// the lifetime. O(ranges), on all cores.
  block_sums(const timeline& source, const launch_group& group, const compared_names& names, std::size_t block_size);

  /// Launches with warps; where there are more than `most_launch_blocks`, groups of successive ones, of which the first
  /// blocks are one, the second ones, and so on.
  [[nodiscard]] std::size_t launches() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t blocks() const { return first_.back(); }
  /// CTAs, or clusters.
  [[nodiscard]] std::size_t units() const { return units_; }
  /// The CTAs of each launch, if all launches have the same ones in the same clusters; else empty. Then the n-th blocks
  /// of all launches are of the same CTAs, and so are those of another side with the same ones.
  [[nodiscard]] const std::vector<placed_cta>& common_ctas() const { return common_ctas_; }
  /// The first block of a launch; for `launches()` the number of blocks.
  [[nodiscard]] std::size_t first_block(std::size_t launch) const { return first_[launch]; }

  /// The launches that count as one, and the sum of their durations [ps].
  [[nodiscard]] std::size_t launches_in(std::size_t launch) const { return launch_counts_[launch]; }
  [[nodiscard]] double durations_in(std::size_t launch) const { return durations_[launch]; }

  [[nodiscard]] double of_stage(std::size_t block, std::size_t stage, stage_sum which) const;
  [[nodiscard]] double of_role(std::size_t block, std::size_t role, role_sum which) const;
  [[nodiscard]] double of_ctas(std::size_t block, cta_sum which) const;

 private:
  std::size_t first_role_;  // column
  std::size_t first_cta_;   // column
  std::size_t columns_;
  std::size_t units_ = 0;
  std::vector<std::size_t> first_{0};
  std::vector<placed_cta> common_ctas_;
  std::vector<std::size_t> launch_counts_;
  std::vector<double> durations_;
  std::vector<double> values_;  // block after block
};

}  // namespace iket::analysis
