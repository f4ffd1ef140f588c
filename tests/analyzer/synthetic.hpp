// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Trace files from simple descriptions: a plain model of what warps record, and the real serializer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <iket/detail/trace_serializer.hpp>
#include <iket/record.hpp>

namespace synthetic {

using iket::payload_type;
using iket::record_kind;

/// Where the sites of these files lie; the low halves of addresses are not to be taken for addresses.
inline constexpr std::uint64_t module_address = 0x7F3A'FFFF'F000u;

/// The address of the n-th site. Some lie above, some below a multiple of 2^32.
constexpr std::uint64_t site_address(std::uint32_t n) { return module_address + std::uint64_t{n} * 0x400; }

constexpr std::uint32_t site_bits(std::uint32_t n) { return static_cast<std::uint32_t>(site_address(n)); }

/// Every record that a warp ever wrote, in order.
class warp_log {
 public:
  /// Writes an event; returns its count. `site` as `site_bits` gives it.
  std::uint32_t event(record_kind kind, std::uint32_t site, std::uint64_t cycles) {
    records.push_back({static_cast<std::uint32_t>(cycles), site | static_cast<std::uint32_t>(kind)});
    return static_cast<std::uint32_t>(records.size() - 1);
  }

  std::uint32_t event(record_kind kind, std::uint32_t site, std::uint64_t cycles, payload_type type,
                      std::uint64_t bits) {
    const std::uint32_t count = event(kind, site, cycles);
    const std::uint32_t tag = static_cast<std::uint32_t>(type) * 16 + 15;
    records.push_back({static_cast<std::uint32_t>(bits), tag});
    const bool is_long = type == payload_type::i64 || type == payload_type::u64 || type == payload_type::f64;
    if (is_long) records.push_back({static_cast<std::uint32_t>(bits >> 32), tag + 256});
    return count;
  }

  void end_token(std::uint32_t begin_count, std::uint64_t cycles, std::uint32_t site = 0) {
    event(record_kind::token_end, site, cycles, payload_type::u32, begin_count);
  }

  void sync(std::uint64_t cycles, std::uint64_t globaltimer_ns) {
    event(record_kind::sync, 0, cycles, payload_type::u64, globaltimer_ns);
  }

  /// What is in a ring of `capacity` that keeps the first records: events go in whole or not at all.
  [[nodiscard]] std::vector<iket::record> first(std::size_t capacity) const {
    std::size_t kept = 0;
    for (std::size_t next = 0; next < records.size(); kept = next) {
      for (++next; next < records.size() && iket::kind_of(records[next].tag) == record_kind::payload;) ++next;
      if (next > capacity) break;
    }
    return {records.begin(), records.begin() + static_cast<std::ptrdiff_t>(kept)};
  }

  /// What is in a ring of `capacity` afterwards, as it lies in memory.
  [[nodiscard]] std::vector<iket::record> ring(std::size_t capacity) const {
    std::vector<iket::record> memory(capacity, iket::record{0, 0});
    for (std::size_t i = 0; i < records.size(); ++i) memory[i % capacity] = records[i];
    return memory;
  }

  std::vector<iket::record> records;
};

/// A warp with its log. `closed` false: it hung after the last record.
struct warp {
  std::uint32_t cta = 0;  // blockIdx.x
  std::uint32_t number = 0;
  std::uint32_t sm = 0;
  iket::clock_pair open{1000, 1'700'000'000'000'000'000};
  iket::clock_pair close{101'000, 1'700'000'000'000'050'000};
  bool closed = true;
  std::uint32_t role = 0;  // site bits
  warp_log log{};
};

/// The header and the ring of a warp as a drain finds them.
struct drained {
  iket::warp_header header{};
  std::vector<iket::record> ring;
};

inline drained drain(const warp& from, std::uint32_t capacity, bool keep_first = false) {
  drained to;
  to.header.cta[0] = from.cta;
  to.header.warp = from.number;
  to.header.anchor = module_address;
  to.header.cluster_dims = 0x010101;
  to.header.open = from.open;
  to.header.open_sm = from.sm;
  to.header.role = from.role == 0 ? 0 : from.role | 1;
  to.header.opened = 1;
  to.ring = keep_first ? from.log.first(capacity) : from.log.ring(capacity);
  if (from.closed) {
    to.header.close = from.close;
    to.header.close_sm = from.sm;
    to.header.written = static_cast<std::uint32_t>(from.log.records.size());
    to.header.closed = 1;
  }
  if (!keep_first) to.ring.resize(std::min<std::size_t>(capacity, from.log.records.size()));
  to.header.kept = static_cast<std::uint32_t>(to.ring.size());
  return to;
}

/// A file with one device, one site table and any number of launches.
class trace {
 public:
  trace() {
    iket::detail::device_content device;
    for (unsigned char i = 0; i < 16; ++i) device.info.uuid[i] = static_cast<unsigned char>(i * 16 + i);
    device.info.sm_count = 132;
    device.info.compute_major = 9;
    device.info.rated_clock_khz = 1'980'000;
    device.name = "Synthetic GPU";
    content.devices.push_back(device);
    content.site_tables.emplace_back();
  }

  /// Adds a site; returns its bits.
  std::uint32_t site(iket::site_kind kind, std::string name, std::string file = "kernel.cu", std::uint32_t line = 10) {
    auto& sites = content.site_tables[0].sites;
    const auto number = static_cast<std::uint32_t>(sites.size());
    sites.push_back({site_address(number), kind, line, std::move(name), std::move(file)});
    return site_bits(number);
  }

  /// As if the session had calibrated the device: costs of 10 cycles and of 20, a tick of 32 ns, 1.98 GHz.
  void calibrate() { content.calibrations.push_back({0, 0, 10'000, 20'000, 32, 1'980'000, {0, 0}}); }

  /// As if the session had read the device's timer at these times [ns from `timer_epoch_ns`], and the host's clock had
  /// been `host_epoch_ns` then and had run at the same rate. Brackets of 2 us; the time of day is the host's clock plus
  /// `realtime_ns`.
  void read_timer(const std::vector<std::uint64_t>& times_ns) {
    if (content.host_clocks.empty()) {
      content.host_clocks.emplace_back();
      for (unsigned char i = 0; i < 16; ++i)
        content.host_clocks[0].info.boot_id[i] = static_cast<unsigned char>(0xF0 - i);
    }
    for (const std::uint64_t ns : times_ns)
      content.host_clocks[0].pairs.push_back({host_epoch_ns + ns - 1000, host_epoch_ns + ns + 1000,
                                              timer_epoch_ns + ns / 32 * 32, static_cast<std::int64_t>(realtime_ns)});
  }
  static constexpr std::uint64_t timer_epoch_ns = 1'700'000'000'000'000'000;
  static constexpr std::uint64_t host_epoch_ns = 123'456'000'000'000;
  static constexpr std::uint64_t realtime_ns = 1'764'000'000'000'000'000;

  /// As if records had been copied from `begin_ns` to `end_ns` while kernels ran [ns, as for `read_timer`].
  void look(std::uint64_t begin_ns, std::uint64_t end_ns) {
    content.snapshots.push_back(
        {0, 0, host_epoch_ns + begin_ns, host_epoch_ns + end_ns, static_cast<std::int64_t>(realtime_ns)});
  }

  /// Adds a fault to the last launch, at a site or at none (0).
  void fault(iket::file::fault_kind kind, std::uint64_t address, std::uint32_t count) {
    iket::file::fault_info info{};
    info.site = address;
    info.kind = kind;
    info.count = count;
    info.cta[0] = 3;
    info.warp = 2;
    content.launches.back().info.flags |= iket::file::launch_checked;
    content.launches.back().faults.push_back(info);
  }

  /// Adds a launch of `warps`; returns its place in `content.launches`.
  std::size_t launch(std::string name, std::uint32_t grid, std::uint32_t warps_per_cta, std::uint32_t capacity,
                     const std::vector<warp>& warps, bool keep_first = false) {
    iket::detail::launch_content to;
    to.name = std::move(name);
    to.info.id = static_cast<std::uint32_t>(content.launches.size());
    for (int axis = 0; axis < 3; ++axis) to.info.grid[axis] = to.info.block[axis] = 1;
    to.info.grid[0] = grid;
    to.info.block[0] = warps_per_cta * 32;
    to.info.cta_stride = 1;
    to.info.warp_mask = 0xFFFFFFFF;
    for (std::uint32_t& size : to.info.cluster) size = 1;
    if (keep_first) to.info.flags = iket::file::launch_keep_first;
    to.info.ctas_traced = grid;
    to.info.warps_per_cta = warps_per_cta;
    to.info.records_per_warp = capacity;
    to.info.warps_opened = static_cast<std::uint32_t>(warps.size());
    for (const warp& from : warps) {
      const drained found = drain(from, capacity, keep_first);
      to.warps.push_back(found.header);
      to.records.insert(to.records.end(), found.ring.begin(), found.ring.end());
    }
    content.launches.push_back(std::move(to));
    return content.launches.size() - 1;
  }

  [[nodiscard]] std::string bytes() const {
    std::string file;
    auto append = [&](const void* data, std::size_t size) { file.append(static_cast<const char*>(data), size); };
    iket::detail::serialize_trace(content, append);
    return file;
  }

  iket::detail::trace_content content;
};

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Which of `parts` are not in `text`, and the text; "" if all are. For checks that say what was there instead.
inline std::string lacking(const std::string& text, const std::vector<std::string>& parts) {
  std::string found;
  for (const std::string& part : parts)
    if (text.find(part) == std::string::npos) found += "no \"" + part + "\" in: " + text + "\n";
  return found;
}

/// A small generator with the same numbers everywhere.
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// In [0, limit).
  std::uint64_t below(std::uint64_t limit) { return (next() >> 16) % limit; }

 private:
  std::uint64_t state_;
};

}  // namespace synthetic
