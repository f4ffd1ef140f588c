// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is known of one traced warp beside its ring: one header per warp, on the device and in trace.bin alike.
#pragma once

#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {

/// One moment on two clocks, read back to back on one SM.
struct clock_pair {
  detail::u64 cycles;          ///< %clock64 [SM cycles]
  detail::u64 globaltimer_ns;  ///< %globaltimer [ns], in ticks of the device (32 ns on sm_90, about 1 us before)
};

/// Written by the warp's leader lane when its recorder opens and closes; the memory is zero before.
///
/// On the device the header lies directly before the warp's ring; in trace.bin the headers of a group of warps lie
/// before the group's records. A warp whose recorder never opened has `opened == 0` and is left out of the file.
struct alignas(16) warp_header {
  detail::u32 cta[3];        ///< blockIdx
  detail::u32 warp;          ///< warp in CTA: linear thread / 32
  detail::u64 anchor;        ///< full device address of one site of the kernel's module; the others are near it
  detail::u32 cluster_rank;  ///< rank of the CTA in its cluster, 0 without clusters
  detail::u32 cluster_dims;  ///< CTAs of a cluster: x | y << 8 | z << 16; 0x010101 without clusters
  clock_pair open;           ///< taken when the recorder was made
  clock_pair close;          ///< taken when it was closed; zero where it never was
  detail::u32 open_sm;       ///< %smid at `open`
  detail::u32 opened;        ///< recorders made on this warp; more than 1 is misuse and is reported
  detail::u32 role;          ///< site bits of the last IKET_ROLE, or'ed with 1; 0 without a role
  detail::u32 kept;          ///< records of this warp in the file; set by the host, 0 on the device
  detail::u32 close_sm;      ///< %smid at `close`
  detail::u32 written;       ///< records the warp wrote, modulo 2^32; known where `closed`
  detail::u32 closed;        ///< 1 once the recorder was closed
  detail::u32 reserved[9];   ///< zero
};
static_assert(sizeof(clock_pair) == 16 && sizeof(warp_header) == 128, "part of the file format");

namespace detail {

// Where the recorder stores: NVRTC has no offsetof.
constexpr u32 header_anchor = 16;
constexpr u32 header_open = 32;
constexpr u32 header_close = 48;
constexpr u32 header_open_sm = 64;
constexpr u32 header_opened = 68;
constexpr u32 header_role = 72;
constexpr u32 header_close_sm = 80;

#if !defined(__CUDACC_RTC__)
static_assert(header_anchor == __builtin_offsetof(warp_header, anchor) &&
                  header_open == __builtin_offsetof(warp_header, open) &&
                  header_close == __builtin_offsetof(warp_header, close) &&
                  header_open_sm == __builtin_offsetof(warp_header, open_sm) &&
                  header_opened == __builtin_offsetof(warp_header, opened) &&
                  header_role == __builtin_offsetof(warp_header, role) &&
                  header_close_sm == __builtin_offsetof(warp_header, close_sm),
              "the recorder's stores follow the header's layout");
#endif

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
