// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// All sites that a session has read.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <iket/detail/read_sites.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Addresses of the sites that the launches refer to.
[[nodiscard]] inline std::vector<u64> site_addresses_of(const std::vector<launch_content>& launches) {
  std::unordered_set<u64> addresses;
  for (const launch_content& launch : launches) collect_site_addresses(launch, addresses);
  std::vector<u64> sorted(addresses.begin(), addresses.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// Keeps sites for the time when they cannot be read any more: their module was unloaded, a kernel failed, or the
/// driver does not answer.
class site_cache {
 public:
  /// One that was read.
  void keep(site_content site) { known_[site.address] = std::move(site); }

  /// Those that were read of `addresses`, in their order, as they were read last. Others are left out: the analyzer
  /// names them by their address.
  [[nodiscard]] std::vector<site_content> known(const std::vector<u64>& addresses) const {
    std::vector<site_content> sites;
    for (const u64 address : addresses)
      if (const auto at = known_.find(address); at != known_.end()) sites.push_back(at->second);
    return sites;
  }

 private:
  std::unordered_map<u64, site_content> known_;  // by address
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
