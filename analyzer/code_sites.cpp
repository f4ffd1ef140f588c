// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "code_sites.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <iket/site.hpp>

#include "site_catalog.hpp"

namespace iket::analysis {
namespace {

// Constants of a module's own take no more than this: a site further off is of another module.
constexpr std::uint64_t bank_bytes = 65536;

/// What tags of the module with this anchor carry for the site; none where it is of another one.
std::optional<std::uint32_t> bits_of(const site_view& site, const warp_header& of_module) {
  if ((of_module.flags & warp_anchor_is_base) != 0) {
    const std::uint64_t place = site.address - of_module.anchor;
    return place < bank_bytes ? std::optional(static_cast<std::uint32_t>(place)) : std::nullopt;
  }
  const auto bits = static_cast<std::uint32_t>(site.address);
  return detail::site_address(of_module.anchor, of_module.flags, bits) == site.address ? std::optional(bits)
                                                                                       : std::nullopt;
}

}  // namespace

std::shared_ptr<const std::vector<code_site>> code_site_tables::of(const launch_view& launch,
                                                                   const site_table_view& table) {
  if (launch.warps.empty()) return nullptr;
  const warp_header header = launch.warps.front().header();
  auto& known = known_[{table.id, header.anchor}];
  if (known != nullptr) return known;
  std::vector<code_site> sites;
  for (const site_view& site : table.sites) {
    const auto kind = static_cast<site_kind>(site.kind);
    if (kind != site_kind::work && kind != site_kind::wait) continue;
    if (const std::optional<std::uint32_t> bits = bits_of(site, header))
      sites.push_back({*bits, std::string(site.name), stage_kind_of(site.kind), {std::string(site.file), site.line}});
  }
  std::sort(sites.begin(), sites.end(), [](const code_site& a, const code_site& b) { return a.bits < b.bits; });
  known = std::make_shared<const std::vector<code_site>>(std::move(sites));
  return known;
}

}  // namespace iket::analysis
