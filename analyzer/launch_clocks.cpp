// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "launch_clocks.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace iket::analysis {
namespace {

// Between launches of a stream lie some microseconds; a GPU changes its clock for idleness after milliseconds.
constexpr std::uint64_t pause_ns = 100'000;

/// The pairs of one launch and the time that they span.
struct launch_pairs {
  std::size_t launch = 0;
  index device = none;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::vector<sm_pair> pairs;
};

launch_pairs pairs_of(const trace_view& view, std::size_t number) {
  launch_pairs result;
  result.launch = number;
  result.device = device_of(view, view.launches[number]);
  const auto add = [&](std::uint32_t sm, const clock_pair& pair) {
    // A header that never arrived in memory has no time.
    if (pair.globaltimer_ns == 0) return;
    const std::uint64_t ns = pair.globaltimer_ns;
    result.begin_ns = result.pairs.empty() ? ns : std::min(result.begin_ns, ns);
    result.end_ns = std::max(result.end_ns, ns);
    result.pairs.push_back({sm, pair.cycles, ns});
  };
  for (const warp_view& warp : view.launches[number].warps) {
    const warp_header header = warp.header();
    add(header.open_sm, header.open);
    if (header.closed != 0) add(header.close_sm, header.close);
  }
  return result;
}

picoseconds first_opening(const launch_view& launch, const clock_map& clocks) {
  picoseconds earliest = std::numeric_limits<picoseconds>::max();
  for (const warp_view& warp : launch.warps) {
    const warp_header header = warp.header();
    if (header.open.globaltimer_ns != 0) earliest = std::min(earliest, clocks.time(header.open_sm, header.open.cycles));
  }
  return earliest == std::numeric_limits<picoseconds>::max() ? 0 : earliest;
}

}  // namespace

index device_of(const trace_view& view, const launch_view& launch) {
  return launch.device != none ? launch.device : static_cast<index>(view.devices.size());
}

launch_clocks::launch_clocks(const trace_view& view) {
  std::uint64_t zero_ns = 0;
  std::size_t first = view.launches.size();
  std::vector<launch_pairs> launches;
  for (std::size_t i = 0; i < view.launches.size(); ++i) {
    launches.push_back(pairs_of(view, i));
    if (first != view.launches.size() || launches.back().pairs.empty()) continue;
    first = i;
    zero_ns = launches.back().begin_ns;
  }
  std::sort(launches.begin(), launches.end(), [](const launch_pairs& a, const launch_pairs& b) {
    return std::tie(a.device, a.begin_ns, a.launch) < std::tie(b.device, b.begin_ns, b.launch);
  });
  clock_of_.resize(launches.size());
  for (std::size_t i = 0; i < launches.size();) {
    const index device = launches[i].device;
    std::uint64_t end_ns = launches[i].end_ns;
    std::vector<sm_pair> pairs;
    bool has_warps = false;
    for (; i < launches.size() && launches[i].device == device && launches[i].begin_ns <= end_ns + pause_ns; ++i) {
      pairs.insert(pairs.end(), launches[i].pairs.begin(), launches[i].pairs.end());
      end_ns = std::max(end_ns, launches[i].end_ns);
      clock_of_[launches[i].launch] = clocks_.size();
      has_warps = has_warps || !view.launches[launches[i].launch].warps.empty();
    }
    clocks_.emplace_back(std::move(pairs), zero_ns,
                         device < view.devices.size() ? view.devices[device].info.rated_clock_khz : 0);
    if (has_warps) note(clocks_.back(), device);
  }
  if (first != view.launches.size()) zero_ = first_opening(view.launches[first], of(first));
}

void launch_clocks::note(const clock_map& clock, index device) {
  // Devices come one after another.
  if (doubts_.empty() || doubts_.back().device != device) doubts_.push_back({.device = device});
  doubts_.back().outliers += clock.outliers();
  doubts_.back().rate_is_guess = doubts_.back().rate_is_guess || clock.rate_is_guess();
}

void launch_clocks::warn(const std::vector<device>& devices, std::vector<std::string>& warnings) const {
  for (const doubts& of : doubts_) {
    const std::string device = "device " + std::to_string(of.device) + " (" + devices.at(of.device).name + "): ";
    if (of.rate_is_guess)
      warnings.push_back(device + "the rate of the SM clock is unknown; times assume 1 GHz, cycles are exact");
    if (of.outliers != 0)
      warnings.push_back(device + std::to_string(of.outliers) +
                         " clock pairs are far off their SM's line and are left out");
  }
}

}  // namespace iket::analysis
