// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Compile-time switches, each with its price and default, and what follows from them.
///
/// | switch         | default | effect and price                                                                   |
/// | -------------- | ------- | ---------------------------------------------------------------------------------- |
/// | `IKET_DISABLE` | off     | everything compiles out: the kernel's instruction stream is that of a kernel without |
/// |                |         | IKET; types and sizes stay the same; a dump says "compiled out"                    |
///
/// `iket::tracer` is the only type that may pass between translation units built with different switches: all that
/// depends on a switch lives in an inline namespace that carries it, so that a mix fails at link time.
#pragma once

#if __cplusplus < 201703L
#error "IKET needs C++17: compile with -std=c++17 or newer"
#endif

#if defined(IKET_DISABLE)
/// 1 where events are recorded, 0 where they are compiled out. Always defined.
#define IKET_ENABLED 0
#else
#define IKET_ENABLED 1
#endif

// The names below are used by every header of the library, so they stay defined.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define IKET_DETAIL_HOST_DEVICE __host__ __device__
#define IKET_DETAIL_INLINE __forceinline__
#else
#define IKET_DETAIL_HOST_DEVICE
#define IKET_DETAIL_INLINE inline
#endif

// The inline namespace of everything that depends on a switch; `abi_1` alone holds what does not.
#if IKET_ENABLED
#define IKET_DETAIL_ABI abi_1_on
#else
#define IKET_DETAIL_ABI abi_1_off
#endif

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Takes what a disabled function was given: names all of it, so that nothing warns. By value, as the enabled ones take
/// it: a reference would need the address of a constant that has none on the device.
template <class... Arguments>
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void consume(Arguments...) {}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
