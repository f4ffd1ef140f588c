// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel argument from which recorders are made.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/exact_stride.hpp>
#include <iket/detail/types.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One kind of misuse at one site, as kernels built with IKET_CHECKED note it.
struct fault_entry {
  u64 key;     ///< address of the site (a multiple of 16, or 0) | `file::fault_kind`; 0: free
  u32 count;   ///< how often
  u32 warp;    ///< warp in CTA of one of them
  u32 cta[3];  ///< its blockIdx
  u32 reserved;
};

/// In device memory, one per launch: what its recorders tell besides their rings.
struct alignas(16) launch_head {
  static constexpr u32 fault_capacity = 64;

  u32 grid[4];   ///< gridDim of a recorder that was refused, and zero
  u32 block[4];  ///< its blockDim, and zero
  u32 refused;   ///< recorders made under another grid or block than the tracer was announced for
  u32 checked;   ///< 1 if a kernel built with IKET_CHECKED made a recorder
  u32 dropped;   ///< faults for which `faults` had no room
  u32 reserved[5];
  fault_entry faults[fault_capacity];
};
static_assert(sizeof(fault_entry) == 32 && sizeof(launch_head) == 64 + 64 * 32, "kernels store by this layout");

constexpr u32 head_block = 16;  ///< offset of `launch_head::block`: NVRTC has no offsetof
constexpr u32 head_refused = 32;
constexpr u32 head_checked = 36;
constexpr u32 head_dropped = 40;
constexpr u32 head_faults = 64;

/// From one warp's ring to the next [bytes], a power of two. Rings are aligned to it. At least a header's size, so that
/// a ring's address tells its header's by a shift.
IKET_DETAIL_HOST_DEVICE constexpr u64 ring_stride(u32 records_per_warp) {
  return records_per_warp < 16 ? sizeof(warp_header) : u64{8} * records_per_warp;
}

/// Device memory that one warp takes: its header and its ring [bytes].
IKET_DETAIL_HOST_DEVICE constexpr u64 slot_bytes(u32 records_per_warp) {
  return sizeof(warp_header) + ring_stride(records_per_warp);
}

/// Ways to find a slot that are not the common one, or'ed together in `tracer::odd`.
constexpr u32 odd_listed = 1;      ///< the selected CTAs are in a list
constexpr u32 odd_replayable = 2;  ///< each launch takes the next region

/// Where the launches of a replayable tracer are counted for the warp of a slot: one word each, behind the head.
IKET_DETAIL_HOST_DEVICE constexpr u64 launch_count_of(u64 head, u32 slot) {
  return head + sizeof(launch_head) + u64{4} * slot;
}

}  // namespace detail

/// Passed to a kernel by value, best as its last parameter; `iket::session::trace` hands it out for one launch, or for
/// several with `trace_options::regions`. Where the parameters cannot change, a `__constant__` or `__device__` variable
/// of this type does as well: copy the tracer there before the launch (cudaMemcpyToSymbolAsync) and make the recorder
/// from it.
///
/// Trivially copyable, 120 bytes. `iket::tracer{}` is inert: safe to pass to any launch, records nothing. The type is
/// the same under every switch, so kernels keep their signatures. The members belong to the library.
struct tracer {
  detail::u64 first_ring = 0;     ///< device address of the first warp's ring, a multiple of `ring_stride`; 0: inert
  detail::u64 first_header = 0;   ///< device address of the first warp's header; they lie side by side
  detail::u64 header_origin = 0;  ///< the header of the ring at r is at `header_origin + (r >> header_shift)`
  detail::u64 head = 0;           ///< device address of this launch's `detail::launch_head`
  detail::u64 list = 0;           ///< device address of `detail::listed_ctas`; 0: no list, but a stride
  detail::u32 odd = 0;            ///< `detail::odd_listed` and such; 0: the common case
  detail::u32 list_span = 0;      ///< listed CTAs are less than this behind `first_cta`
  detail::u32 grid[3] = {};       ///< the gridDim that the launch must have
  detail::u32 block[3] = {};      ///< the blockDim that the launch must have
  detail::u32 first_cta = 0;      ///< the first that has slots
  detail::exact_stride stride;    ///< from one CTA that has slots to the next, without a list
  detail::u32 ctas = 0;           ///< that have slots; where there are regions, times their number
  detail::u32 warp_mask = 0;      ///< bit w: warp w of such a CTA has a slot
  detail::u32 warps_per_cta = 0;  ///< bits of `warp_mask`
  detail::u32 ring_mask = 0;      ///< bytes of a ring's records, a power of two, less one
  detail::u32 ring_stride = 0;    ///< from one ring to the next [bytes], a power of two
  detail::u32 header_shift = 0;   ///< `ring_stride` over a header's size, as a power of two
  detail::u32 regions = 1;        ///< launches that have slots; each of them has the slots of `ctas / regions` CTAs
  detail::u32 region_ctas = 0;    ///< `ctas / regions`
};
static_assert(sizeof(tracer) == 120, "a kernel's parameters must not change with the compiler");

}  // namespace abi_1
}  // namespace iket
