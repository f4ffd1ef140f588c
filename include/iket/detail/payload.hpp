// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Payloads as the 32-bit words that records hold.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>
#include <iket/record.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A payload in one record.
struct payload32 {
  payload_type type;
  u32 word;
};

/// A payload in two records.
struct payload64 {
  payload_type type;
  u32 low;
  u32 high;
};

IKET_DETAIL_HOST_DEVICE constexpr payload64 split(payload_type type, u64 bits) {
  return {type, static_cast<u32>(bits), static_cast<u32>(bits >> 32)};
}

/// Integers narrower than 32 bits and unscoped enums come in through the promotion to int.
IKET_DETAIL_HOST_DEVICE constexpr payload32 encode(int value) { return {payload_type::i32, static_cast<u32>(value)}; }
IKET_DETAIL_HOST_DEVICE constexpr payload32 encode(unsigned value) { return {payload_type::u32, value}; }
IKET_DETAIL_HOST_DEVICE constexpr payload32 encode(bool value) { return {payload_type::boolean, value ? 1u : 0u}; }
IKET_DETAIL_HOST_DEVICE constexpr payload64 encode(long value) {
  return split(payload_type::i64, static_cast<u64>(value));
}
IKET_DETAIL_HOST_DEVICE constexpr payload64 encode(unsigned long value) { return split(payload_type::u64, value); }
IKET_DETAIL_HOST_DEVICE constexpr payload64 encode(long long value) {
  return split(payload_type::i64, static_cast<u64>(value));
}
IKET_DETAIL_HOST_DEVICE constexpr payload64 encode(unsigned long long value) { return split(payload_type::u64, value); }

IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE payload32 encode(float value) {
#if defined(__CUDA_ARCH__)
  return {payload_type::f32, __float_as_uint(value)};
#else
  u32 bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return {payload_type::f32, bits};
#endif
}

IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE payload64 encode(double value) {
#if defined(__CUDA_ARCH__)
  return split(payload_type::f64, static_cast<u64>(__double_as_longlong(value)));
#else
  u64 bits;
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return split(payload_type::f64, bits);
#endif
}

/// A pointer would be taken for a bool, and long double has no place in a record: convert to what is meant.
template <class Pointee>
IKET_DETAIL_HOST_DEVICE payload32 encode(Pointee*) = delete;
IKET_DETAIL_HOST_DEVICE payload32 encode(long double) = delete;

/// True for the types that `encode` takes.
template <class Value>
IKET_DETAIL_HOST_DEVICE Value&& some();
template <class Value, class = decltype(encode(some<Value>()))>
IKET_DETAIL_HOST_DEVICE constexpr bool is_payload(int) {
  return true;
}
template <class Value>
IKET_DETAIL_HOST_DEVICE constexpr bool is_payload(...) {
  return false;
}

/// What the functions beneath the macros require of their payloads.
template <class... Payload>
IKET_DETAIL_HOST_DEVICE constexpr bool are_payloads() {
  static_assert(sizeof...(Payload) <= 1, "IKET: an event takes one payload");
  static_assert(
      (is_payload<Payload>(0) && ...),
      "IKET: a payload is an int or unsigned of 32 or 64 bits, float, double or bool: convert to one of them");
  return true;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
