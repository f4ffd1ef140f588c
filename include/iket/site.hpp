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

/// Where the last `components` components of a path begin; 0 takes the whole path.
IKET_DETAIL_HOST_DEVICE constexpr const char* path_tail(const char* path, u32 components) {
  u32 length = 0;
  while (path[length] != 0) ++length;
  if (components == 0) return path;
  u32 at = length;
  while (at > 0) {
    if (path[at - 1] == '/' && --components == 0) break;
    --at;
  }
  return path + at;
}

/// Bytes of a text, its terminator included.
IKET_DETAIL_HOST_DEVICE constexpr u32 text_bytes(const char* text) {
  u32 bytes = 1;
  while (text[bytes - 1] != 0) ++bytes;
  return bytes;
}

/// A number as a type.
template <u32 Value>
struct number {
  static constexpr u32 value = Value;
};

/// A site with its text: `NameSize` and `FileSize` are the sizes of the two, terminators included. The text lies in the
/// object itself, because the driver lets the host copy only within one variable's own range.
template <u32 NameSize, u32 FileSize>
struct alignas(16) site {
  site_prefix prefix;
  char text[NameSize + FileSize];  // name, terminator, file, terminator

  IKET_DETAIL_HOST_DEVICE constexpr site(site_kind kind, const char (&name)[NameSize], const char* file, u32 line)
      : prefix{site_magic, kind, site_version, 0, line, NameSize - 1, FileSize - 1, {}}, text{} {
    for (u32 i = 0; i < NameSize; ++i) text[i] = name[i];
    for (u32 i = 0; i < FileSize; ++i) text[NameSize + i] = file[i];
  }
};

/// Stands for a site in records: an object in constant memory, whose place in the constant bank is known to the linker,
/// so that a tag is an immediate in the code and takes no register. 16 bytes, so that the low four bits of its place
/// are free for the record's kind; a module's bank of 64 KiB, which it shares with the program's own `__constant__`
/// variables, holds up to 4096.
struct alignas(16) site_reference {
  const void* target;  ///< the site
  u64 zero;
};

#if defined(__CUDA_ARCH__)
/// What tags carry for a site: the place of its reference in the constant bank.
__device__ __forceinline__ u32 site_bits(const site_reference* reference) {
  return static_cast<u32>(__cvta_generic_to_constant(reference));
}

/// The device address of the constant bank, by one reference in it.
__device__ __forceinline__ u64 bank_address(const site_reference* reference) {
  return reinterpret_cast<u64>(reference) - site_bits(reference);
}
#endif

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
