// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The clock pairs in a launch's warps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock_pairs.hpp"
#include "ring_decoder.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The pairs of one launch and the time that they span.
struct launch_pairs {
  std::size_t launch = 0;  ///< its number in the file
  index device = none;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::vector<sm_pair> pairs;  ///< at openings and closes, until syncs are added
};

/// Those in the warps' headers.
[[nodiscard]] launch_pairs header_pairs(const trace_view& view, std::size_t launch);

/// The rates from opening to close of most warps of some launches, with a fifth more on either side. Where no warp
/// lasted for 20 us: from a fourth of the rated clock to a fifth above it; nothing without one.
[[nodiscard]] cycle_rates plausible_rates(const trace_view& view, const std::vector<launch_pairs>& launches,
                                          std::uint32_t rated_khz);

/// The same launches with the pairs at syncs, of which the whole clock is known for sure. Reads every record, on all
/// cores; decodes the rings that have a sync.
[[nodiscard]] std::vector<launch_pairs> with_syncs(const trace_view& view, const cycle_rates& rates,
                                                   std::vector<launch_pairs> launches);

/// True where most SMs of both launches read clocks in the later one that no rate leads to from the earlier one: they
/// went back, or on at more than four times the greatest rate.
[[nodiscard]] bool was_reset(const launch_pairs& before, const launch_pairs& behind, const cycle_rates& rates);

}  // namespace iket::analysis
