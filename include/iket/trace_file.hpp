// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The structs of trace.bin, shared by its writer and its readers. docs/trace-format.md specifies the file in prose.
///
/// A file is a `file_header`, then chunks until the end: a `chunk_header`, `payload_bytes` of payload, and zeros up to
/// a multiple of 8 bytes. Everything is little-endian. A reader skips chunks of a type that it does not know.
///
/// Payloads begin with the fixed struct named below; its first member says how long that part is, so that a newer
/// minor version may append members to it.
#pragma once

#include <iket/detail/types.hpp>
#include <iket/record.hpp>
#include <iket/version.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace file {

using detail::u16;
using detail::u32;
using detail::u64;
using detail::u8;

/// The first 32 bytes of a file.
struct file_header {
  char magic[8];          ///< "IKETRACE"
  u16 version_major;      ///< IKET_FORMAT_VERSION_MAJOR of the writer
  u16 version_minor;      ///< IKET_FORMAT_VERSION_MINOR of the writer
  u32 byte_order;         ///< `byte_order_mark`, as the writer's memory has it
  u32 record_bytes;       ///< 8
  u32 warp_header_bytes;  ///< 128
  u32 library_version;    ///< IKET_VERSION of the writer
  u32 header_crc;         ///< CRC-32C of the 28 bytes before
};
static_assert(sizeof(file_header) == 32, "part of the file format");

constexpr char magic[8] = {'I', 'K', 'E', 'T', 'R', 'A', 'C', 'E'};
constexpr u32 byte_order_mark = 0x01020304u;

/// Stands before every payload, at an offset that is a multiple of 8. `marker` and `header_crc` let a reader find the
/// next whole chunk behind a damaged one.
struct chunk_header {
  u32 marker;         ///< `chunk_marker`
  u32 type;           ///< a `chunk_type`
  u64 payload_bytes;  ///< without the padding
  u32 payload_crc;    ///< CRC-32C of the payload
  u32 header_crc;     ///< CRC-32C of the 20 bytes before
};
static_assert(sizeof(chunk_header) == 24, "part of the file format");

constexpr u32 chunk_marker = 0x1A4B4349u;  // "ICK", then the control character that stops a text listing

/// Four characters in file order.
constexpr u32 four_characters(char a, char b, char c, char d) {
  return static_cast<u32>(static_cast<u8>(a)) | static_cast<u32>(static_cast<u8>(b)) << 8 |
         static_cast<u32>(static_cast<u8>(c)) << 16 | static_cast<u32>(static_cast<u8>(d)) << 24;
}

constexpr u32 chunk_device = four_characters('D', 'E', 'V', 'C');  ///< `device_info`, then the name
constexpr u32 chunk_sites = four_characters('S', 'I', 'T', 'E');   ///< `site_table`, then its sites
constexpr u32 chunk_launch = four_characters('L', 'N', 'C', 'H');  ///< `launch_info`, then the name
constexpr u32 chunk_rings = four_characters('R', 'I', 'N', 'G');   ///< `ring_group`, warp headers, records
constexpr u32 chunk_end = four_characters('E', 'N', 'D', ' ');     ///< `end_info`: the file is whole

/// A GPU. One chunk per device that a session traced on.
struct device_info {
  u32 fixed_bytes;      ///< size of this part
  u32 id;               ///< what launches refer to; unique in the file
  u8 uuid[16];          ///< of the device, or of the MIG instance
  u32 sm_count;         ///< multiprocessors
  u16 compute_major;    ///< compute capability
  u16 compute_minor;    ///<
  u32 rated_clock_khz;  ///< the clock rate that the driver states [kHz], 0 where unknown; no measurement
  u32 name_bytes;       ///< bytes of the name behind the fixed part, no terminator
};
static_assert(sizeof(device_info) == 40, "part of the file format");

/// The sites that the records of one drain refer to. Then `site_count` times a `site_info` and its text.
struct site_table {
  u32 fixed_bytes;  ///< size of this part
  u32 id;           ///< what launches refer to; unique in the file
  u32 site_count;   ///< entries that follow
  u32 reserved;     ///< zero
};
static_assert(sizeof(site_table) == 16, "part of the file format");

/// One site; behind the fixed part its name, then its file (no terminators), then zeros up to a multiple of 8 bytes.
struct site_info {
  u32 fixed_bytes;  ///< size of this part
  u32 line;         ///< source line
  u64 address;      ///< in device memory; tags carry its low 32 bits
  u32 kind;         ///< a `site_kind`
  u32 name_bytes;   ///< bytes of the name
  u32 file_bytes;   ///< bytes of the source file's name
  u32 reserved;     ///< zero
};
static_assert(sizeof(site_info) == 32, "part of the file format");

/// Facts of a launch, or'ed together in `launch_info::flags`.
enum launch_flag : u32 {
  launch_compiled_out = 1,  ///< the host side was built with IKET_DISABLE: nothing could be recorded
  launch_over_limit = 2,    ///< the memory limit held fewer CTAs than were asked for
};

/// One launch that a tracer was handed out for.
struct launch_info {
  u32 fixed_bytes;        ///< size of this part
  u32 id;                 ///< what ring groups refer to; unique in the file
  u32 device;             ///< id of its device
  u32 sites;              ///< id of its site table
  u32 flags;              ///< `launch_flag`s
  u32 name_bytes;         ///< bytes of the name behind the fixed part, no terminator
  u32 grid[3];            ///< announced gridDim
  u32 block[3];           ///< announced blockDim
  u32 cta_stride;         ///< CTAs whose linear index is a multiple of this are traced
  u32 ctas_traced;        ///< CTAs that have memory; 0 where the limit left none
  u32 warps_per_cta;      ///< warps of a CTA, all traced
  u32 records_per_warp;   ///< capacity of a ring, a power of two
  u32 warps_opened;       ///< traced warps that made a recorder: those in the file's ring groups
  u32 recorders_refused;  ///< recorders made under another grid or block than announced: they recorded nothing
  u32 refused_grid[3];    ///< gridDim of one of those
  u32 refused_block[3];   ///< blockDim of one of those
  u64 host_time_ns;       ///< when the tracer was handed out [ns since the Unix epoch]
  u64 bytes_needed;       ///< device memory that tracing every CTA takes [bytes]
  u64 bytes_limit;        ///< the session's memory limit [bytes]
};
static_assert(sizeof(launch_info) == 120, "part of the file format");

/// Some warps of a launch: `warp_count` warp headers, then the records of each in the same order, `kept` each, as they
/// lie in the ring: where `written` exceeds the capacity, the oldest is at index `written % capacity`.
struct ring_group {
  u32 fixed_bytes;   ///< size of this part
  u32 launch;        ///< id of the launch
  u32 warp_count;    ///< headers that follow
  u32 reserved;      ///< zero
  u64 record_count;  ///< records that follow the headers
};
static_assert(sizeof(ring_group) == 24, "part of the file format");

/// The last chunk: a file without it was cut.
struct end_info {
  u32 fixed_bytes;  ///< size of this part
  u32 chunk_count;  ///< chunks before this one
};
static_assert(sizeof(end_info) == 8, "part of the file format");

}  // namespace file
}  // namespace abi_1
}  // namespace iket
