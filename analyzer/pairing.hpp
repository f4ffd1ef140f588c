// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the events of a warp to its ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ring_decoder.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// A range, by the numbers of its events.
struct paired_range {
  index begin = none;       ///< event
  index end = none;         ///< event: its end, or the outer end that skipped it; `none` where `open` or `cut`
  index parent = none;      ///< the stack range around it, in `range_pairing::ranges`; `none` for tokens
  std::uint32_t depth = 0;  ///< stack ranges around it; 0 for tokens
  bool token = false;
  range_state state = range_state::open;
};

/// An end without a begin.
struct orphan_end {
  index event = none;
  bool cut = false;  ///< its begin was lost; else it was never recorded
};

/// Pairs begins and ends, one warp after another; its memory is used again.
///
/// Scoped and pushed ranges are one stack. A scoped end closes the nearest open scoped range of its own site, a pop the
/// innermost pushed one; ranges above it on the stack are unmatched, and end there. A token's end closes the begin
/// whose count it carries; tokens are in no stack.
///
/// An end that finds no begin is unmatched where the warp lost no records, or where its begin was skipped over before.
/// Else its begin is taken to be lost, and the end is cut. That begin stood before everything that is still open on the
/// stack, so the end skips over all of it, as it would have done with nothing lost.
///
/// A begin without an end is open; or cut, where it is the newest records that were lost.
class range_pairing {
 public:
  /// Takes a decoded ring whose `event::site` are all below `site_count`. Linear in the events, whatever they are.
  void pair(const decoded_ring& ring, std::size_t site_count);

  /// By begin, outer before inner.
  [[nodiscard]] std::span<const paired_range> ranges() const noexcept { return ranges_; }

  /// By event.
  [[nodiscard]] std::span<const orphan_end> orphans() const noexcept { return orphans_; }

 private:
  struct begins {
    std::uint64_t warp = 0;     // what the numbers are of: the n-th warp paired
    std::uint32_t open = 0;     // on the stack
    std::uint32_t skipped = 0;  // taken off the stack by an outer end, and their own end has not come
  };

  void begin(index event, bool token);
  void end_scoped(index event);
  void end_pushed(index event);
  void end_token(index event);
  void end_lost(index event, begins& of);
  void skip_top(index event);
  void close_top(index event);
  [[nodiscard]] begins& begins_of(index event);

  const decoded_ring* ring_ = nullptr;
  std::vector<paired_range> ranges_;
  std::vector<orphan_end> orphans_;
  std::vector<index> stack_;    // ranges
  std::uint64_t warp_ = 0;      // warps paired so far
  std::vector<begins> scoped_;  // by site
  begins pushed_;
  std::vector<index> token_at_;  // range by place of its begin record in the ring; holds rests of earlier warps
};

}  // namespace iket::analysis
