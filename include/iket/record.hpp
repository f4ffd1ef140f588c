// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The record: what one slot of a ring holds, on the device and in trace.bin alike.
///
/// An event is one event record and, directly after it, its payload records (none, one or two):
///
///     event record    value = low half of the SM clock    tag = site bits | kind
///     payload record  value = 32 bits of the payload      tag = part << 8 | type << 4 | record_kind::payload
///
/// A site's bits are its place in the constant bank (`detail::site_bits`), a multiple of 16, so the low four bits of a
/// tag are free for the kind. Every record says by itself what it is: a ring can be decoded from any point, and memory
/// that was never written reads as `record_kind::none`.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {

/// One slot of a ring: 8 bytes.
struct record {
  detail::u32 value;  ///< event: low 32 bits of the SM clock [cycles]; payload: 32 bits of the payload
  detail::u32 tag;    ///< see the head of this file
};
static_assert(sizeof(record) == 8, "a record is 8 bytes in every ring and file");

/// What a record is: the low four bits of its tag. Values are part of the file format.
enum class record_kind : detail::u8 {
  none = 0,         ///< memory that was never written
  range_begin = 1,  ///< a scoped range begins
  range_end = 2,    ///< a scoped range ends; carries the tag of its own site
  push = 3,         ///< a pushed range begins
  pop = 4,          ///< the innermost pushed range ends; has no site
  token_begin = 5,  ///< a token range begins
  token_end = 6,    ///< a token range ends; one payload record holds the count of its begin record
  mark = 7,         ///< a point
  counter = 8,      ///< a sampled value, in the payload
  sync = 9,         ///< an extra clock pair
  payload = 15,     ///< 32 bits of the payload of the event before it
};

/// The type of a payload, as it was written in the kernel. Values are part of the file format.
enum class payload_type : detail::u8 {
  none = 0,
  i32 = 1,
  u32 = 2,
  i64 = 3,
  u64 = 4,
  f32 = 5,
  f64 = 6,
  boolean = 7,
};

/// True if the tags of events of this kind carry a site.
IKET_DETAIL_HOST_DEVICE constexpr bool has_site(record_kind kind) {
  return kind != record_kind::none && kind != record_kind::pop && kind != record_kind::sync &&
         kind != record_kind::payload;
}

/// The site's bits that a tag carries; see `has_site`.
IKET_DETAIL_HOST_DEVICE constexpr detail::u32 site_bits_of(detail::u32 tag) { return tag & ~15u; }

/// What the record with this tag is. Kinds that this version does not know come out as their number.
IKET_DETAIL_HOST_DEVICE constexpr record_kind kind_of(detail::u32 tag) { return static_cast<record_kind>(tag & 15u); }

/// The tag of an event of `kind` at the site with these bits; 0 where the kind has none.
IKET_DETAIL_HOST_DEVICE constexpr detail::u32 event_tag(detail::u32 site_bits, record_kind kind) {
  return site_bits | static_cast<detail::u32>(kind);
}

/// The tag of payload part `part` (0: the low or only 32 bits, 1: the high 32 bits).
IKET_DETAIL_HOST_DEVICE constexpr detail::u32 payload_tag(payload_type type, detail::u32 part) {
  return (part << 8) | (static_cast<detail::u32>(type) << 4) | static_cast<detail::u32>(record_kind::payload);
}

/// The payload type that the tag of a payload record states.
IKET_DETAIL_HOST_DEVICE constexpr payload_type payload_type_of(detail::u32 tag) {
  return static_cast<payload_type>((tag >> 4) & 15u);
}

/// Which 32 bits of its payload a payload record holds: 0 the low or only ones, 1 the high ones.
IKET_DETAIL_HOST_DEVICE constexpr detail::u32 payload_part_of(detail::u32 tag) { return (tag >> 8) & 1u; }

/// Payload records that a payload of this type takes: 0, 1 or 2.
IKET_DETAIL_HOST_DEVICE constexpr detail::u32 payload_records(payload_type type) {
  return type == payload_type::none                                                            ? 0u
         : type == payload_type::i64 || type == payload_type::u64 || type == payload_type::f64 ? 2u
                                                                                               : 1u;
}

}  // namespace abi_1
}  // namespace iket
