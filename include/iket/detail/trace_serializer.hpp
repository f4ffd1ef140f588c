// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Turns a `trace_content` into the bytes of trace.bin.
#pragma once

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string>

#include <iket/detail/crc32c.hpp>
#include <iket/detail/trace_content.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Some bytes that are somebody else's.
struct byte_view {
  const void* data;
  std::size_t size;
};

/// Writes one trace through `Sink`, a callable `void(const void* data, std::size_t size)` that takes every byte in
/// file order and may throw. Nothing is copied on the way: a ring group goes from its vectors to the sink.
///
/// `write` takes all at once. For launches that are not all in memory together: `begin`, `add` for each of them, `end`.
template <class Sink>
class trace_serializer {
 public:
  explicit trace_serializer(Sink& sink) : sink_(sink) {}

  void write(const trace_content& content) {
    begin(content);
    for (const launch_content& launch : content.launches) add(launch);
    end();
  }

  /// All that stands before the launches.
  void begin(const trace_content& content) {
    write_file_header();
    for (const device_content& device : content.devices) write_device(device);
    for (const file::calibration_info& calibration : content.calibrations) write_calibration(calibration);
    for (const host_clock_content& clock : content.host_clocks) write_host_clock(clock);
    for (const file::snapshot_info& snapshot : content.snapshots) write_snapshot(snapshot);
    for (const site_table_content& table : content.site_tables) write_sites(table);
  }

  /// The next launch.
  void add(const launch_content& launch) {
    write_launch(launch);
    if (!launch.faults.empty() || launch.fault_head.dropped != 0) write_faults(launch);
    write_rings(launch);
  }

  /// What says that the file is whole.
  void end() {
    const file::end_info info{sizeof(file::end_info), chunk_count_};
    write_chunk(file::chunk_end, {view_of(info)});
  }

 private:
  // A damaged chunk costs its readers that chunk, so the rings of a launch are cut into chunks of about this size.
  static constexpr std::size_t ring_group_bytes = std::size_t{1} << 20;

  template <class Object>
  static byte_view view_of(const Object& object) {
    return {&object, sizeof(Object)};
  }

  void write_file_header() {
    file::file_header header{};
    std::memcpy(header.magic, file::magic, sizeof(header.magic));
    header.version_major = IKET_FORMAT_VERSION_MAJOR;
    header.version_minor = IKET_FORMAT_VERSION_MINOR;
    header.byte_order = file::byte_order_mark;
    header.record_bytes = sizeof(record);
    header.warp_header_bytes = sizeof(warp_header);
    header.library_version = IKET_VERSION;
    header.header_crc = crc32c(&header, offsetof(file::file_header, header_crc));
    sink_(&header, sizeof(header));
  }

  void write_device(const device_content& device) {
    file::device_info info = device.info;
    info.fixed_bytes = sizeof(info);
    info.name_bytes = static_cast<u32>(device.name.size());
    write_chunk(file::chunk_device, {view_of(info), {device.name.data(), device.name.size()}});
  }

  void write_calibration(file::calibration_info info) {
    info.fixed_bytes = sizeof(info);
    write_chunk(file::chunk_calibration, {view_of(info)});
  }

  void write_host_clock(const host_clock_content& clock) {
    file::host_clock_info info = clock.info;
    info.fixed_bytes = sizeof(info);
    info.pair_count = static_cast<u32>(clock.pairs.size());
    write_chunk(file::chunk_host_clock,
                {view_of(info), {clock.pairs.data(), clock.pairs.size() * sizeof(file::host_clock_pair)}});
  }

  void write_snapshot(file::snapshot_info info) {
    info.fixed_bytes = sizeof(info);
    write_chunk(file::chunk_snapshot, {view_of(info)});
  }

  void write_sites(const site_table_content& table) {
    const file::site_table head{sizeof(file::site_table), table.id, static_cast<u32>(table.sites.size()), 0};
    std::string entries;
    for (const site_content& site : table.sites) {
      file::site_info info{};
      info.fixed_bytes = sizeof(info);
      info.line = site.line;
      info.address = site.address;
      info.kind = static_cast<u32>(site.kind);
      info.name_bytes = static_cast<u32>(site.name.size());
      info.file_bytes = static_cast<u32>(site.file.size());
      entries.append(reinterpret_cast<const char*>(&info), sizeof(info));
      entries.append(site.name).append(site.file);
      entries.append(padding_of(entries.size()), '\0');
    }
    write_chunk(file::chunk_sites, {view_of(head), {entries.data(), entries.size()}});
  }

  void write_launch(const launch_content& launch) {
    file::launch_info info = launch.info;
    info.fixed_bytes = sizeof(info);
    info.name_bytes = static_cast<u32>(launch.name.size());
    write_chunk(file::chunk_launch, {view_of(info), {launch.name.data(), launch.name.size()}});
  }

  void write_faults(const launch_content& launch) {
    const file::fault_table head{sizeof(file::fault_table), launch.info.id, static_cast<u32>(launch.faults.size()),
                                 launch.fault_head.dropped};
    write_chunk(file::chunk_faults,
                {view_of(head), {launch.faults.data(), launch.faults.size() * sizeof(file::fault_info)}});
  }

  void write_rings(const launch_content& launch) {
    const record* records = launch.records.data();
    for (std::size_t first = 0; first < launch.warps.size();) {
      std::size_t last = first;
      std::size_t record_count = 0;
      while (last < launch.warps.size() &&
             record_count * sizeof(record) + (last - first) * sizeof(warp_header) < ring_group_bytes)
        record_count += launch.warps[last++].kept;
      const file::ring_group group{sizeof(file::ring_group), launch.info.id, static_cast<u32>(last - first), 0,
                                   record_count};
      write_chunk(file::chunk_rings, {view_of(group),
                                      {launch.warps.data() + first, (last - first) * sizeof(warp_header)},
                                      {records, record_count * sizeof(record)}});
      records += record_count;
      first = last;
    }
  }

  static std::size_t padding_of(std::size_t size) { return (8 - size % 8) % 8; }

  void write_chunk(u32 type, std::initializer_list<byte_view> pieces) {
    file::chunk_header header{};
    header.marker = file::chunk_marker;
    header.type = type;
    for (const byte_view& piece : pieces) {
      header.payload_bytes += piece.size;
      header.payload_crc = crc32c(piece.data, piece.size, header.payload_crc);
    }
    header.header_crc = crc32c(&header, offsetof(file::chunk_header, header_crc));
    sink_(&header, sizeof(header));
    for (const byte_view& piece : pieces)
      if (piece.size != 0) sink_(piece.data, piece.size);
    static constexpr char zeros[8] = {};
    if (const std::size_t padding = padding_of(header.payload_bytes); padding != 0) sink_(zeros, padding);
    ++chunk_count_;
  }

  Sink& sink_;
  u32 chunk_count_ = 0;
};

/// Writes `content` through `sink`; see `trace_serializer`.
template <class Sink>
void serialize_trace(const trace_content& content, Sink& sink) {
  trace_serializer<Sink>(sink).write(content);
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
