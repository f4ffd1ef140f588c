// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "warp_blocks.hpp"

#include "parallel.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t blocks_per_thread = 4;
constexpr std::size_t least_ranges = 10'000;  // below, a thread costs more than it saves

std::size_t weight(const warp_timeline& warp) { return warp.ranges.size() + 1; }

}  // namespace

warp_blocks::warp_blocks(const launch_group& group) {
  std::size_t all = 0;
  for (const launch* const one : group)
    for (const warp_timeline& warp : one->warps) {
      warps_.push_back(&warp);
      all += weight(warp);
    }
  const std::size_t blocks = blocks_per_thread * threads_for(all / least_ranges);
  std::size_t until_here = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    until_here += weight(*warps_[i]);
    if (until_here * blocks >= (ends_.size() + 1) * all || i + 1 == warps_.size()) ends_.push_back(i + 1);
  }
}

warp_block warp_blocks::operator[](std::size_t block) const {
  const std::size_t first = block == 0 ? 0 : ends_[block - 1];
  return warp_block(warps_).subspan(first, ends_[block] - first);
}

}  // namespace iket::analysis
