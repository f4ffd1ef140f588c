// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where warps are drawn when the processes of a Chrome trace are SMs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chrome_track.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// One CTA on its SM.
struct lane_cta {
  std::size_t launch = 0;      ///< in `timeline::launches`
  std::size_t first_warp = 0;  ///< in `launch::warps`
  std::size_t warp_count = 0;  ///< from there on; some may be left out
  index device = none;         ///< in `timeline::devices`
  std::uint32_t sm = 0;        ///< of its first warp
  std::uint32_t lane = 0;      ///< of its SM
  std::int64_t begin_ns = 0;   ///< of all that is drawn of its warps
  std::int64_t end_ns = 0;
};

/// All CTAs of a timeline that are drawn, by launch and CTA. CTAs that are on one SM at a
/// time have lanes of their own: each gets the first in which all before have ended, so that there are as many as there
/// were CTAs at a time, and no two of one lane overlap or touch. O(n log n) in the CTAs.
[[nodiscard]] std::vector<lane_cta> lanes_of(const timeline& source, const trace_scale& scale);

}  // namespace iket::analysis
