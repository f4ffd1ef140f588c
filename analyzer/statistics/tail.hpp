// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How long few SMs work on while the others have nothing left.
#pragma once

#include <cstdint>
#include <optional>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {

/// Sums over launches. The last end on an SM is that of its traced CTAs; a CTA ends with the last close of its warps.
/// Times count from the launch's first opening.
struct tail_statistics {
  std::uint64_t launches = 0;     ///< that have a traced warp
  picosecond_sum median_end = 0;  ///< over SMs, of the last end on each: the value at rank ceil(n / 2)
  picosecond_sum last_end = 0;    ///< of all
  picosecond_sum duration = 0;    ///< first opening to last close
  std::uint64_t fewest_sms = 0;   ///< with a traced CTA, in a launch

  [[nodiscard]] picosecond_sum tail() const { return last_end - median_end; }
  /// Tail over duration; none where that is 0.
  [[nodiscard]] std::optional<double> fraction() const;
};

/// None where no warp was traced. O(n log n) in the CTAs.
[[nodiscard]] std::optional<tail_statistics> tail_of(const launch_group& group);

}  // namespace iket::analysis
