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

/// Counts the bytes that a warp wrote and places each record at `bytes % capacity`.
///
/// Counted in bytes, so that a record's place is one bit operation away; `written` follows modulo 2^29 records.
///
/// `Store` puts records into the ring: `clock(condition, last, bytes, mask, tag)` stores {low half of the SM clock,
/// tag} at `bytes & mask`, `word(condition, last, bytes, mask, value, tag)` stores {value, tag}; where `condition` does
/// not hold, neither stores. `last` is the place of the event's last record, by which a store that keeps the first
/// records tells whether the event still goes in whole. The count goes on where it does not.
struct ring_cursor {
  u32 mask;   ///< bytes of the ring, a power of two, less one
  u32 bytes;  ///< of the records written, modulo 2^32; those that did not go in included

  /// Records written, modulo 2^29.
  [[nodiscard]] IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE u32 count() const { return bytes / 8; }

  /// Records an event where `condition` holds. Branch-free: without it, nothing is stored or counted.
  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(Store& store, bool condition, u32 tag) {
    store.clock(condition, bytes, bytes, mask, tag);
    bytes += condition ? 8 : 0;
  }

  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(Store& store, bool condition, u32 tag, payload32 payload) {
    const u32 last = bytes + 8;
    store.clock(condition, last, bytes, mask, tag);
    store.word(condition, last, last, mask, payload.word, payload_tag(payload.type, 0));
    bytes += condition ? 16 : 0;
  }

  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(Store& store, bool condition, u32 tag, payload64 payload) {
    const u32 last = bytes + 16;
    store.clock(condition, last, bytes, mask, tag);
    store.word(condition, last, bytes + 8, mask, payload.low, payload_tag(payload.type, 0));
    store.word(condition, last, last, mask, payload.high, payload_tag(payload.type, 1));
    bytes += condition ? 24 : 0;
  }

  /// Records a pair of clocks: an event whose payload is the global timer, which `clock_pair(condition, last, bytes,
  /// mask, tag, timer)` reads right behind the SM clock into `timer`.
  template <class Store>
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void clock_pair(Store& store, bool condition, u32 tag) {
    const u32 last = bytes + 16;
    u64 timer_ns = 0;
    store.clock_pair(condition, last, bytes, mask, tag, timer_ns);
    const payload64 payload = split(payload_type::u64, timer_ns);
    store.word(condition, last, bytes + 8, mask, payload.low, payload_tag(payload.type, 0));
    store.word(condition, last, last, mask, payload.high, payload_tag(payload.type, 1));
    bytes += condition ? 24 : 0;
  }
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
