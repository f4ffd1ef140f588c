// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Compile-time switches, each with its price and default, and what follows from them. A switch is on where it is
/// defined, whatever its value.
///
/// | switch                 | default | effect and price                                                          |
/// | ---------------------- | ------- | ------------------------------------------------------------------------- |
/// | `IKET_DISABLE`         | off     | everything compiles out: the kernel's instruction stream is that of a     |
/// |                        |         | kernel without IKET; types and sizes stay the same; a dump says           |
/// |                        |         | "compiled out"                                                            |
/// | `IKET_RELAXED`         | off     | the compiler may move memory operations across events: see docs/cost.md   |
/// | `IKET_KEEP_FIRST`      | off     | a full ring keeps its first records, not its newest; a register, and two  |
/// |                        |         | instructions an event, four or five with a payload                        |
/// | `IKET_CHECKED`         | off     | events look for misuse and the report names it by site; slow, times mean  |
/// |                        |         | nothing; kernels only, the host's side stays the same; IKET_RELAXED has  |
/// |                        |         | no effect beside it                                                       |
/// | `IKET_FILE_COMPONENTS` | 0       | sites carry so many trailing components of their file's path; 0: the path |
/// |                        |         | as the compiler was given it; 1: the file's name alone                    |
///
/// `iket::tracer` and `iket::session` pass between translation units built with different ones of these (a session not
/// where IKET_DISABLE differs). All that depends on a switch lives in an inline namespace that carries it, so that
/// passing a recorder from one to the other fails at link time. What the linker cannot see is a program's own inline
/// function or template that makes a recorder: compiled with different switches it is one function with two bodies, of
/// which the linker keeps one. Build units that share such code with the same switches.
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

#if defined(IKET_RELAXED) && IKET_ENABLED && !defined(IKET_CHECKED)
#define IKET_DETAIL_RELAXED 1
#else
#define IKET_DETAIL_RELAXED 0
#endif

#if defined(IKET_KEEP_FIRST) && IKET_ENABLED
#define IKET_DETAIL_KEEP_FIRST 1
#else
#define IKET_DETAIL_KEEP_FIRST 0
#endif

#if defined(IKET_CHECKED) && IKET_ENABLED
#define IKET_DETAIL_CHECKED 1
#else
#define IKET_DETAIL_CHECKED 0
#endif

#if !defined(IKET_FILE_COMPONENTS)
#define IKET_FILE_COMPONENTS 0
#endif

// The names here are used by every header of the library, so they stay defined.

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define IKET_DETAIL_HOST_DEVICE __host__ __device__
#define IKET_DETAIL_INLINE __forceinline__
#else
#define IKET_DETAIL_HOST_DEVICE
#define IKET_DETAIL_INLINE inline
#endif

// The inline namespaces of what depends on a switch: on the host, and in kernels. `abi_1` alone holds what does not.
#if IKET_ENABLED
#define IKET_DETAIL_ABI abi_1_on
#else
#define IKET_DETAIL_ABI abi_1_off
#endif
#if IKET_DETAIL_CHECKED && IKET_DETAIL_KEEP_FIRST
#define IKET_DETAIL_DEVICE_ABI abi_1_on_checked_first
#elif IKET_DETAIL_CHECKED
#define IKET_DETAIL_DEVICE_ABI abi_1_on_checked
#elif IKET_DETAIL_RELAXED && IKET_DETAIL_KEEP_FIRST
#define IKET_DETAIL_DEVICE_ABI abi_1_on_relaxed_first
#elif IKET_DETAIL_RELAXED
#define IKET_DETAIL_DEVICE_ABI abi_1_on_relaxed
#elif IKET_DETAIL_KEEP_FIRST
#define IKET_DETAIL_DEVICE_ABI abi_1_on_first
#else
#define IKET_DETAIL_DEVICE_ABI IKET_DETAIL_ABI
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
