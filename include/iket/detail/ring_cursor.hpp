// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where a warp's next records go. The same code runs in kernels and in the tests on the host.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/payload.hpp>
#include <iket/detail/types.hpp>
#include <iket/record.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Counts the records that a warp wrote and places each at `count % capacity`, so that the newest stay.
///
/// `Store` puts records into the ring: `clock(index, tag)` stores {low half of the SM clock, tag}, `word(index, value,
/// tag)` stores {value, tag}. The cursor knows no condition: a store that is off is the Store's affair, so that every
/// lane runs the same few instructions.
struct ring_cursor {
  u32 mask;   ///< capacity - 1
  u32 count;  ///< records written, modulo 2^32

  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(const Store& store, u32 tag) {
    store.clock(count & mask, tag);
    count += 1;
  }

  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(const Store& store, u32 tag, payload32 payload) {
    store.clock(count & mask, tag);
    store.word((count + 1) & mask, payload.word, payload_tag(payload.type, 0));
    count += 2;
  }

  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(const Store& store, u32 tag, payload64 payload) {
    store.clock(count & mask, tag);
    store.word((count + 1) & mask, payload.low, payload_tag(payload.type, 0));
    store.word((count + 2) & mask, payload.high, payload_tag(payload.type, 1));
    count += 3;
  }
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
