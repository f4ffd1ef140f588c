// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The macros that kernels use. They are macros because each use is a site of its own: an object with the name, the
/// file and the line, made where the macro stands.
///
/// All take the recorder first and a string literal as name, of any length. A payload is an int or unsigned of 32 or 64
/// bits, float, double or bool; it is kept with its type and shown on the timeline. Called by the lanes that made the
/// recorder, together. They work in `__global__`, `__device__`, `__host__ __device__` and lambda bodies, in templates
/// and under `if constexpr`; on the host side they are nothing. No function beneath them needs the macros: see
/// `recorder::event` and `scoped_range`.
///
/// Cost of an event: seven instructions (sm_90), of them one predicated 8-byte store, and 8 bytes in the ring; a
/// payload adds four and 8 bytes per 32 bits.
///
/// Under IKET_DISABLE the arguments are named, so that nothing warns, and nothing is evaluated.
#pragma once

#include <iket/config.hpp>
#include <iket/recorder.cuh>
#include <iket/site.hpp>

/// The file name that sites carry.
#define IKET_DETAIL_FILE __FILE__

// A number of its own for each range. NVRTC does not count: two ranges on one line clash there.
#if defined(__CUDACC_RTC__)
#define IKET_DETAIL_UNIQUE __LINE__
#else
#define IKET_DETAIL_UNIQUE __COUNTER__
#endif

#if IKET_ENABLED && defined(__CUDA_ARCH__)

namespace iket {
inline namespace IKET_DETAIL_ABI {

/// Records one event and drops the name, which the site holds already. `site` as `detail::site_bits` gives it.
template <class... Payload>
__device__ __forceinline__ void record_event(recorder& rec, record_kind kind, detail::u32 site, const char*,
                                             Payload... payload) {
  rec.event(kind, site, payload...);
}

/// A scoped range: shows as a slice from where it is made to the end of its scope. Two events.
class scoped_range {
 public:
  template <class... Payload>
  __device__ __forceinline__ scoped_range(recorder& rec, detail::u32 site, const char*, Payload... payload)
      : recorder_(rec), site_(site) {
    recorder_.event(record_kind::range_begin, site_, payload...);
  }
  scoped_range(const scoped_range&) = delete;
  scoped_range& operator=(const scoped_range&) = delete;
  __device__ __forceinline__ ~scoped_range() { recorder_.event(record_kind::range_end, site_); }

 private:
  recorder& recorder_;
  detail::u32 site_;
};

}  // namespace IKET_DETAIL_ABI
}  // namespace iket

// The public macros expand to those of this header, so they stay defined.
#define IKET_DETAIL_CONCAT_(a, b) a##b
#define IKET_DETAIL_CONCAT(a, b) IKET_DETAIL_CONCAT_(a, b)
#define IKET_DETAIL_FIRST_(first, ...) first
#define IKET_DETAIL_FIRST(...) IKET_DETAIL_FIRST_(__VA_ARGS__, )

// A static in a lambda is one object per place in the source and, in a template, per instantiation. The empty literal
// in front refuses every name that is no literal.
#define IKET_DETAIL_SITE(kind, name)                                                                   \
  ::iket::detail::site_bits([]() -> const void* {                                                      \
    static __device__ const ::iket::detail::site<sizeof("" name), sizeof(IKET_DETAIL_FILE)> iket_site{ \
        ::iket::site_kind::kind, "" name, IKET_DETAIL_FILE, __LINE__};                                 \
    return &iket_site;                                                                                 \
  }())

#define IKET_DETAIL_SCOPE(rec, kind, ...)                                         \
  const ::iket::scoped_range IKET_DETAIL_CONCAT(iket_range_, IKET_DETAIL_UNIQUE)( \
      rec, IKET_DETAIL_SITE(kind, IKET_DETAIL_FIRST(__VA_ARGS__)), __VA_ARGS__)
#define IKET_DETAIL_EVENT(rec, record, kind, ...)                                                                \
  ::iket::record_event(rec, ::iket::record_kind::record, IKET_DETAIL_SITE(kind, IKET_DETAIL_FIRST(__VA_ARGS__)), \
                       __VA_ARGS__)
#define IKET_DETAIL_ROLE(rec, name) (rec).set_role(IKET_DETAIL_SITE(role, name))
#define IKET_DETAIL_POP(rec) (rec).event(::iket::record_kind::pop, 0)

#else

namespace iket {
inline namespace IKET_DETAIL_ABI {

/// Takes what `record_event` takes, in code that never runs, and refuses what it refuses.
template <class... Payload>
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void ignore_event(const recorder&, const char*, Payload... payload) {
  detail::consume(sizeof(detail::encode(payload))...);
}

}  // namespace IKET_DETAIL_ABI
}  // namespace iket

// Each counts __COUNTER__ as its enabled form does: a program's own uses must come to the same numbers on both sides.
#define IKET_DETAIL_NOTHING(rec, ...)                     \
  do {                                                    \
    if (false) ::iket::ignore_event(rec, "" __VA_ARGS__); \
  } while (false)
#define IKET_DETAIL_SCOPE(rec, kind, ...)     \
  static_assert(IKET_DETAIL_UNIQUE >= 0, ""); \
  IKET_DETAIL_NOTHING(rec, __VA_ARGS__)
#define IKET_DETAIL_EVENT(rec, record, kind, ...) IKET_DETAIL_NOTHING(rec, __VA_ARGS__)
#define IKET_DETAIL_ROLE(rec, name) IKET_DETAIL_NOTHING(rec, name)
#define IKET_DETAIL_POP(rec) IKET_DETAIL_NOTHING(rec, "")

#endif

/// Names what the warp is for ("producer"). One role a warp, the last one set. Kept in the warp's header: no wrap of
/// the ring loses it.
///
///     IKET_ROLE(rec, "producer");
#define IKET_ROLE(rec, name) IKET_DETAIL_ROLE(rec, name)

/// A range of kind work, from here to the end of the enclosing scope: a slice on the warp's track.
///
///     { IKET_RANGE(rec, "load tile", tile); load(tile); }
#define IKET_RANGE(rec, ...) IKET_DETAIL_SCOPE(rec, work, __VA_ARGS__)

/// A range of kind wait: time in which the warp waits for someone else. Statistics tell it from work.
///
///     { IKET_WAIT(rec, "wait for data", tile); wait_full(tile); }
#define IKET_WAIT(rec, ...) IKET_DETAIL_SCOPE(rec, wait, __VA_ARGS__)

/// Begins a range of kind work that `IKET_POP` ends, for stages that are no C++ scope.
///
///     IKET_PUSH(rec, "compute", tile);  compute(tile);  IKET_POP(rec);
#define IKET_PUSH(rec, ...) IKET_DETAIL_EVENT(rec, push, work, __VA_ARGS__)

/// Begins a range of kind wait that `IKET_POP` ends.
#define IKET_PUSH_WAIT(rec, ...) IKET_DETAIL_EVENT(rec, push, wait, __VA_ARGS__)

/// Ends the innermost pushed range. A pop without a push is counted and reported.
#define IKET_POP(rec) IKET_DETAIL_POP(rec)

/// A point on the warp's track.
///
///     IKET_MARK(rec, "tile done", tile);
#define IKET_MARK(rec, ...) IKET_DETAIL_EVENT(rec, mark, mark, __VA_ARGS__)
