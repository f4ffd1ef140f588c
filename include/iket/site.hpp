// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The site: one place in kernel source that records, as an object in device memory that the host reads by address.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {

/// What a site is for. Values are part of the file format.
enum class site_kind : detail::u8 {
  work = 1,     ///< a range in which the warp works
  wait = 2,     ///< a range in which the warp waits for someone else
  mark = 3,     ///< a point
  counter = 4,  ///< a sampled value
  role = 5,     ///< names what a warp is for
  anchor = 6,   ///< no place in the user's source: the address that a warp header keeps
};

/// The fixed part of a site. The host copies this first, checks it, then copies the text behind it.
struct site_prefix {
  detail::u32 magic;       ///< `site_magic`: tells a site from whatever else lies at a wrong address
  site_kind kind;          ///< what the site is for
  detail::u8 version;      ///< layout of this struct: 1
  detail::u16 reserved;    ///< zero
  detail::u32 line;        ///< source line
  detail::u32 name_bytes;  ///< bytes of the name, without its terminator
  detail::u32 file_bytes;  ///< bytes of the source file's name, without its terminator
  detail::u32 zero[3];     ///< zero
};
static_assert(sizeof(site_prefix) == 32, "the host reads sites by this layout");

/// "SITE" in little-endian order, with the top bit of each byte set so that it is no text.
constexpr detail::u32 site_magic = 0xC5D4C9D3u;
constexpr detail::u8 site_version = 1;

namespace detail {

/// A site with its text: `NameSize` and `FileSize` are the sizes of the two literals, terminators included. The text
/// lies in the object itself, because the driver lets the host copy only within one variable's own range. Aligned to
/// 16 bytes, so that the low four bits of its address are free for the record's kind.
template <u32 NameSize, u32 FileSize>
struct alignas(16) site {
  site_prefix prefix;
  char text[NameSize + FileSize];  // name, terminator, file, terminator

  IKET_DETAIL_HOST_DEVICE constexpr site(site_kind kind, const char (&name)[NameSize], const char (&file)[FileSize],
                                         u32 line)
      : prefix{site_magic, kind, site_version, 0, line, NameSize - 1, FileSize - 1, {}}, text{} {
    for (u32 i = 0; i < NameSize; ++i) text[i] = name[i];
    for (u32 i = 0; i < FileSize; ++i) text[NameSize + i] = file[i];
  }
};

/// A site's address in device memory.
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE u64 site_address(const void* site) { return reinterpret_cast<u64>(site); }

/// The low half of a site's address: what tags carry.
IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE u32 site_bits(const void* site) {
  return static_cast<u32>(site_address(site));
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
