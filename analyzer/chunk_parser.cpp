// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chunk_parser.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "limits.hpp"
#include "selection.hpp"

namespace iket::analysis {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What format 1.0 had of a launch.
constexpr std::size_t first_launch_bytes = offsetof(file::launch_info, warp_mask);
static_assert(first_launch_bytes == 120, "part of the file format");

/// Takes a chunk's payload from the front to the back.
class payload_reader {
 public:
  payload_reader(const chunk& from, damage_list& damages) : chunk_(from), damages_(damages), rest_(from.payload) {}

  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  /// Takes a struct whose first member is its size. A longer one is of a newer version: what `T` lacks is skipped. One
  /// shorter than `T` is of an older version, which had `least` bytes at first: `value` keeps what it is behind those
  /// that there are.
  template <class T>
  [[nodiscard]] bool take_fixed(T& value, std::size_t least = sizeof(T)) {
    if (rest_.size() < least) return fail("expected a fixed part of " + std::to_string(least) + " bytes");
    const auto fixed_bytes = load<std::uint32_t>(rest_.data());
    if (fixed_bytes < least || fixed_bytes > rest_.size())
      return fail("expected a fixed part of at least " + std::to_string(least) + " bytes, found " +
                  std::to_string(fixed_bytes));
    std::memcpy(&value, rest_.data(), std::min<std::size_t>(fixed_bytes, sizeof(T)));
    rest_ = rest_.subspan(fixed_bytes);
    return true;
  }

  [[nodiscard]] bool take(std::uint64_t count, std::span<const std::byte>& bytes) {
    if (count > rest_.size())
      return fail("expected " + std::to_string(count) + " bytes, found " + std::to_string(rest_.size()));
    bytes = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(bytes.size());
    return true;
  }

  [[nodiscard]] bool take_text(std::uint32_t count, std::string_view& text) {
    std::span<const std::byte> bytes;
    if (!take(count, bytes)) return false;
    text = text_of(bytes);
    if (text.size() <= limits::name_bytes) return true;
    text = text.substr(0, limits::name_bytes);
    // Not in the middle of a character.
    for (int i = 0; i < 3 && (static_cast<unsigned char>(bytes[text.size()]) & 0xC0) == 0x80; ++i)
      text.remove_suffix(1);
    damages_.cut_name();
    return true;
  }

  /// Lists what is wrong at the current place; false, for returning.
  bool fail(const std::string& text) {
    const std::size_t taken = chunk_.payload.size() - rest_.size();
    damages_.malformed(chunk_.offset + sizeof(file::chunk_header) + taken,
                       text + " in a chunk of type " + chunk_name(chunk_.type));
    return false;
  }

 private:
  const chunk& chunk_;
  damage_list& damages_;
  std::span<const std::byte> rest_;
};

/// Takes `count` entries, which are all that is left.
template <class Entry>
bool take_entries(payload_reader& reader, std::uint32_t count, const char* name, std::vector<Entry>& entries) {
  if (reader.left() != std::uint64_t{count} * sizeof(Entry))
    return reader.fail("expected " + std::to_string(count) + " " + name + ", found " + std::to_string(reader.left()) +
                       " bytes");
  std::span<const std::byte> bytes;
  if (!reader.take(reader.left(), bytes)) return false;
  entries.reserve(count);
  for (; !bytes.empty(); bytes = bytes.subspan(sizeof(Entry))) entries.push_back(load<Entry>(bytes.data()));
  return true;
}

bool take_site(payload_reader& reader, site_view& site) {
  file::site_info info{};
  if (!reader.take_fixed(info) || !reader.take_text(info.name_bytes, site.name) ||
      !reader.take_text(info.file_bytes, site.file))
    return false;
  const std::uint64_t size = std::uint64_t{info.fixed_bytes} + info.name_bytes + info.file_bytes;
  std::span<const std::byte> padding;
  if (!reader.take((8 - size % 8) % 8, padding)) return false;
  site.address = info.address;
  site.kind = info.kind;
  site.line = info.line;
  return true;
}

void sort_by_address(std::vector<site_view>& sites, const chunk& from, damage_list& damages) {
  const auto before = [](const site_view& a, const site_view& b) { return a.address < b.address; };
  const auto same = [](const site_view& a, const site_view& b) { return a.address == b.address; };
  std::stable_sort(sites.begin(), sites.end(), before);
  const auto end = std::unique(sites.begin(), sites.end(), same);
  if (end != sites.end())
    damages.malformed(from.offset, "expected sites of different addresses; of equal ones the first is taken");
  sites.erase(end, sites.end());
}

/// True where the product of three sizes is in [1, most].
bool is_size(const std::uint32_t (&size)[3], std::uint64_t most = 0xFFFFFFFFu) {
  const std::uint64_t area = std::uint64_t{size[0]} * size[1];
  return area != 0 && size[2] != 0 && area <= most / size[2];
}

}  // namespace

std::optional<device_view> parse_device(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  device_view device;
  if (!reader.take_fixed(device.info) || !reader.take_text(device.info.name_bytes, device.name)) return std::nullopt;
  return device;
}

std::optional<file::calibration_info> parse_calibration(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  file::calibration_info info{};
  if (!reader.take_fixed(info)) return std::nullopt;
  return info;
}

std::optional<host_clock_view> parse_host_clock(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  host_clock_view clock;
  if (!reader.take_fixed(clock.info)) return std::nullopt;
  if (!take_entries(reader, clock.info.pair_count, "clock pairs", clock.pairs)) return std::nullopt;
  for (const file::host_clock_pair& pair : clock.pairs)
    if (pair.host_after_ns < pair.host_before_ns) {
      reader.fail("expected clock pairs that end behind their beginning");
      return std::nullopt;
    }
  return clock;
}

std::optional<file::snapshot_info> parse_snapshot(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  file::snapshot_info info{};
  if (!reader.take_fixed(info)) return std::nullopt;
  constexpr std::uint64_t longest_ns = 3'600'000'000'000;  // the copying of a snapshot takes seconds
  if (info.host_end_ns < info.host_begin_ns || info.host_end_ns - info.host_begin_ns > longest_ns) {
    reader.fail("expected a snapshot that ends behind its beginning, within an hour");
    return std::nullopt;
  }
  return info;
}

std::optional<site_table_view> parse_sites(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  file::site_table head{};
  if (!reader.take_fixed(head)) return std::nullopt;
  site_table_view table;
  table.id = head.id;
  table.sites.reserve(std::min<std::size_t>(head.site_count, reader.left() / sizeof(file::site_info)));
  for (std::uint32_t i = 0; i < head.site_count; ++i) {
    site_view site;
    if (!take_site(reader, site)) break;
    table.sites.push_back(site);
  }
  sort_by_address(table.sites, from, damages);
  return table;
}

std::optional<launch_facts> parse_launch(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  launch_facts launch;
  launch.info.warp_mask = all_warps;
  for (std::uint32_t& size : launch.info.cluster) size = 1;
  const file::launch_info& info = launch.info;
  const auto refuse = [&](const char* text) {
    reader.fail(text);
    return std::nullopt;
  };
  if (!reader.take_fixed(launch.info, first_launch_bytes) || !reader.take_text(info.name_bytes, launch.name))
    return std::nullopt;
  if (!is_size(info.grid)) return refuse("expected a grid of 1 to 2^32 - 1 CTAs");
  if (!is_size(info.block)) return refuse("expected a block of 1 to 2^32 - 1 threads");
  if (!is_size(info.cluster, limits::ctas_of_cluster)) return refuse("expected a cluster of 1 to 64 CTAs");
  if (info.warps_per_cta == 0) return refuse("expected at least one warp in a CTA");
  if (info.cta_stride == 0) return refuse("expected a CTA stride of at least 1");
  if (!std::has_single_bit(info.records_per_warp)) return refuse("expected a ring capacity that is a power of two");
  return launch;
}

std::optional<fault_table_view> parse_faults(const chunk& from, damage_list& damages) {
  payload_reader reader(from, damages);
  fault_table_view table;
  if (!reader.take_fixed(table.head) || !take_entries(reader, table.head.fault_count, "faults", table.faults))
    return std::nullopt;
  return table;
}

std::optional<ring_group_view> parse_rings(const chunk& from, std::size_t warp_header_bytes, damage_list& damages) {
  payload_reader reader(from, damages);
  file::ring_group head{};
  if (!reader.take_fixed(head)) return std::nullopt;
  std::span<const std::byte> headers;
  if (!reader.take(std::uint64_t{head.warp_count} * warp_header_bytes, headers)) return std::nullopt;
  if (reader.left() % sizeof(record) != 0 || head.record_count != reader.left() / sizeof(record)) {
    reader.fail("expected " + std::to_string(head.record_count) + " records, found " + std::to_string(reader.left()) +
                " bytes");
    return std::nullopt;
  }
  std::span<const std::byte> records;
  if (!reader.take(reader.left(), records)) return std::nullopt;

  ring_group_view group;
  group.launch = head.launch;
  group.warps.reserve(head.warp_count);
  std::size_t first = 0;  // record of the next warp
  for (std::size_t i = 0; i < head.warp_count; ++i) {
    const std::byte* const header = headers.data() + i * warp_header_bytes;
    const std::size_t kept = load<warp_header>(header).kept;
    if (kept > head.record_count - first) {
      reader.fail("expected rings of " + std::to_string(head.record_count) + " records together, found more");
      return std::nullopt;
    }
    group.warps.push_back({header, record_view(records.data() + first * sizeof(record), kept)});
    first += kept;
  }
  if (first != head.record_count) {
    reader.fail("expected rings of " + std::to_string(head.record_count) + " records together, found " +
                std::to_string(first));
    return std::nullopt;
  }
  return group;
}

}  // namespace iket::analysis
