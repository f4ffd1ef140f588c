// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A tracer between `trace` and `drain`.
#pragma once

#include <cstddef>

#include <iket/detail/launch_end.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A tracer that was handed out and whose launch, or launches, were not drained yet.
struct pending_launch {
  launch_content content;  ///< of its launch, without warps and records
  iket::tracer tracer;     ///< inert: nothing to drain
  launch_end end;          ///< what to wait for
  u32 drains = 0;          ///< that a replayable tracer has behind it
  u32 used_regions = 0;    ///< of a replayable tracer, at the last drain
  bool is_taken = false;   ///< what is in its memory was drained; it has to be zeroed

  /// Also where there was no memory for it.
  [[nodiscard]] bool replayable() const { return content.info.regions != 0; }
  /// Slots of one launch.
  [[nodiscard]] std::size_t slot_count() const { return std::size_t{tracer.region_ctas} * tracer.warps_per_cta; }
  /// Records of a ring.
  [[nodiscard]] u32 capacity() const { return (tracer.ring_mask + 1) / 8; }
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
