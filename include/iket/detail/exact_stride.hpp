// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Is a number a multiple of what only the host knows, and which? One multiplication and one rotation on the device.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A stride n = 2^k * odd.
///
/// `rank(x)` is a bijection of the 32-bit numbers: multiplication by the inverse of the odd part modulo 2^32, then a
/// rotation to the right by k. It takes x = q * n to q, for all q * n below 2^32; so x is one of the first c
/// multiples if and only if `rank(x) < c` (T. Granlund and P. Montgomery, "Division by invariant integers using
/// multiplication", 1994, section 9).
struct exact_stride {
  u32 inverse = 1;   ///< of the odd part
  u32 rotation = 0;  ///< k

  IKET_DETAIL_HOST_DEVICE constexpr u32 rank(u32 x) const {
    const u32 product = x * inverse;
#if defined(__CUDA_ARCH__)
    return __funnelshift_r(product, product, rotation);
#else
    return rotation == 0 ? product : product >> rotation | product << (32 - rotation);
#endif
  }
};

/// `n` is at least 1.
IKET_DETAIL_HOST_DEVICE constexpr exact_stride make_stride(u32 n) {
  u32 rotation = 0;
  while ((n >> rotation) % 2 == 0) ++rotation;
  const u32 odd = n >> rotation;
  u32 inverse = odd;  // right modulo 8; each step doubles the bits that are right
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  return {inverse, rotation};
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
