// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Copies what the warps of a launch wrote from device memory into a `launch_content`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <unordered_set>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/site.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// A launch that a tracer was handed out for and that was not drained yet.
struct pending_launch {
  launch_content content;             ///< without warps and records
  iket::tracer tracer;                ///< inert: nothing to drain
  std::shared_ptr<event_pair> timed;  ///< around the launch, where `iket::launch` made it
};

/// The most records that a ring can hold.
inline u32 kept_at_most(const warp_header& header, u32 capacity) {
  return header.closed != 0 ? std::min(header.written, capacity) : capacity;
}

/// Records of a ring that was never closed, or that keeps the first events whole: up to the first that was never
/// written.
inline u32 count_written(const record* ring, u32 capacity) {
  u32 count = 0;
  while (count < capacity && kind_of(ring[count].tag) != record_kind::none) ++count;
  return count;
}

/// What the launch's recorders told besides their rings.
inline void take_head(const launch_head& head, launch_content& content) {
  content.info.recorders_refused = head.refused;
  std::copy_n(head.grid, 3, content.info.refused_grid);
  std::copy_n(head.block, 3, content.info.refused_block);
  if (head.checked != 0) content.info.flags |= file::launch_checked;
  content.faults.clear();
  for (const fault_entry& entry : head.faults) {
    if (entry.key == 0) continue;
    file::fault_info fault{};
    fault.site = entry.key & ~u64{15};
    fault.kind = static_cast<file::fault_kind>(entry.key & 15);
    fault.count = entry.count;
    std::copy_n(entry.cta, 3, fault.cta);
    fault.warp = entry.warp;
    content.faults.push_back(fault);
  }
  content.fault_head.dropped = head.dropped;
}

/// Fills in what `pending.tracer`'s launch left in `memory`. The kernel has ended.
inline void drain_launch(device_memory& memory, pending_launch& pending) {
  const iket::tracer& tracer = pending.tracer;
  launch_content& content = pending.content;
  content.warps.clear();
  content.records.clear();
  if (tracer.first_ring == 0) return;

  launch_head head{};
  memory.read_rows(tracer.head, sizeof(head), sizeof(head), 1,
                   [&](std::size_t, const void* data) { std::memcpy(&head, data, sizeof(head)); });
  take_head(head, content);

  const u32 capacity = (tracer.ring_mask + 1) / 8;
  const std::size_t slot_count = std::size_t{content.info.ctas_traced} * tracer.warps_per_cta;
  std::vector<std::size_t> opened;  // slots of content.warps
  u32 most_kept = 0;
  std::size_t all_kept = 0;
  memory.read_rows(tracer.first_header, sizeof(warp_header), sizeof(warp_header), slot_count,
                   [&](std::size_t slot, const void* data) {
                     device_header found;
                     std::memcpy(&found, data, sizeof(found));
                     if (found.opened == 0) return;
                     warp_header header = unpack(found);
                     if ((header.flags & warp_keep_first) != 0) content.info.flags |= file::launch_keep_first;
                     header.kept = kept_at_most(header, capacity);
                     most_kept = std::max(most_kept, header.kept);
                     all_kept += header.kept;
                     content.warps.push_back(header);
                     opened.push_back(slot);
                   });
  content.info.warps_opened = static_cast<u32>(content.warps.size());

  // One copy of many rows, as wide as the fullest ring; slots that no warp opened come along and are passed over.
  content.records.reserve(all_kept);
  std::size_t next = 0;
  memory.read_rows(tracer.first_ring, tracer.ring_stride, most_kept * sizeof(record), slot_count,
                   [&](std::size_t slot, const void* data) {
                     if (next == opened.size() || opened[next] != slot) return;
                     warp_header& header = content.warps[next++];
                     const auto* ring = static_cast<const record*>(data);
                     if (header.closed == 0 || (header.flags & warp_keep_first) != 0)
                       header.kept = count_written(ring, header.kept);
                     content.records.insert(content.records.end(), ring, ring + header.kept);
                   });
}

/// Addresses of the sites that a launch's records, roles and faults refer to; see `site_address`.
inline void collect_site_addresses(const launch_content& content, std::unordered_set<u64>& addresses) {
  const record* at = content.records.data();
  for (const warp_header& header : content.warps) {
    const auto add = [&](u32 site) { addresses.insert(site_address(header.anchor, header.flags, site)); };
    if (header.role != 0) add(site_bits_of(header.role));
    u32 last = 1;  // no site's bits; most records repeat a site of the records just before them
    for (const record* const end = at + header.kept; at != end; ++at) {
      const u32 site = site_bits_of(at->tag);
      if (site == last || !has_site(kind_of(at->tag))) continue;
      add(site);
      last = site;
    }
  }
  for (const file::fault_info& fault : content.faults)
    if (fault.site != 0) addresses.insert(fault.site);
}

/// Reads one site, through its reference at `address`. False where there is none.
inline bool read_site(device_memory& memory, u64 address, site_content& site) {
  site_reference reference{};
  if (!memory.try_read(address, &reference, sizeof(reference))) return false;
  const u64 target = reinterpret_cast<u64>(reference.target);
  site_prefix prefix{};
  if (!memory.try_read(target, &prefix, sizeof(prefix))) return false;
  if (prefix.magic != site_magic || prefix.version != site_version) return false;
  // Both texts with their terminators.
  std::string text(std::size_t{prefix.name_bytes} + prefix.file_bytes + 2, '\0');
  if (!memory.try_read(target + sizeof(prefix), text.data(), text.size())) return false;
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
