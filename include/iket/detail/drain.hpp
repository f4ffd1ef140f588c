// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Copies what the warps of a launch wrote from device memory into a `launch_content`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <unordered_set>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/site.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A launch that a tracer was handed out for and that was not drained yet.
struct pending_launch {
  launch_content content;  ///< without warps and records
  iket::tracer tracer;     ///< `first_slot == 0`: nothing to drain
};

/// Records of a closed ring that are still in it.
inline u32 kept_of(const warp_header& header, u32 capacity) {
  return header.closed != 0 ? std::min(header.written, capacity) : capacity;
}

/// Records of a ring that was never closed: up to the first that was never written.
inline u32 count_written(const record* ring, u32 capacity) {
  u32 count = 0;
  while (count < capacity && kind_of(ring[count].tag) != record_kind::none) ++count;
  return count;
}

/// Fills in what `pending.tracer`'s launch left in `memory`. The kernel has ended.
inline void drain_launch(device_memory& memory, pending_launch& pending) {
  const iket::tracer& tracer = pending.tracer;
  launch_content& content = pending.content;
  content.warps.clear();
  content.records.clear();
  if (tracer.first_slot == 0) return;

  refusals refused{};
  memory.read_rows(tracer.refusals, sizeof(refused), sizeof(refused), 1,
                   [&](std::size_t, const void* data) { std::memcpy(&refused, data, sizeof(refused)); });
  content.info.recorders_refused = refused.count;
  std::copy_n(refused.grid, 3, content.info.refused_grid);
  std::copy_n(refused.block, 3, content.info.refused_block);

  const u32 capacity = tracer.record_mask + 1;
  const std::size_t pitch = slot_bytes(capacity);
  const std::size_t slot_count = std::size_t{content.info.ctas_traced} * tracer.warps_per_cta;
  std::vector<std::size_t> opened;  // slots of content.warps
  u32 most_kept = 0;
  std::size_t all_kept = 0;
  memory.read_rows(tracer.first_slot, pitch, sizeof(warp_header), slot_count, [&](std::size_t slot, const void* data) {
    warp_header header;
    std::memcpy(&header, data, sizeof(header));
    if (header.opened == 0) return;
    header.kept = kept_of(header, capacity);
    most_kept = std::max(most_kept, header.kept);
    all_kept += header.kept;
    content.warps.push_back(header);
    opened.push_back(slot);
  });
  content.info.warps_opened = static_cast<u32>(content.warps.size());

  // One copy of many rows, as wide as the fullest ring; slots that no warp opened come along and are passed over.
  content.records.reserve(all_kept);
  std::size_t next = 0;
  memory.read_rows(tracer.first_slot + sizeof(warp_header), pitch, most_kept * sizeof(record), slot_count,
                   [&](std::size_t slot, const void* data) {
                     if (next == opened.size() || opened[next] != slot) return;
                     warp_header& header = content.warps[next++];
                     const auto* ring = static_cast<const record*>(data);
                     if (header.closed == 0) header.kept = count_written(ring, header.kept);
                     content.records.insert(content.records.end(), ring, ring + header.kept);
                   });
}

/// Full device addresses of the sites that a launch's records and roles refer to: a tag has the low 32 bits, the
/// warp's anchor tells the rest, since all of a module lies within 2 GiB.
inline void collect_site_addresses(const launch_content& content, std::unordered_set<u64>& addresses) {
  const record* at = content.records.data();
  for (const warp_header& header : content.warps) {
    const auto add = [&](u32 site) {
      const i64 distance = static_cast<i32>(site - static_cast<u32>(header.anchor));
      addresses.insert(header.anchor + static_cast<u64>(distance));
    };
    if (header.role != 0) add(site_bits_of(header.role));
    u32 last = 1;  // no site's bits; most records repeat a site of the records just before them
    for (const record* const end = at + header.kept; at != end; ++at) {
      const u32 site = site_bits_of(at->tag);
      if (site == last || !has_site(kind_of(at->tag))) continue;
      add(site);
      last = site;
    }
  }
}

/// Reads one site. False where there is none at `address`.
inline bool read_site(device_memory& memory, u64 address, site_content& site) {
  site_prefix prefix{};
  if (!memory.try_read(address, &prefix, sizeof(prefix))) return false;
  if (prefix.magic != site_magic || prefix.version != site_version) return false;
  // Both texts with their terminators.
  std::string text(std::size_t{prefix.name_bytes} + prefix.file_bytes + 2, '\0');
  if (!memory.try_read(address + sizeof(prefix), text.data(), text.size())) return false;
  site.address = address;
  site.kind = prefix.kind;
  site.line = prefix.line;
  site.name = text.substr(0, prefix.name_bytes);
  site.file = text.substr(std::size_t{prefix.name_bytes} + 1, prefix.file_bytes);
  return true;
}

/// Reads every site that the drained launches refer to, sorted by address. Those that cannot be read are left out: the
/// analyzer names them by their address.
inline std::vector<site_content> read_sites(device_memory& memory, const std::vector<pending_launch>& launches) {
  std::unordered_set<u64> addresses;
  for (const pending_launch& launch : launches) collect_site_addresses(launch.content, addresses);
  std::vector<site_content> sites;
  for (const u64 address : addresses)
    if (site_content site; read_site(memory, address, site)) sites.push_back(std::move(site));
  std::sort(sites.begin(), sites.end(),
            [](const site_content& a, const site_content& b) { return a.address < b.address; });
  return sites;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
