// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "trace_reader.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <iket/detail/crc32c.hpp>

#include "chunk_parser.hpp"
#include "chunk_walker.hpp"
#include "damage_list.hpp"
#include "launch_check.hpp"
#include "limits.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint32_t swapped_byte_order_mark = 0x04030201u;

read_error unsupported(std::string text) { return {read_error_kind::unsupported_version, 0, std::move(text)}; }

/// Reads the file header. One whose checksum is wrong is taken for one of this version: every chunk is checked by
/// itself, so a flipped bit here need not cost the file.
std::optional<read_error> read_header(std::span<const std::byte> bytes, file::file_header& header,
                                      damage_list& damages) {
  if (bytes.size() < sizeof(file::magic) || std::memcmp(bytes.data(), file::magic, sizeof(file::magic)) != 0)
    return read_error{read_error_kind::not_iket, 0, "it does not begin with \"IKETRACE\""};
  if (bytes.size() < sizeof(header))
    return read_error{read_error_kind::truncated, 0,
                      "expected a file header of " + std::to_string(sizeof(header)) + " bytes, found " +
                          std::to_string(bytes.size())};
  header = load<file::file_header>(bytes.data());
  if (header.byte_order == swapped_byte_order_mark)
    return unsupported("the file was written by a big-endian machine; this program reads little-endian files");
  if (header.header_crc != iket::detail::crc32c(&header, offsetof(file::file_header, header_crc))) {
    damages.malformed(0, "expected a file header of right checksum; it is taken for one of version " +
                             std::to_string(IKET_FORMAT_VERSION_MAJOR) + "." +
                             std::to_string(IKET_FORMAT_VERSION_MINOR));
    header.version_major = IKET_FORMAT_VERSION_MAJOR;
    header.version_minor = IKET_FORMAT_VERSION_MINOR;
    header.record_bytes = sizeof(record);
    header.warp_header_bytes = sizeof(warp_header);
    return std::nullopt;
  }
  if (header.version_major != IKET_FORMAT_VERSION_MAJOR)
    return unsupported("the file has format " + std::to_string(header.version_major) + "." +
                       std::to_string(header.version_minor) + "; this program reads format " +
                       std::to_string(IKET_FORMAT_VERSION_MAJOR) + ".x" +
                       (header.version_major > IKET_FORMAT_VERSION_MAJOR ? ": use a newer iket-analyze" : ""));
  if (header.byte_order != file::byte_order_mark || header.record_bytes != sizeof(record) ||
      header.warp_header_bytes < sizeof(warp_header) || header.warp_header_bytes > 65536)
    return read_error{read_error_kind::malformed, 12,
                      "expected byte order 0x01020304, records of 8 bytes and warp headers of at least 128"};
  return std::nullopt;
}

/// Turns chunks into the view, in file order.
class view_builder {
 public:
  view_builder(trace_view& view, damage_list& damages) : view_(view), damages_(damages) {}

  void add(const chunk& from) {
    switch (from.type) {
      case file::chunk_device:
        if (view_.devices.size() == limits::devices)
          damages_.malformed(from.offset, "expected at most " + std::to_string(limits::devices) + " devices");
        else if (std::optional<device_view> device = parse_device(from, damages_))
          if (is_first(devices_, device->info.id, view_.devices.size(), from)) view_.devices.push_back(*device);
        break;
      case file::chunk_calibration:
        if (const std::optional<file::calibration_info> info = parse_calibration(from, damages_))
          if (is_first(calibrated_, info->device, calibrations_.size(), from))
            calibrations_.push_back({*info, from.offset});
        break;
      case file::chunk_host_clock:
        if (std::optional<host_clock_view> clock = parse_host_clock(from, damages_))
          if (is_first(host_timed_, clock->info.device, host_clocks_.size(), from))
            host_clocks_.push_back({std::move(*clock), from.offset});
        break;
      case file::chunk_snapshot:
        if (const std::optional<file::snapshot_info> info = parse_snapshot(from, damages_))
          if (is_first(looked_at_, info->device, snapshots_.size(), from)) snapshots_.push_back({*info, from.offset});
        break;
      case file::chunk_sites:
        if (std::optional<site_table_view> table = parse_sites(from, damages_))
          if (is_first(tables_, table->id, view_.site_tables.size(), from))
            view_.site_tables.push_back(std::move(*table));
        break;
      case file::chunk_launch:
        add_launch(from);
        break;
      case file::chunk_rings:
        if (std::optional<ring_group_view> group = parse_rings(from, view_.header.warp_header_bytes, damages_)) {
          std::vector<warp_view>& warps = view_.launches[slot_of(group->launch, from)].warps;
          warps.insert(warps.end(), group->warps.begin(), group->warps.end());
        }
        break;
      case file::chunk_faults:
        if (std::optional<fault_table_view> table = parse_faults(from, damages_))
          if (is_first(faulty_, table->head.launch, faults_.size(), from))
            faults_.push_back({std::move(*table), from.offset});
        break;
      default:
        break;  // of a newer minor version
    }
  }

  void finish() {
    place_calibrations();
    place_host_clocks();
    place_snapshots();
    place_faults();
    for (std::size_t i = 0; i < view_.launches.size(); ++i) {
      launch_view& launch = view_.launches[i];
      if (launch.facts_lost)
        damages_.malformed(offsets_[i],
                           "expected a launch chunk for the rings of launch " + std::to_string(launch.info.id));
      launch.device = find(devices_, launch.info.device, launch.facts_lost, view_.devices.size());
      launch.sites = find(tables_, launch.info.sites, launch.facts_lost, view_.site_tables.size());
      if (launch.device == none)
        damages_.malformed(offsets_[i], "expected a device chunk for launch " + std::to_string(launch.info.id));
      if (launch.sites == none)
        damages_.malformed(offsets_[i], "expected a site table for launch " + std::to_string(launch.info.id) +
                                            "; its sites have no names");
      check_warps(launch, offsets_[i], damages_);
    }
  }

 private:
  using index_of_id = std::unordered_map<std::uint32_t, index>;

  /// What came in a chunk that belongs to another one.
  template <class Content>
  struct part {
    Content content;
    std::uint64_t offset = 0;
  };

  void place_calibrations() {
    for (const auto& [info, offset] : calibrations_) {
      const auto at = devices_.find(info.device);
      if (at != devices_.end())
        view_.devices[at->second].calibration = info;
      else
        damages_.malformed(offset,
                           "expected a device chunk for the calibration of device " + std::to_string(info.device));
    }
  }

  void place_host_clocks() {
    for (auto& [clock, offset] : host_clocks_) {
      const auto at = devices_.find(clock.info.device);
      if (at != devices_.end())
        view_.devices[at->second].host_clock = std::move(clock);
      else
        damages_.malformed(offset,
                           "expected a device chunk for the host clock of device " + std::to_string(clock.info.device));
    }
  }

  void place_snapshots() {
    for (const auto& [info, offset] : snapshots_) {
      const auto at = devices_.find(info.device);
      if (at != devices_.end())
        view_.devices[at->second].snapshot = info;
      else
        damages_.malformed(offset, "expected a device chunk for the snapshot of device " + std::to_string(info.device));
    }
  }

  void place_faults() {
    for (auto& [table, offset] : faults_) {
      const auto at = launches_.find(table.head.launch);
      if (at == launches_.end()) {
        damages_.malformed(offset, "expected a launch chunk for the faults of launch " +
                                       std::to_string(table.head.launch) + ", which are left out");
        continue;
      }
      view_.launches[at->second].faults = std::move(table.faults);
      view_.launches[at->second].faults_dropped = table.head.dropped;
    }
  }

  bool is_first(index_of_id& ids, std::uint32_t id, std::size_t position, const chunk& from) {
    if (ids.emplace(id, static_cast<index>(position)).second) return true;
    damages_.malformed(from.offset, "expected one chunk of type " + chunk_name(from.type) + " with id " +
                                        std::to_string(id) + "; only the first is taken");
    return false;
  }

  /// Where the launch with `id` is in the view; it is made there if it is new.
  std::size_t slot_of(std::uint32_t id, const chunk& from) {
    const auto [at, is_new] = launches_.emplace(id, static_cast<index>(view_.launches.size()));
    if (is_new) {
      launch_view launch;
      launch.info.id = id;
      launch.facts_lost = true;
      view_.launches.push_back(std::move(launch));
      offsets_.push_back(from.offset);
    }
    return at->second;
  }

  void add_launch(const chunk& from) {
    const std::optional<launch_facts> facts = parse_launch(from, damages_);
    if (!facts) return;
    launch_view& launch = view_.launches[slot_of(facts->info.id, from)];
    if (!launch.facts_lost) {
      damages_.malformed(from.offset, "expected one chunk of type " + chunk_name(from.type) + " with id " +
                                          std::to_string(facts->info.id) + "; only the first is taken");
      return;
    }
    launch.info = facts->info;
    launch.name = facts->name;
    launch.facts_lost = false;
  }

  /// The index of `id`. Of a launch whose facts are lost: the only one that there is.
  static index find(const index_of_id& ids, std::uint32_t id, bool unknown, std::size_t count) {
    if (unknown) return count == 1 ? 0 : none;
    const auto at = ids.find(id);
    return at == ids.end() ? none : at->second;
  }

  trace_view& view_;
  damage_list& damages_;
  index_of_id devices_;
  index_of_id tables_;
  index_of_id launches_;
  index_of_id calibrated_;  // by device
  index_of_id host_timed_;  // by device
  index_of_id looked_at_;   // by device
  index_of_id faulty_;      // by launch
  std::vector<part<file::calibration_info>> calibrations_;
  std::vector<part<host_clock_view>> host_clocks_;
  std::vector<part<file::snapshot_info>> snapshots_;
  std::vector<part<fault_table_view>> faults_;
  std::vector<std::uint64_t> offsets_;  // of the first chunk of each launch
};

}  // namespace

std::variant<trace_view, read_error> read_trace(std::span<const std::byte> bytes) {
  trace_view view;
  damage_list damages;
  if (std::optional<read_error> error = read_header(bytes, view.header, damages)) return std::move(*error);
  view_builder builder(view, damages);
  for (const chunk& found : find_chunks(bytes, damages)) builder.add(found);
  builder.finish();
  view.cut_names = damages.cut_names();
  view.damages = damages.take();
  if (view.launches.empty() && !view.damages.empty()) return view.damages.front();
  return view;
}

}  // namespace iket::analysis
