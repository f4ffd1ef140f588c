// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// All sites that a session has read.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/read_sites.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Reads sites, and keeps them for the time when they cannot be read any more: their module was unloaded, or a kernel
/// failed.
class site_cache {
 public:
  /// Every site that the launches refer to, sorted by address: as it is now, else as it was read last. Those that never
  /// could be read are left out: the analyzer names them by their address.
  [[nodiscard]] std::vector<site_content> read(device_memory& memory, const std::vector<launch_content>& launches) {
    std::unordered_set<u64> addresses;
    for (const launch_content& launch : launches) collect_site_addresses(launch, addresses);
    std::vector<site_content> sites;
    for (const u64 address : addresses) {
      if (site_content site; read_site(memory, address, site)) known_[address] = std::move(site);
      if (const auto at = known_.find(address); at != known_.end()) sites.push_back(at->second);
    }
    std::sort(sites.begin(), sites.end(),
              [](const site_content& a, const site_content& b) { return a.address < b.address; });
    return sites;
  }

 private:
  std::unordered_map<u64, site_content> known_;  // by address
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
