// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The rings of launches in blocks, for work on several cores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "trace_reader.hpp"

namespace iket::analysis {

/// Some neighbouring warps of a launch.
struct ring_block {
  std::size_t launch = 0;  ///< in the launches that were cut
  std::size_t first = 0;   ///< in `launch_view::warps`
  std::size_t last = 0;    ///< itself not in it
};

/// Cuts launches into blocks, in order: large enough that giving one to a thread costs nothing, small enough that all
/// threads end together. The cut does not depend on how many there are.
[[nodiscard]] inline std::vector<ring_block> ring_blocks_of(std::span<const launch_view* const> launches) {
  constexpr std::size_t most_records = std::size_t{1} << 16;
  constexpr std::size_t most_warps = 4096;
  std::vector<ring_block> blocks;
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    const std::vector<warp_view>& warps = launches[launch]->warps;
    for (std::size_t first = 0; first < warps.size();) {
      std::size_t last = first;
      for (std::size_t records = 0; last < warps.size() && last - first < most_warps && records < most_records; ++last)
        records += warps[last].records.size();
      blocks.push_back({launch, first, last});
      first = last;
    }
  }
  return blocks;
}

}  // namespace iket::analysis
