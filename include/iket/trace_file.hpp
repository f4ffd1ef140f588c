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

#include <iket/config.hpp>
#include <iket/detail/types.hpp>
#include <iket/record.hpp>
#include <iket/version.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace file {

using detail::i64;
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
IKET_DETAIL_HOST_DEVICE constexpr u32 four_characters(char a, char b, char c, char d) {
  return static_cast<u32>(static_cast<u8>(a)) | static_cast<u32>(static_cast<u8>(b)) << 8 |
         static_cast<u32>(static_cast<u8>(c)) << 16 | static_cast<u32>(static_cast<u8>(d)) << 24;
}

constexpr u32 chunk_device = four_characters('D', 'E', 'V', 'C');       ///< `device_info`, then the name
constexpr u32 chunk_sites = four_characters('S', 'I', 'T', 'E');        ///< `site_table`, then its sites
constexpr u32 chunk_launch = four_characters('L', 'N', 'C', 'H');       ///< `launch_info`, then the name
constexpr u32 chunk_rings = four_characters('R', 'I', 'N', 'G');        ///< `ring_group`, warp headers, records
constexpr u32 chunk_calibration = four_characters('C', 'A', 'L', 'B');  ///< `calibration_info` of a device
constexpr u32 chunk_host_clock = four_characters('H', 'C', 'L', 'K');   ///< `host_clock_info`, then its pairs
constexpr u32 chunk_faults = four_characters('F', 'A', 'L', 'T');       ///< `fault_table`, then its `fault_info`s
constexpr u32 chunk_snapshot = four_characters('S', 'N', 'A', 'P');     ///< `snapshot_info` of a device
constexpr u32 chunk_end = four_characters('E', 'N', 'D', ' ');          ///< `end_info`: the file is whole

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

/// What the session measured on a device when it was made. At most one chunk a device; since format 1.1.
struct calibration_info {
  u32 fixed_bytes;              ///< size of this part
  u32 device;                   ///< id of the device
  u32 event_millicycles;        ///< cost of an event among arithmetic [1/1000 SM cycles]
  u32 event_burst_millicycles;  ///< cost of an event that follows another directly [1/1000 SM cycles]
  u32 timer_tick_ns;            ///< smallest step of %globaltimer [ns]
  u32 sm_clock_khz;             ///< cycles of %clock64 per 1e-3 s of %globaltimer, GPU else idle [kHz]
  u32 reserved[2];              ///< zero
};
static_assert(sizeof(calibration_info) == 32, "part of the file format");

/// Readings of a device's timer between readings of the host's clock, of all of a session up to the file. At most one
/// chunk a device; since format 1.2. `pair_count` times a `host_clock_pair` follow.
struct host_clock_info {
  u32 fixed_bytes;  ///< size of this part
  u32 device;       ///< id of the device
  u8 boot_id[16];   ///< of the host, the same for all that shares its CLOCK_MONOTONIC; zero where unknown
  u32 pair_count;   ///< entries that follow
  u32 reserved;     ///< zero
};
static_assert(sizeof(host_clock_info) == 32, "part of the file format");

/// One reading of %globaltimer, which was made after `host_before_ns` and before `host_after_ns`.
struct host_clock_pair {
  u64 host_before_ns;      ///< CLOCK_MONOTONIC of the host [ns]
  u64 host_after_ns;       ///< the same; not before `host_before_ns`
  u64 globaltimer_ns;      ///< [ns]
  i64 realtime_offset_ns;  ///< CLOCK_REALTIME less CLOCK_MONOTONIC at about that time [ns]
};
static_assert(sizeof(host_clock_pair) == 32, "part of the file format");

/// The file shows a device at a moment, while kernels ran. At most one chunk a device; since format 1.3. With the pairs
/// of `host_clock_info` it tells for how long a warp has been where it stands.
struct snapshot_info {
  u32 fixed_bytes;         ///< size of this part
  u32 device;              ///< id of the device
  u64 host_begin_ns;       ///< CLOCK_MONOTONIC of the host when the first record was copied [ns]
  u64 host_end_ns;         ///< the same when the last one had been [ns]
  i64 realtime_offset_ns;  ///< CLOCK_REALTIME less CLOCK_MONOTONIC at about that time [ns]
};
static_assert(sizeof(snapshot_info) == 32, "part of the file format");

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
  u64 address;      ///< in device memory; a warp header tells it from what tags carry
  u32 kind;         ///< a `site_kind`
  u32 name_bytes;   ///< bytes of the name
  u32 file_bytes;   ///< bytes of the source file's name
  u32 reserved;     ///< zero
};
static_assert(sizeof(site_info) == 32, "part of the file format");

/// Facts of a launch, or'ed together in `launch_info::flags`.
enum launch_flag : u32 {
  launch_compiled_out = 1,    ///< the host side was built with IKET_DISABLE: nothing could be recorded
  launch_over_limit = 2,      ///< the memory limit held fewer CTAs than were asked for
  launch_keep_first = 4,      ///< rings keep the first records: nothing is stored once one is full
  launch_checked = 8,         ///< a kernel built with IKET_CHECKED ran: times are not to be trusted
  launch_replays_mixed = 16,  ///< warps of other launches of its replayable tracer may be among its own; since 1.2
  launch_running = 32,        ///< it had not ended when it was copied; since 1.3
  launch_failed = 64,         ///< a kernel of the program had failed, perhaps this one, before it ended; since 1.3
  launch_untraced = 128,      ///< it was noted and not traced, in a run of iket-capture; since 1.4
};

/// Which CTAs a launch's tracer was asked to trace.
enum class cta_choice : u32 {
  every = 0,  ///< those whose linear index is a multiple of `cta_stride`; all where it is 1
  range = 1,  ///< those from `first_cta` up to and without `last_cta`
  list = 2,   ///< some listed ones
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
  u32 cta_stride;         ///< every how many-th of the chosen CTAs is traced; of clusters where `cluster` is given
  u32 ctas_traced;        ///< CTAs that have memory; 0 where the limit left none
  u32 warps_per_cta;      ///< warps of a CTA; those of `warp_mask` are traced
  u32 records_per_warp;   ///< capacity of a ring, a power of two
  u32 warps_opened;       ///< traced warps that made a recorder: those in the file's ring groups
  u32 recorders_refused;  ///< recorders made under another grid or block than announced: they recorded nothing
  u32 refused_grid[3];    ///< gridDim of one of those
  u32 refused_block[3];   ///< blockDim of one of those
  u64 host_time_ns;       ///< when the tracer was handed out [ns since the Unix epoch]; with `replay`, long before
  u64 bytes_needed;       ///< device memory that all that was selected takes [bytes]
  u64 bytes_limit;        ///< the session's memory limit [bytes]
  u32 warp_mask;          ///< bit w: warp w of each CTA is traced. From here on since format 1.1
  cta_choice choice;      ///< which CTAs were asked for
  u32 first_cta;          ///< of a `range`, linear
  u32 last_cta;           ///< of a `range`, linear, itself not in it
  u32 cluster[3];         ///< announced CTAs of a cluster, which are traced all or none; 1, 1, 1 where none was
  u32 replay;             ///< of a replayable tracer: which launch since the last drain, from 1; else 0. Since 1.2
  u64 event_time_ns;      ///< duration between two CUDA events around the launch [ns]; 0 where it was not timed
  u32 regions;            ///< launches for which a replayable tracer has memory; else 0. From here on since format 1.2
  u32 replays_missed;     ///< launches of the tracer behind this one, before the drain, that recorded nothing
  u64 warps_unplaced;     ///< recorders that found no memory, of all launches of the tracer, before the drain
};
static_assert(sizeof(launch_info) == 176, "part of the file format");

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

/// Misuse that a kernel built with IKET_CHECKED found; since format 1.1.
enum class fault_kind : u32 {
  leader_absent = 1,      ///< an event ran on lanes without the leader: on lanes apart from it, or after it had left
  second_recorder = 2,    ///< a recorder was made on a warp that had one already
  pop_without_push = 3,   ///< IKET_POP where nothing was pushed
  end_without_start = 4,  ///< IKET_END of a token that is not open: ended before, or of another recorder
  recorder_copied = 5,    ///< the bytes of a recorder were copied
};

/// The faults of one launch. `fault_count` times a `fault_info` follow.
struct fault_table {
  u32 fixed_bytes;  ///< size of this part
  u32 launch;       ///< id of the launch
  u32 fault_count;  ///< entries that follow
  u32 dropped;      ///< faults of further places, for which the device had no room
};
static_assert(sizeof(fault_table) == 16, "part of the file format");

/// One kind of fault at one site.
struct fault_info {
  u64 site;  ///< device address of the site, as in the launch's site table; 0: of no site
  fault_kind kind;
  u32 count;   ///< how often; one for all lanes that ran together
  u32 cta[3];  ///< blockIdx of the first that was seen
  u32 warp;    ///< its warp in CTA
};
static_assert(sizeof(fault_info) == 32, "part of the file format");

/// The last chunk: a file without it was cut.
struct end_info {
  u32 fixed_bytes;  ///< size of this part
  u32 chunk_count;  ///< chunks before this one
};
static_assert(sizeof(end_info) == 8, "part of the file format");

}  // namespace file
}  // namespace abi_1
}  // namespace iket
