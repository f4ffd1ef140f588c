// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The functions beneath the macros of macros.cuh, for those who would rather not use macros.
///
/// `site` is what `detail::site_bits` gives for a `detail::site_reference`. The name is taken and dropped: the site
/// holds it already, and a macro cannot leave it out of its list of arguments.
#pragma once

#include <iket/config.hpp>
#include <iket/recorder.cuh>
#include <iket/token.hpp>

namespace iket {
inline namespace IKET_DETAIL_DEVICE_ABI {

#if IKET_ENABLED && defined(__CUDA_ARCH__)

/// A scoped range: shows as a slice from where it is made to the end of its scope. Two events, where `condition`, which
/// is the same on all lanes and is kept for the end, holds.
class scoped_range {
 public:
  template <class... Payload>
  __device__ __forceinline__ scoped_range(recorder& rec, bool condition, detail::u32 site, const char*,
                                          Payload... payload)
      : recorder_(rec), site_(site), condition_(condition) {
    static_assert(detail::are_payloads<Payload...>(), "");
    recorder_.event_if(condition_, record_kind::range_begin, site_, payload...);
  }
  scoped_range(const scoped_range&) = delete;
  scoped_range& operator=(const scoped_range&) = delete;
  __device__ __forceinline__ ~scoped_range() { recorder_.event_if(condition_, record_kind::range_end, site_); }

 private:
  recorder& recorder_;
  detail::u32 site_;
  bool condition_;
};

/// Begins a pushed range; see `recorder::push_if`.
template <class... Payload>
__device__ __forceinline__ void push(recorder& rec, bool condition, detail::u32 site, const char*, Payload... payload) {
  static_assert(detail::are_payloads<Payload...>(), "");
  rec.push_if(condition, site, payload...);
}

/// Begins a token range; see `recorder::start_if`.
template <class... Payload>
[[nodiscard]] __device__ __forceinline__ token start(recorder& rec, bool condition, detail::u32 site, const char*,
                                                     Payload... payload) {
  static_assert(detail::are_payloads<Payload...>(), "");
  return rec.start_if(condition, site, payload...);
}

/// Records a point.
template <class... Payload>
__device__ __forceinline__ void mark(recorder& rec, bool condition, detail::u32 site, const char*, Payload... payload) {
  static_assert(detail::are_payloads<Payload...>(), "");
  rec.event_if(condition, record_kind::mark, site, payload...);
}

/// Records a sample of a counter.
template <class Value>
__device__ __forceinline__ void count(recorder& rec, bool condition, detail::u32 site, const char*, Value value) {
  static_assert(detail::are_payloads<Value>(), "");
  rec.event_if(condition, record_kind::counter, site, value);
}

#else

/// Takes what the functions of an enabled build take, in code that never runs, and refuses what they refuse.
template <class... Payload>
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE token ignore(const recorder&, bool, const char*, Payload... payload) {
  static_assert(detail::are_payloads<Payload...>(), "");
  detail::consume(sizeof(detail::encode(payload))...);
  return {};
}

/// As `ignore`, for the end of a token range.
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void ignore_end(const recorder&, bool, token) {}

/// As `ignore`, for a counter, which has a value.
template <class Value>
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void ignore_count(const recorder& rec, bool condition, const char* name,
                                                             Value value) {
  ignore(rec, condition, name, value);
}

#endif

}  // namespace IKET_DETAIL_DEVICE_ABI
}  // namespace iket
