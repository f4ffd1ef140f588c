// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which CTAs of a launch have slots. The same code runs in kernels and in the tests on the host.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// 32 CTAs of a list: one entry tells for each whether it is listed and how many are before it, so that a kernel finds
/// its slot with a single load.
struct listed_ctas {
  u32 bits;    ///< bit i: CTA 32 * entry + i, counted from `tracer::first_cta`, is listed
  u32 before;  ///< listed CTAs of the entries before
};

IKET_DETAIL_HOST_DEVICE constexpr u32 count_bits(u32 bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<u32>(__popc(static_cast<int>(bits)));
#else
  return static_cast<u32>(__builtin_popcount(bits));
#endif
}

/// A rank that no CTA has.
constexpr u32 not_selected = 0xFFFFFFFFu;

/// Number of a CTA among every n-th from `first_cta` on; a number not below the count of those that have slots where it
/// is none of them.
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE u32 rank_strided(const tracer& of, u32 cta) {
  return of.stride.rank(cta - of.first_cta);
}

/// Number of a CTA among the listed ones, or `not_selected`. `read_list(entry)` gives an entry of the tracer's list; it
/// is called once at most.
template <class ReadList>
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE u32 rank_listed(const tracer& of, u32 cta, ReadList read_list) {
  const u32 offset = cta - of.first_cta;  // of a CTA before the first: too large
  if (offset >= of.list_span) return not_selected;
  const listed_ctas entry = read_list(offset / 32);
  const u32 bit = 1u << offset % 32;
  return (entry.bits & bit) != 0 ? entry.before + count_bits(entry.bits & (bit - 1)) : not_selected;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
