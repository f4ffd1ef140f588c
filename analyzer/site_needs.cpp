// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "site_needs.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include <iket/site.hpp>

namespace iket::analysis {
namespace {

constexpr std::uint32_t any_kind = ~0U;

std::uint32_t bit_of(site_kind kind) { return 1U << static_cast<std::uint32_t>(kind); }

/// The kinds of sites that a record may refer to, as bits.
std::uint32_t kinds_for(record_kind kind) {
  if (kind == record_kind::mark) return bit_of(site_kind::mark);
  if (kind == record_kind::counter) return bit_of(site_kind::counter);
  return bit_of(site_kind::work) | bit_of(site_kind::wait);
}

void add(std::uint64_t address, std::uint32_t kinds, module_needs& to) {
  const auto [at, is_new] = to.sites.try_emplace(address, module_needs::need{kinds, nullptr});
  if (!is_new) at->second.kinds &= kinds;
}

void collect_warps(const launch_view& launch, table_needs& to) {
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    module_needs& needs = to[header.anchor];
    needs.anchor = header.anchor;
    needs.has_base = (header.flags & warp_anchor_is_base) != 0;
    const auto add_site = [&](std::uint32_t bits, std::uint32_t kinds) {
      add(iket::detail::site_address(header.anchor, header.flags, bits), kinds, needs);
    };
    if (header.role != 0) add_site(site_bits_of(header.role), bit_of(site_kind::role));
    std::uint32_t last = 0;  // records of a site come in pairs
    for (std::size_t i = 0; i < warp.records.size(); ++i) {
      const std::uint32_t tag = warp.records[i].tag;
      const record_kind kind = kind_of(tag);
      if (!has_site(kind) || tag == last) continue;
      last = tag;
      add_site(site_bits_of(tag), kinds_for(kind));
    }
  }
}

void collect_faults(const launch_view& launch, table_needs& to) {
  if (launch.faults.empty()) return;
  using place = std::array<std::uint32_t, 4>;
  std::map<place, std::uint64_t> anchors;
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    anchors.try_emplace(place{header.cta[0], header.cta[1], header.cta[2], header.warp}, header.anchor);
  }
  for (const file::fault_info& fault : launch.faults) {
    if (fault.site == 0) continue;
    const auto warp = anchors.find(place{fault.cta[0], fault.cta[1], fault.cta[2], fault.warp});
    const std::uint64_t anchor = warp != anchors.end() ? warp->second : fault.site;
    module_needs& needs = to[anchor];
    needs.anchor = anchor;
    add(fault.site, any_kind, needs);
  }
}

/// Looks up in the file's own table what it has.
void mark_known(const site_table_view* table, module_needs& of) {
  for (auto& [address, need] : of.sites) {
    if (table != nullptr) {
      const auto at =
          std::lower_bound(table->sites.begin(), table->sites.end(), address,
                           [](const site_view& site, std::uint64_t wanted) { return site.address < wanted; });
      if (at != table->sites.end() && at->address == address) need.known = &*at;
    }
    of.lacking += need.known == nullptr;
  }
}

}  // namespace

std::map<index, table_needs> site_needs_of(const trace_view& view) {
  std::map<index, table_needs> result;
  for (const launch_view& launch : view.launches) {
    collect_warps(launch, result[launch.sites]);
    collect_faults(launch, result[launch.sites]);
  }
  for (auto& [number, modules] : result)
    for (auto& [anchor, needs] : modules) mark_known(number == none ? nullptr : &view.site_tables[number], needs);
  return result;
}

bool same_content(const site_view& a, const site_view& b) {
  return std::tie(a.kind, a.line, a.name, a.file) == std::tie(b.kind, b.line, b.name, b.file);
}

}  // namespace iket::analysis
