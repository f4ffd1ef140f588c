// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The object in a kernel that writes one warp's ring. Kernels use it through the macros of macros.cuh.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/device_store.cuh>
#include <iket/detail/recorder_checks.cuh>
#include <iket/detail/ring_cursor.hpp>
#include <iket/detail/types.hpp>
#include <iket/detail/warp_place.cuh>
#include <iket/record.hpp>
#include <iket/site.hpp>
#include <iket/token.hpp>
#include <iket/tracer.hpp>
#include <iket/warp_header.hpp>

// Bodies are there in the device pass of an enabled build; elsewhere the same types do nothing.
#if IKET_ENABLED && defined(__CUDA_ARCH__)
#define IKET_DETAIL_DEVICE_BODY 1
#else
#define IKET_DETAIL_DEVICE_BODY 0
#endif

namespace iket {
inline namespace IKET_DETAIL_DEVICE_ABI {

/// Writes the events of one warp: shows on the timeline as that warp's thread.
///
/// *Who makes it*: every thread of the warp together, once, at the top of the kernel; or, where a role runs on one
/// elected lane, that lane inside its branch. One of the lanes that make it is elected leader and records for the warp;
/// the others run the same few instructions with the stores off. What other lanes execute without the leader is not
/// recorded, and a leader lane that returns ends its warp's trace. A build with IKET_CHECKED finds both.
///
/// *What it does*: notes where and when the warp runs (CTA, warp, SM, cluster, a pair of clocks) in the warp's header.
/// It never waits, fails, blocks, prints or allocates, and uses no shared memory and no barrier. A tracer that lists
/// CTAs costs one load.
///
/// *Inert* recorders record nothing: those made from an inert tracer, those of CTAs and warps that were not selected,
/// those whose condition does not hold, and those under another grid or block than the tracer was announced
/// for (these are counted and reported).
///
/// *Cost*: see docs/cost.md. Lives in three registers (address, byte count) where everything is inlined;
/// pass it on by reference to `__forceinline__` functions or lambdas only, or it goes through memory.
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
class recorder : private detail::recorder_checks<IKET_DETAIL_CHECKED> {
  using checks = detail::recorder_checks<IKET_DETAIL_CHECKED>;

 public:
  /// Opens this warp's ring. Called by every lane that shall be stood for; reads three special registers and two
  /// clocks, and writes 48 bytes and one count on the leader lane.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE explicit recorder(const tracer& from) : recorder(from, true) {}

  /// As above; inert where `condition`, which is the same on all lanes of the warp, does not hold. That saves the
  /// writes, not the memory: the host does not know of it. `trace_options` can leave out CTAs and warps with their
  /// memory.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE recorder(const tracer& from, bool condition) {
#if IKET_DETAIL_DEVICE_BODY
    store_ = {0, 0};
    cursor_ = {from.ring_mask, 0};
    header_origin_ = from.header_origin;
    header_shift_ = from.header_shift;
    // What takes long to come is asked for first.
    const detail::u32 sm = detail::read_sm_id();
    const detail::cluster_place cluster = detail::read_cluster_place();
    const clock_pair now = detail::read_clock_pair();
    const bool leader = detail::elect_leader() && condition;
    const detail::warp_place place = detail::find_warp(from, leader);
    detail::u32 opened_before = 0;
    if (leader && place.selected) {
      store_.at = from.first_ring + detail::u64{place.slot} * from.ring_stride;
      store_.limit = from.ring_mask + 1;
      opened_before =
          open(from.first_header + sizeof(warp_header) * detail::u64{place.slot}, place.warp, sm, cluster, now);
    }
    checks::opened(from.head, store_.on() != 0, opened_before, anchor());
#else
    detail::consume(&from, condition);
#endif
  }

  /// A pointer is no condition: say `pointer != nullptr`.
  template <class Pointee>
  recorder(const tracer&, Pointee*) = delete;
  recorder(const recorder&) = delete;  // two would write one ring; pass it on by reference
  recorder& operator=(const recorder&) = delete;

  /// As `close`.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE ~recorder() { close(); }

  /// Ends the warp's trace: notes the time, the SM and how many records were written. Later events record nothing. A
  /// second call does nothing.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void close() {
#if IKET_DETAIL_DEVICE_BODY
    checks::closing();
    const detail::u32 sm = detail::read_sm_id();
    const clock_pair now = detail::read_clock_pair();
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        "setp.ne.u32 on, %0, 0;\n\t"
        "@on st.relaxed.sys.global.v2.u64 [%1], {%2, %3};\n\t"
        "@on st.relaxed.sys.global.v4.u32 [%1 + 16], {%4, %5, 1, 0};\n\t"
        "}"
        :
        : "r"(store_.on()), "l"(header() + detail::header_close), "l"(now.cycles), "l"(now.globaltimer_ns), "r"(sm),
          "r"(cursor_.count())
        : "memory");
    store_ = {0, 0};
#endif
  }

  /// Records an event of `kind` at the site that `site_bits` stands for in tags, where `condition`, which is
  /// the same on all lanes, holds. Called by the warp's lanes together; beneath every macro. One 8-byte store on the
  /// leader lane, plus one or two for a payload. The compiler moves no memory operation across it, unless IKET_RELAXED
  /// lets it; ptxas may still move arithmetic.
  template <class... Payload>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event_if(bool condition, record_kind kind, detail::u32 site_bits,
                                                           Payload... payload) {
#if IKET_DETAIL_DEVICE_BODY
    checks::event(condition, site_bits);
    cursor_.event(store_, condition, event_tag(site_bits, kind), detail::encode(payload)...);
#else
    detail::consume(condition, kind, site_bits, payload...);
#endif
  }

  /// As `event_if`, always.
  template <class... Payload>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(record_kind kind, detail::u32 site_bits, Payload... payload) {
    event_if(true, kind, site_bits, payload...);
  }

  /// Begins a pushed range; see `event_if`.
  template <class... Payload>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void push_if(bool condition, detail::u32 site_bits, Payload... payload) {
#if IKET_DETAIL_DEVICE_BODY
    checks::push(condition);
#endif
    event_if(condition, record_kind::push, site_bits, payload...);
  }

  /// Ends the innermost pushed range. `site_bits` is for IKET_CHECKED alone: a pop's record has no site.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void pop_if(bool condition, detail::u32 site_bits) {
#if IKET_DETAIL_DEVICE_BODY
    checks::event(condition, site_bits);
    checks::pop(condition, site_bits);
    cursor_.event(store_, condition, event_tag(0, record_kind::pop));
#else
    detail::consume(condition, site_bits);
#endif
  }

  /// Begins a token range; without the condition, gives the sentinel. See `event_if`.
  template <class... Payload>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE token start_if(bool condition, detail::u32 site_bits, Payload... payload) {
#if IKET_DETAIL_DEVICE_BODY
    const token started{condition ? event_tag(site_bits, record_kind::token_begin) : 0, cursor_.count()};
    checks::start(started);
    event_if(condition, record_kind::token_begin, site_bits, payload...);
    return started;
#else
    detail::consume(condition, site_bits, payload...);
    return {};
#endif
  }

  /// Ends a token range: two records. Does nothing for the sentinel.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void end_if(bool condition, token started) {
#if IKET_DETAIL_DEVICE_BODY
    const bool on = condition && started.begin_tag != 0;
    checks::event(on, site_bits_of(started.begin_tag));
    checks::end(on, started);
    cursor_.event(store_, on, event_tag(site_bits_of(started.begin_tag), record_kind::token_end),
                  detail::encode(started.begin_count));
#else
    detail::consume(condition, started);
#endif
  }

  /// Records both clocks: three records. `site_bits` is for IKET_CHECKED alone.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void sync_if(bool condition, detail::u32 site_bits) {
#if IKET_DETAIL_DEVICE_BODY
    checks::event(condition, site_bits);
    cursor_.clock_pair(store_, condition, event_tag(0, record_kind::sync));
#else
    detail::consume(condition, site_bits);
#endif
  }

  /// Names what the warp is for; the last call counts. One predicated 4-byte store to the warp's header, which no
  /// wrap of the ring overwrites.
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void set_role_if(bool condition, detail::u32 site_bits) {
#if IKET_DETAIL_DEVICE_BODY
    checks::event(condition, site_bits);
    detail::store_word_if(condition ? store_.on() : 0, header() + detail::header_role, site_bits | 1);
#else
    detail::consume(condition, site_bits);
#endif
  }

 private:
#if IKET_DETAIL_DEVICE_BODY
  /// Stands for the module: its place in the constant bank, and that place's address, tell those of all other sites.
  __device__ __forceinline__ static const detail::site_reference* anchor() {
    static __device__ const detail::site<sizeof("iket::recorder"), sizeof("")> site{site_kind::anchor, "iket::recorder",
                                                                                    "", 0};
    static __constant__ const detail::site_reference reference{&site, 0};
    return &reference;
  }

  /// Address of the warp's header. The place in the ring, which `at` has in its low bits, is less than a header there.
  __device__ __forceinline__ detail::u64 header() const {
    return header_origin_ + ((store_.at >> header_shift_) & ~detail::u64{sizeof(warp_header) - 1});
  }

  // Fills in the header; gives how many recorders were made on the warp before, where that is looked at.
  __device__ __forceinline__ static detail::u32 open(detail::u64 to, detail::u32 warp, detail::u32 sm,
                                                     detail::cluster_place cluster, const clock_pair& now) {
    constexpr detail::u32 flags = warp_anchor_is_base | (IKET_DETAIL_KEEP_FIRST ? warp_keep_first : 0);
    detail::store_words(to, blockIdx.x, blockIdx.y, blockIdx.z, warp);
    detail::store_double_words(to + detail::header_anchor, detail::bank_address(anchor()),
                               detail::u64{cluster.dims | flags << 24} << 32 | (cluster.rank | sm << 8));
    const detail::u32 opened_before = checks::count_opening(to + detail::header_opened);
    detail::store_double_words(to + detail::header_open, now.cycles, now.globaltimer_ns);
    return opened_before;
  }
#endif

  detail::device_store<IKET_DETAIL_RELAXED, IKET_DETAIL_KEEP_FIRST> store_;
  detail::ring_cursor cursor_;
  detail::u64 header_origin_;  // of the tracer
  detail::u32 header_shift_;
};

}  // namespace IKET_DETAIL_DEVICE_ABI
}  // namespace iket

#undef IKET_DETAIL_DEVICE_BODY
