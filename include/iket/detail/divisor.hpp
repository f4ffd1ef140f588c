// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Division by a number that only the host knows, as one multiplication and a shift on the device.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Divides numbers below 2^31 by `value`. With s = ceil(log2(value)) and m = ceil(2^(31+s) / value), floor(x / value) =
/// (x * m) >> (31 + s) for every x < 2^31 (T. Granlund and P. Montgomery, "Division by invariant integers using
/// multiplication", 1994, theorem 4.2); m stays below 2^32.
struct divisor {
  u32 value = 1;
  u32 multiplier = 1u << 31;
  u32 shift = 31;

  IKET_DETAIL_HOST_DEVICE constexpr u32 quotient(u32 x) const {
    return static_cast<u32>((static_cast<u64>(x) * multiplier) >> shift);
  }
};

/// The divisor for `value`, at least 1 and below 2^31.
IKET_DETAIL_HOST_DEVICE constexpr divisor make_divisor(u32 value) {
  u32 log = 0;
  while ((u64{1} << log) < value) ++log;
  return {value, static_cast<u32>(((u64{1} << (31 + log)) + value - 1) / value), 31 + log};
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
