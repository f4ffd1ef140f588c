// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The object in a kernel that writes one warp's ring. Kernels use it through the macros of macros.cuh.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/device_store.cuh>
#include <iket/detail/ring_cursor.hpp>
#include <iket/detail/types.hpp>
#include <iket/record.hpp>
#include <iket/site.hpp>
#include <iket/tracer.hpp>
#include <iket/warp_header.hpp>

// Bodies are there in the device pass of an enabled build; elsewhere the same types do nothing.
#if IKET_ENABLED && defined(__CUDA_ARCH__)
#define IKET_DETAIL_DEVICE_BODY 1
#else
#define IKET_DETAIL_DEVICE_BODY 0
#endif

namespace iket {
inline namespace IKET_DETAIL_ABI {

/// Writes the events of one warp: shows on the timeline as that warp's thread.
///
/// *Who makes it*: every thread of the warp together, once, at the top of the kernel; or, where a role runs on one
/// elected lane, that lane inside its branch. One of the lanes that make it is elected leader and records for the warp;
/// the others run the same few instructions with the stores off. What other lanes execute without the leader is not
/// recorded, and a leader lane that returns ends its warp's trace.
///
/// *What it does*: notes where and when the warp runs (CTA, warp, SM, cluster, a pair of clocks) in the warp's header.
/// It never waits, fails, blocks, prints or allocates, and uses no shared memory and no barrier.
///
/// *Inert* recorders record nothing: those made from an inert tracer, in CTAs that the session left out, and under
/// another grid or block than the tracer was announced for (these are counted and reported).
///
/// *Cost*: no memory is waited for. Lives in about five registers (ring address, count, mask, leader) where everything
/// is inlined; pass it on by reference to `__forceinline__` functions or lambdas only, or it goes through memory.
///
/// *Under IKET_DISABLE*: same type, same size, no instruction.
///
///     __global__ void scale(float* x, int n, iket::tracer tracer) {
///       iket::recorder rec(tracer);
///       for (int i = threadIdx.x; i < n; i += blockDim.x) {
///         IKET_RANGE(rec, "scale", i);
///         x[i] *= 2;
///       }
///     }
class recorder {
 public:
  /// Opens this warp's ring. Called by every lane that shall be stood for; reads three special registers and two
  /// clocks, and writes 96 bytes on the leader lane.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE explicit recorder(const tracer& from) {
#if IKET_DETAIL_DEVICE_BODY
    const detail::u32 thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const detail::u32 cta = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const detail::u32 traced_cta = from.cta_stride.quotient(cta);
    const bool announced = gridDim.x == from.grid[0] && gridDim.y == from.grid[1] && gridDim.z == from.grid[2] &&
                           blockDim.x == from.block[0] && blockDim.y == from.block[1] && blockDim.z == from.block[2];
    const bool leader = detail::elect_leader() && from.first_slot != 0;
    const bool enabled = leader && announced && traced_cta * from.cta_stride.value == cta;

    const detail::u32 warp = thread / 32;
    const detail::u64 slot = from.first_slot + (detail::u64{traced_cta} * from.warps_per_cta + warp) *
                                                   detail::slot_bytes(from.record_mask + 1);
    store_ = {slot + sizeof(warp_header), enabled ? 1u : 0u};
    cursor_ = {from.record_mask, 0};
    if (enabled) open(slot, warp);
    if (leader && !announced) refuse(from);
#else
    (void)from;
#endif
  }

  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE ~recorder() { close(); }

  /// Ends the warp's trace: notes the time, the SM and how many records were written. Later events record nothing. A
  /// second call does nothing.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void close() {
#if IKET_DETAIL_DEVICE_BODY
    const clock_pair now = detail::read_clock_pair();
    const detail::u32 sm = detail::read_sm_id();
    const detail::u64 slot = store_.ring - sizeof(warp_header);
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        "setp.ne.u32 on, %0, 0;\n\t"
        "@on st.global.v2.u64 [%1], {%2, %3};\n\t"
        "@on st.global.v4.u32 [%1 + 32], {%4, %5, 1, 0};\n\t"
        "}"
        :
        : "r"(store_.enabled), "l"(slot + detail::header_close), "l"(now.cycles), "l"(now.globaltimer_ns), "r"(sm),
          "r"(cursor_.count)
        : "memory");
    store_.enabled = 0;
#endif
  }

  /// Records an event of `kind` at the site whose address has `site_bits` as its low half. Called by the warp's lanes
  /// together; beneath every macro. One 8-byte store on the leader lane, plus one or two for a payload. The
  /// compiler moves no memory operation across it; ptxas may still move arithmetic.
  template <class... Payload>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(record_kind kind, detail::u32 site_bits, Payload... payload) {
#if IKET_DETAIL_DEVICE_BODY
    cursor_.event(store_, event_tag(site_bits, kind), detail::encode(payload)...);
#else
    detail::consume(kind, site_bits, payload...);
#endif
  }

  /// Names what the warp is for; the last call counts. One predicated 4-byte store to the warp's header, which no
  /// wrap of the ring overwrites.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void set_role(detail::u32 site_bits) {
#if IKET_DETAIL_DEVICE_BODY
    detail::store_word_if(store_.enabled, store_.ring - sizeof(warp_header) + detail::header_role, site_bits | 1);
#else
    (void)site_bits;
#endif
  }

 private:
#if IKET_DETAIL_DEVICE_BODY
  __device__ __forceinline__ void open(detail::u64 slot, detail::u32 warp) const {
    static __device__ const detail::site<sizeof("iket::recorder"), sizeof("")> anchor{site_kind::anchor,
                                                                                      "iket::recorder", "", 0};
    const detail::cluster_place cluster = detail::read_cluster_place();
    detail::store_words(slot, blockIdx.x, blockIdx.y, blockIdx.z, warp);
    detail::store_double_words(slot + detail::header_anchor, detail::site_address(&anchor),
                               detail::u64{cluster.dims} << 32 | cluster.rank);
    detail::store_word_if(1, slot + detail::header_open_sm, detail::read_sm_id());
    detail::add_and_forget(slot + detail::header_opened, 1);
    const clock_pair now = detail::read_clock_pair();
    detail::store_double_words(slot + detail::header_open, now.cycles, now.globaltimer_ns);
  }

  __device__ __forceinline__ static void refuse(const tracer& from) {
    detail::add_and_forget(from.refusals, 1);
    // All of a launch write the same, so that they need no order among them.
    detail::store_words(from.refusals + 16, blockDim.x, blockDim.y, blockDim.z, 0);
    detail::store_word_if(1, from.refusals + 4, gridDim.x);
    detail::store_word_if(1, from.refusals + 8, gridDim.y);
    detail::store_word_if(1, from.refusals + 12, gridDim.z);
  }
#endif

  detail::device_store store_;
  detail::ring_cursor cursor_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket

#undef IKET_DETAIL_DEVICE_BODY
