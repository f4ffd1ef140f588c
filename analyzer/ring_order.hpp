// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where the oldest record of a ring is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace_reader.hpp"

namespace iket::analysis {

/// Counts of records are known modulo this: kernels count bytes in 32 bits. Capacities divide it.
inline constexpr std::uint64_t count_modulus = std::uint64_t{1} << 29;

struct ring_order {
  std::size_t size = 0;           ///< records of the ring that count; those behind were never written
  std::size_t oldest = 0;         ///< index of the oldest; from there on around the ring
  std::uint64_t written = 0;      ///< records that the warp wrote; the least possible where it never closed
  std::uint64_t first_count = 0;  ///< records written before the oldest; never closed: only modulo the capacity
  bool keeps_first = false;       ///< in order from index 0; what was lost came behind
  bool may_have_lost = false;     ///< records were lost, or the ring is full and nobody knows
  bool disagrees = false;         ///< the header's `written` does not fit the records
  std::uint64_t clock_wraps = 0;  ///< never closed: wraps of the 32-bit clock on the way around the ring, normally 1
};

/// What a launch says of its rings.
struct ring_layout {
  std::uint32_t capacity = 0;  ///< records; 0: unknown
  bool keeps_first = false;    ///< nothing was stored once an event did not fit; else the oldest were overwritten
};

/// Linear in the records; only rings that were never closed are looked at.
[[nodiscard]] ring_order order_ring(const warp_header& header, record_view records, ring_layout layout);

}  // namespace iket::analysis
