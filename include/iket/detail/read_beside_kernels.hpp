// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a snapshot asks the driver for besides records: sites, and the device's timer.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include <iket/detail/background_reading.hpp>
#include <iket/detail/read_sites.hpp>
#include <iket/detail/session_device.hpp>
#include <iket/detail/session_scope.hpp>
#include <iket/detail/site_cache.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// How long a snapshot or a drain with `storage::host` waits for the driver: far more than thousands of sites take, and
/// 10 ms more where kernels occupy the whole GPU, unless another thread has the driver's lock.
constexpr std::chrono::milliseconds driver_patience{1000};

/// Adds each of the sites at `addresses` that is there and, if `reads_clock`, readings of the timer. With the context
/// current.
template <class Findings>
void read_from_driver(session_device& device, const std::vector<u64>& addresses, bool reads_clock, Findings& to) {
  for (const u64 address : addresses)
    if (site_content site; read_site(device.memory(), address, site)) to.add(std::move(site));
  if (reads_clock && device.host_clock() != nullptr) to.add(device.host_clock()->read_beside_kernels());
}

/// Keeps what was read.
class kept_findings {
 public:
  kept_findings(session_device& device, site_cache& sites) : device_(device), sites_(sites) {}

  void add(site_content site) { sites_.keep(std::move(site)); }
  void add(const std::vector<file::host_clock_pair>& pairs) {
    if (!pairs.empty()) device_.host_clock()->keep(pairs);
  }

 private:
  session_device& device_;
  site_cache& sites_;
};

/// Reads the sites at `addresses` and, if `reads_clock`, the device's timer, while kernels run that may never end, and
/// keeps what was read. With records in the host's memory, waits for `driver_patience` at most: what comes later is
/// kept at the next look or drain. Where records are in the device's memory, nothing else could be read without the
/// driver either. With the context current.
inline void read_beside_kernels(session_device& device, const std::vector<u64>& addresses, bool reads_clock,
                                site_cache& sites) {
  kept_findings kept(device, sites);
  if (!device.memory().is_on_host()) {
    read_from_driver(device, addresses, reads_clock, kept);
    return;
  }
  background_reading& background = device.background();
  const auto deadline = std::chrono::steady_clock::now() + driver_patience;
  const auto read = [&device, addresses, reads_clock](background_reading& to) {
    const session_scope scope = device.enter_quietly();
    read_from_driver(device, addresses, reads_clock, to);
  };
  // Behind one that is under way already.
  if (background.wait_until(deadline) && background.start(read)) (void)background.wait_until(deadline);
  background_reading::findings found = background.take();
  for (site_content& site : found.sites) kept.add(std::move(site));
  kept.add(found.clock_pairs);
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
