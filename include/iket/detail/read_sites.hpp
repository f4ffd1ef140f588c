// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Reads the sites that records refer to out of the loaded modules.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/record.hpp>
#include <iket/site.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

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

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
