// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_clocks.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "launch_pairs.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

picoseconds first_opening(const launch_view& launch, const clock_map& clocks) {
  picoseconds earliest = std::numeric_limits<picoseconds>::max();
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    if (header.open.globaltimer_ns != 0) earliest = std::min(earliest, clocks.time(header.open_sm, header.open.cycles));
  }
  return earliest == std::numeric_limits<picoseconds>::max() ? 0 : earliest;
}

/// The launches of each device, by time.
std::vector<std::vector<launch_pairs>> split_by_device(std::vector<launch_pairs> launches) {
  std::sort(launches.begin(), launches.end(), [](const launch_pairs& a, const launch_pairs& b) {
    return std::tie(a.device, a.begin_ns, a.launch) < std::tie(b.device, b.begin_ns, b.launch);
  });
  std::vector<std::vector<launch_pairs>> devices;
  for (launch_pairs& launch : launches) {
    if (devices.empty() || devices.back().front().device != launch.device) devices.emplace_back();
    devices.back().push_back(std::move(launch));
  }
  return devices;
}

/// What the driver says, or else the session measured.
std::uint32_t rated_khz_of(const trace_view& view, index device) {
  if (device >= view.devices.size()) return 0;
  const device_view& of = view.devices[device];
  if (of.info.rated_clock_khz != 0) return of.info.rated_clock_khz;
  return of.calibration ? of.calibration->sm_clock_khz : 0;
}

double measured_tick_ns(const trace_view& view, index device) {
  const bool is_measured = device < view.devices.size() && view.devices[device].calibration;
  return is_measured ? view.devices[device].calibration->timer_tick_ns : 0;
}

bool has_unclosed(const launch_view& launch) {
  return std::any_of(launch.warps.begin(), launch.warps.end(),
                     [](const warp_view& warp) { return warp.header().closed == 0; });
}

}  // namespace

index device_of(const trace_view& view, const launch_view& launch) {
  return launch.device != none ? launch.device : static_cast<index>(view.devices.size());
}

launch_clocks::launch_clocks(const trace_view& view) {
  std::size_t first = view.launches.size();
  std::vector<launch_pairs> launches;
  for (std::size_t i = 0; i < view.launches.size(); ++i) {
    launches.push_back(header_pairs(view, i));
    if (first != view.launches.size() || launches.back().pairs.empty()) continue;
    first = i;
    zero_ns_ = launches.back().begin_ns;
  }
  clock_of_.resize(launches.size());
  last_ns_.resize(launches.size());
  for (const std::vector<launch_pairs>& device : split_by_device(std::move(launches))) {
    const std::uint32_t rated_khz = rated_khz_of(view, device.front().device);
    const double tick_ns = measured_tick_ns(view, device.front().device);
    const cycle_rates rates = plausible_rates(view, device, rated_khz);
    const std::vector<launch_pairs> all_pairs = with_syncs(view, rates, device);
    for (std::size_t i = 0; i < device.size();) {
      const bool is_reset = i != 0;
      bool has_warps = false;
      bool stays_busy = false;
      const launch_pairs* before = nullptr;
      std::vector<sm_pair> pairs;
      for (; i < device.size() && (before == nullptr || !was_reset(*before, device[i], rates)); ++i) {
        if (!device[i].pairs.empty()) before = &device[i];
        pairs.insert(pairs.end(), all_pairs[i].pairs.begin(), all_pairs[i].pairs.end());
        clock_of_[device[i].launch] = clocks_.size();
        last_ns_[device[i].launch] = all_pairs[i].end_ns;
        stays_busy = stays_busy || has_unclosed(view.launches[device[i].launch]);
        has_warps = has_warps || !view.launches[device[i].launch].warps.empty();
      }
      clocks_.push_back(std::make_shared<const clock_map>(std::move(pairs), zero_ns_, rated_khz, tick_ns, stays_busy));
      rates_.push_back(rates);
      if (has_warps) note(*clocks_.back(), device.front().device, is_reset);
    }
  }
  if (first != view.launches.size()) zero_ = first_opening(view.launches[first], *of(first));
}

void launch_clocks::note(const clock_map& clock, index device, bool is_reset) {
  // Devices come one after another.
  if (doubts_.empty() || doubts_.back().device != device) doubts_.push_back({.device = device});
  doubts_.back().outliers += clock.outliers();
  doubts_.back().resets += is_reset;
  doubts_.back().rate_is_guess = doubts_.back().rate_is_guess || clock.rate_is_guess();
}

void launch_clocks::warn(const std::vector<device>& devices, std::vector<std::string>& warnings) const {
  for (const doubts& of : doubts_) {
    const std::string device = "device " + std::to_string(of.device) + " (" + devices.at(of.device).name + "): ";
    if (of.rate_is_guess)
      warnings.push_back(device + "the rate of the SM clock is unknown; times assume 1 GHz, cycles are exact");
    if (of.resets != 0)
      warnings.push_back(device + "the SM clocks were reset between launches, times: " + std::to_string(of.resets));
    if (of.outliers != 0)
      warnings.push_back(device + count_text(of.outliers, "clock pair") +
                         (of.outliers == 1 ? " fits no clock and is left out" : " fit no clock and are left out"));
  }
}

}  // namespace iket::analysis
