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

/// True for the events of this version, whose value is a clock.
[[nodiscard]] constexpr bool has_clock(record_kind kind) noexcept {
  return kind >= record_kind::range_begin && kind <= record_kind::sync;
}

struct ring_order {
  std::size_t size = 0;           ///< records that count, from the oldest on around the ring
  std::size_t around = 0;         ///< records of the ring; those behind were never written
  std::size_t torn = 0;           ///< of those, how many are left out because later ones are missing
  std::size_t oldest = 0;         ///< index of the oldest; from there on around the ring
  std::uint64_t written = 0;      ///< records that the warp wrote; the least possible where it never closed
  std::uint64_t first_count = 0;  ///< records written before the oldest; never closed: only modulo the capacity
  bool keeps_first = false;       ///< in order from index 0; what was lost came behind
  bool may_have_lost = false;     ///< records were lost, or the ring is full and nobody knows
  bool closed = false;            ///< the ring was copied behind its close
  bool disagrees = false;         ///< the header's `written` does not fit the records
  std::uint64_t clock_wraps = 0;  ///< never closed: wraps of the 32-bit clock on the way around the ring, normally 1
};

/// What a launch and a warp's header say of its ring.
struct ring_layout {
  std::uint32_t capacity = 0;  ///< records; 0: unknown
  bool keeps_first = false;    ///< nothing was stored once an event did not fit; else the oldest were overwritten
  bool may_be_torn = false;    ///< its warp may have written while it was copied
};

/// That of one warp: each unit of a program is compiled with its own kind of ring.
[[nodiscard]] ring_layout layout_of(const launch_view& launch, const warp_header& header) noexcept;

/// Linear in the records, but n log n where the ring may be torn (ring_tear.hpp); only rings that were never closed, or
/// may be torn, are looked at.
[[nodiscard]] ring_order order_ring(const warp_header& header, record_view records, ring_layout layout);

}  // namespace iket::analysis
