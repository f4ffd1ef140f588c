// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When a device was busy.
#pragma once

#include <cstdint>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {

/// From the first to the last pair of a busy time, on the global timer.
struct busy_time {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Replaces each pair's launch by the number of its busy time. Launches whose pairs come within 100 us of each other
/// are of one: between launches of a stream lie some microseconds, and a GPU changes its clock for idleness after
/// milliseconds. O(n log n). Returns them, in order.
std::vector<busy_time> number_busy_times(std::vector<sm_pair>& pairs);

}  // namespace iket::analysis
