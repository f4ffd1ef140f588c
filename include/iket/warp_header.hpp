// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is known of one traced warp beside its ring: one header per warp, on the device and in trace.bin alike.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {

/// One moment on two clocks, read back to back on one SM.
struct clock_pair {
  detail::u64 cycles;          ///< %clock64 [SM cycles]
  detail::u64 globaltimer_ns;  ///< %globaltimer [ns], in ticks of the device (32 ns on sm_90, about 1 us before)
};

/// How a warp's ring is to be read, or'ed together in `warp_header::flags`; since format 1.1.
enum warp_flag : detail::u32 {
  warp_keep_first = 1,      ///< the ring holds the first records: the oldest at index 0, no wrap
  warp_anchor_is_base = 2,  ///< a site's address is `anchor` plus its bits; without, see `detail::site_address`
};

/// What the file has of one warp beside its records. A warp whose recorder never opened is not in the file.
struct alignas(16) warp_header {
  detail::u32 cta[3];        ///< blockIdx
  detail::u32 warp;          ///< warp in CTA: linear thread / 32
  detail::u64 anchor;        ///< tells the device addresses of sites from their bits in tags; see `warp_flag`
  detail::u32 cluster_rank;  ///< rank of the CTA in its cluster, 0 without clusters
  detail::u32 cluster_dims;  ///< CTAs of a cluster: x | y << 8 | z << 16; 0x010101 without clusters
  clock_pair open;           ///< taken when the recorder was made
  clock_pair close;          ///< taken when it was closed; zero where it never was
  detail::u32 open_sm;       ///< %smid at `open`
  detail::u32 opened;        ///< recorders made on this warp; more than 1 is misuse and is reported
  detail::u32 role;          ///< site bits of the last IKET_ROLE, or'ed with 1; 0 without a role
  detail::u32 kept;          ///< records of this warp in the file; set by the host, 0 on the device
  detail::u32 close_sm;      ///< %smid at `close`
  detail::u32 written;       ///< records the warp wrote, modulo 2^29; known where `closed`
  detail::u32 closed;        ///< 1 once the recorder was closed
  detail::u32 flags;         ///< `warp_flag`s
  detail::u32 reserved[8];   ///< zero
};
static_assert(sizeof(clock_pair) == 16 && sizeof(warp_header) == 128, "part of the file format");

namespace detail {

/// The device address of the site for which tags carry `site_bits`, by the header of a warp of the same module. Without
/// the flag, `anchor` is the address of one site, and the low halves of sites' addresses are their bits.
IKET_DETAIL_HOST_DEVICE constexpr u64 site_address(u64 anchor, u32 flags, u32 site_bits) {
  return (flags & warp_anchor_is_base) != 0
             ? anchor + site_bits
             : anchor + static_cast<u64>(static_cast<i64>(static_cast<i32>(site_bits - static_cast<u32>(anchor))));
}

/// A warp's header in device memory, which is zero before the warp's leader lane writes it: with three stores of 16
/// bytes when its recorder opens, so that some of it is packed, and two when it closes.
struct alignas(16) device_header {
  u32 cta[3];        ///< blockIdx
  u32 warp;          ///< warp in CTA
  u64 anchor;        ///< address of the module's constant bank
  u32 place;         ///< rank in the cluster | %smid << 8
  u32 cluster;       ///< CTAs of a cluster: x | y << 8 | z << 16; `warp_flag`s << 24
  clock_pair open;   ///< taken when the recorder was made
  clock_pair close;  ///< taken when it was closed
  u32 close_sm;      ///< %smid at `close`
  u32 written;       ///< records the warp wrote
  u32 closed;        ///< 1 once the recorder was closed
  u32 zero;          ///< written as zero at the close
  u32 opened;        ///< recorders made on this warp, counted up by each
  u32 role;          ///< as `warp_header::role`
  u64 grid_id;       ///< %gridid, where the tracer is replayable
  u32 reserved[8];   ///< zero; a header is 128 bytes so that no two warps write the same line
};
static_assert(sizeof(device_header) == 128, "recorders store by this layout");

// Where the recorder stores: NVRTC has no offsetof.
constexpr u32 header_anchor = 16;
constexpr u32 header_open = 32;
constexpr u32 header_close = 48;
constexpr u32 header_close_sm = 64;
constexpr u32 header_opened = 80;
constexpr u32 header_role = 84;
constexpr u32 header_grid_id = 88;

#if !defined(__CUDACC_RTC__)
static_assert(header_anchor == __builtin_offsetof(device_header, anchor) &&
                  header_open == __builtin_offsetof(device_header, open) &&
                  header_close == __builtin_offsetof(device_header, close) &&
                  header_close_sm == __builtin_offsetof(device_header, close_sm) &&
                  header_opened == __builtin_offsetof(device_header, opened) &&
                  header_role == __builtin_offsetof(device_header, role) &&
                  header_grid_id == __builtin_offsetof(device_header, grid_id),
              "the recorder's stores follow the header's layout");

/// As the file has it.
inline warp_header unpack(const device_header& from) {
  warp_header header{};
  for (int i = 0; i < 3; ++i) header.cta[i] = from.cta[i];
  header.warp = from.warp;
  header.anchor = from.anchor;
  header.cluster_rank = from.place & 0xff;
  header.cluster_dims = from.cluster & 0xffffff;
  header.open = from.open;
  header.close = from.close;
  header.open_sm = from.place >> 8;
  header.opened = from.opened;
  header.role = from.role;
  header.close_sm = from.close_sm;
  header.written = from.written;
  header.closed = from.closed;
  header.flags = from.cluster >> 24;
  return header;
}
#endif

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
