// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "host_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "clock_accuracy.hpp"
#include "host_clock.hpp"
#include "snapshot_time.hpp"

namespace iket::analysis {
namespace {

// Of a timer of which nothing is known: before Hopper it ticks about once a microsecond.
constexpr double coarsest_tick_ns = 1024;

std::string boot_id_text(const unsigned char (&id)[16]) {
  if (std::all_of(std::begin(id), std::end(id), [](unsigned char byte) { return byte == 0; })) return {};
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char byte[4];
    std::snprintf(byte, sizeof(byte), "%02x", id[i]);
    text += byte;
  }
  return text;
}

double tick_ns_of(const device& of, const std::vector<launch*>& launches) {
  if (of.calibration && of.calibration->timer_tick_ns > 0) return of.calibration->timer_tick_ns;
  double tick_ns = 0;
  for (const launch* one : launches) tick_ns = std::max(tick_ns, one->clock.tick_ns);
  return tick_ns > 0 ? tick_ns : coarsest_tick_ns;
}

/// One device's clocks.
class device_times {
 public:
  /// `zero_ns` is the device's timer at the time line's zero.
  device_times(const host_clock_view& from, const host_clock_fit& fit, std::uint64_t zero_ns)
      : fit_(fit), zero_ns_(zero_ns), pairs_(from.pairs) {
    std::sort(pairs_.begin(), pairs_.end(), is_earlier);
  }

  /// At a time of the time line.
  [[nodiscard]] host_instant at(picoseconds time) const { return fit_.at(device_ns(time)); }

  /// CLOCK_REALTIME less CLOCK_MONOTONIC [ns], when the reading closest in time was made.
  [[nodiscard]] std::int64_t realtime_offset_ns(picoseconds time) const {
    file::host_clock_pair wanted{};
    wanted.globaltimer_ns = device_ns(time);
    const auto behind = std::lower_bound(pairs_.begin(), pairs_.end(), wanted, is_earlier);
    if (behind == pairs_.begin()) return behind->realtime_offset_ns;
    const auto before = behind - 1;
    const bool is_closer = behind == pairs_.end() || wanted.globaltimer_ns - before->globaltimer_ns <
                                                         behind->globaltimer_ns - wanted.globaltimer_ns;
    return (is_closer ? before : behind)->realtime_offset_ns;
  }

 private:
  static bool is_earlier(const file::host_clock_pair& a, const file::host_clock_pair& b) {
    return a.globaltimer_ns < b.globaltimer_ns;
  }

  [[nodiscard]] std::uint64_t device_ns(picoseconds time) const {
    return zero_ns_ + static_cast<std::uint64_t>(time / 1000);
  }

  const host_clock_fit& fit_;
  std::uint64_t zero_ns_;
  std::vector<file::host_clock_pair> pairs_;  // by time
};

/// Says when each of the device's launches began.
host_clock add_host_times(const device_times& times, const std::vector<launch*>& launches) {
  host_clock clock;
  clock.zero_ns = times.at(0).ns;
  clock.realtime_offset_ns = times.realtime_offset_ns(0);
  clock.error_ns = times.at(0).error_ns;
  for (launch* const one : launches) {
    const host_instant begin = times.at(one->begin);
    const double clock_error_ns = one->clock.uncertainty_ns;
    one->host_begin_ns = begin.ns + static_cast<std::uint64_t>(times.realtime_offset_ns(one->begin));
    one->host_begin_error_ns = begin.error_ns + clock_error_ns;
    clock.error_ns =
        std::max({clock.error_ns, begin.error_ns + clock_error_ns, times.at(one->end).error_ns + clock_error_ns});
  }
  return clock;
}

/// Whether the last event of a warp is later than the snapshot, whatever both may be off.
bool is_behind(const warp_timeline& warp, const snapshot& until, const launch& of) {
  constexpr double margin_ns = 1e6;
  const double error_ns = static_cast<double>(of.accuracy->uncertainty(warp.sm, warp.last_event)) / 1000;
  return static_cast<double>(warp.last_event - until.time) > 1000 * (until.error_ns + error_ns + margin_ns);
}

/// Those that were running go on to the snapshot, unless the records of most of their warps say that it was earlier.
void extend_launches(const snapshot& until, const std::vector<launch*>& launches, std::vector<std::string>& warnings) {
  for (launch* const one : launches) {
    if (!one->running) continue;
    const auto behind = std::count_if(one->warps.begin(), one->warps.end(),
                                      [&](const warp_timeline& warp) { return is_behind(warp, until, *one); });
    if (static_cast<std::size_t>(behind) * 2 > one->warps.size())
      warnings.push_back(
          "launch '" + one->kernel +
          "': the records of most of its warps are later than the file's snapshot, whose time is not used");
    else
      extend_to(until, *one);
  }
}

}  // namespace

void add_host_times(const trace_view& view, timeline& to) {
  std::vector<std::vector<launch*>> launches(to.devices.size());  // those with warps, by device
  for (launch& one : to.launches) {
    one.host_begin_ns = one.host_time_ns;
    if (!one.warps.empty()) launches.at(one.device).push_back(&one);
  }
  for (index number = 0; number < view.devices.size(); ++number) {
    const std::optional<host_clock_view>& from = view.devices[number].host_clock;
    if (!from || to.devices[number].timer_zero_ns == 0) continue;
    const double tick_ns = tick_ns_of(to.devices[number], launches[number]);
    const std::optional<host_clock_fit> fit = host_clock_fit::of(from->pairs, tick_ns);
    if (!fit) continue;
    host_clock clock = add_host_times(device_times(*from, *fit, to.devices[number].timer_zero_ns), launches[number]);
    clock.drift_ppm = fit->drift_ppm();
    clock.drift_error_ppm = fit->drift_error_ppm();
    clock.left_out = fit->left_out();
    if (const std::optional<file::snapshot_info>& taken = view.devices[number].snapshot)
      extend_launches(snapshot_of(*taken, *fit, to.devices[number]), launches[number], to.warnings);
    clock.boot_id = boot_id_text(from->info.boot_id);
    to.devices[number].host_clock = clock;
  }
}

}  // namespace iket::analysis
