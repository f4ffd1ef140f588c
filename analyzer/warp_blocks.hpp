// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The warps of a launch group in blocks, for work on several cores.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "launch_group.hpp"
#include "timeline.hpp"

namespace iket::analysis {

using warp_block = std::span<const warp_timeline* const>;

/// Neighbouring warps with about as many ranges in each block, some blocks a thread. Points into the timeline. What is
/// gathered by block comes out the same for any cut only if it is put together exactly: in integers.
class warp_blocks {
 public:
  explicit warp_blocks(const launch_group& group);

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] warp_block operator[](std::size_t block) const;

 private:
  std::vector<const warp_timeline*> warps_;
  std::vector<std::size_t> ends_;
};

}  // namespace iket::analysis
