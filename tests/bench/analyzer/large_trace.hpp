// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Traces of any size, for measuring what reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace iket::bench {

/// What `write_large_trace` makes.
struct large_trace {
  std::uint64_t records = 1'000'000;      ///< kept in all rings together, exactly
  std::uint32_t records_per_warp = 1024;  ///< capacity of a ring, a power of two
  std::uint64_t seed = 1;                 ///< the same one makes the same bytes
};

/// Takes the bytes of a file in order; may throw.
using file_sink = std::function<void(const void* data, std::size_t size)>;

/// Streams a trace.bin through `sink`; holds one launch of at most 1024 CTAs in memory (34 MB with rings of 1024), and
/// makes some 50 million records a second.
///
/// The warps are those of a matrix multiply with a producer and three consumers a CTA, on a GPU of 132 SMs: waits, work
/// with and without payload, ranges nested two deep, tokens that live for several tiles, counters, marks, clock pairs
/// every 64 tiles; one CTA in 16 writes more than its rings hold. Two kernels take turns. Each of eight clock domains
/// has a counter of its own, some millions of cycles and some parts per million from the others, which passes a
/// multiple of 2^32 on the way; the global timer steps by 32 ns.
void write_large_trace(const large_trace& what, const file_sink& sink);

}  // namespace iket::bench
