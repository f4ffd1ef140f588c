// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The kernel argument from which recorders are made.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/divisor.hpp>
#include <iket/detail/types.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// In device memory, one per launch: recorders made under another grid or block than the tracer was announced for.
struct alignas(16) refusals {
  u32 count;     ///< such recorders
  u32 grid[3];   ///< gridDim of one of them
  u32 block[3];  ///< blockDim of one of them
  u32 reserved;
};

/// Device memory that one warp takes: its header, then its ring [bytes]. A multiple of 16, as the header's stores need.
IKET_DETAIL_HOST_DEVICE constexpr u64 slot_bytes(u32 records_per_warp) {
  return sizeof(warp_header) + (u64{8} * records_per_warp + 15) / 16 * 16;
}

}  // namespace detail

/// Passed to a kernel by value, best as its last parameter; `iket::session::trace` hands it out for one launch.
///
/// Trivially copyable, 64 bytes. `iket::tracer{}` is inert: safe to pass to any launch, records nothing. The type is
/// the same under IKET_DISABLE, so kernels keep their signatures. The members belong to the library.
struct tracer {
  detail::u64 first_slot = 0;  ///< device address of the first warp's slot; 0: inert
  detail::u64 refusals = 0;    ///< device address of this launch's `detail::refusals`
  detail::u32 grid[3] = {};    ///< the gridDim that the launch must have
  detail::u32 block[3] = {};   ///< the blockDim that the launch must have
  detail::u32 warps_per_cta = 0;
  detail::u32 record_mask = 0;  ///< records of a ring, a power of two, less one
  detail::divisor cta_stride;   ///< CTAs whose linear index is a multiple of this have memory
  detail::u32 reserved = 0;
};
static_assert(sizeof(tracer) == 64, "a kernel's parameters must not change with the compiler");

}  // namespace abi_1
}  // namespace iket
