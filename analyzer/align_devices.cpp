// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "align_devices.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace iket::analysis {
namespace {

// 26 days: what differs by more is no one line.
constexpr picoseconds largest_shift = picoseconds{1} << 61;

picoseconds held(std::int64_t ns, picoseconds rest = 0) {
  return std::clamp(ns, -largest_shift / 1000, largest_shift / 1000) * 1000 + rest;
}

/// A device as one file has it.
struct sighting {
  const timeline* file = nullptr;
  const device* of = nullptr;
  std::size_t base = 0;  // of its GPU: by that one it is tied to others
};

/// `second` behind `first`.
time_shift chain(const time_shift& first, const time_shift& second) {
  return {second(first.shift), first.rate + second.rate, second.error_ns};
}

/// Between two lines of one GPU's timer.
time_shift by_timer(const device& from, const device& to) {
  const auto ns = static_cast<std::int64_t>(from.timer_zero_ns - to.timer_zero_ns);
  return {held(ns, from.timer_zero_rest_ps - to.timer_zero_rest_ps)};
}

time_shift by_host_clock(const host_clock& from, const host_clock& to) {
  const double to_rate = 1 + to.drift_ppm * 1e-6;
  const picoseconds apart = held(static_cast<std::int64_t>(from.zero_ns - to.zero_ns));
  const auto drifted = std::llround(static_cast<double>(apart) * (1 / to_rate - 1));
  return {apart + drifted, (1 + from.drift_ppm * 1e-6) / to_rate - 1, from.error_ns + to.error_ns};
}

/// The time of day at a file's zero [ns since the Unix epoch]: as its host's clock has it, or when its first tracer was
/// handed out.
std::uint64_t time_of_day(const sighting& at) {
  if (at.of->host_clock)
    return at.of->host_clock->zero_ns + static_cast<std::uint64_t>(at.of->host_clock->realtime_offset_ns);
  return at.file->launches.empty() ? 0 : at.file->launches.front().host_time_ns;
}

/// The times of a device's launches on its file's line.
struct time_range {
  picoseconds begin = 0;
  picoseconds end = 0;
};

time_range launches_of(const sighting& at) {
  time_range all;
  bool is_first = true;
  for (const launch& one : at.file->launches) {
    if (one.warps.empty() || one.device != static_cast<index>(at.of - at.file->devices.data())) continue;
    all.begin = is_first ? one.begin : std::min(all.begin, one.begin);
    all.end = is_first ? one.end : std::max(all.end, one.end);
    is_first = false;
  }
  return all;
}

/// What the doubt about the drift of `base` adds for times that are `outside` those of its own launches, for which
/// alone its error was stated [ns].
double drift_doubt_ns(const sighting& base, const time_range& outside) {
  const time_range own = launches_of(base);
  const picoseconds beyond = std::max({picoseconds{0}, own.begin - outside.begin, outside.end - own.end});
  return static_cast<double>(beyond) / 1000 * base.of->host_clock->drift_error_ppm * 1e-6;
}

/// Between two GPUs.
time_shift between(const sighting& from, const sighting& to) {
  const auto& from_clock = from.of->host_clock;
  const auto& to_clock = to.of->host_clock;
  if (from_clock && to_clock && !from_clock->boot_id.empty() && from_clock->boot_id == to_clock->boot_id)
    return by_host_clock(*from_clock, *to_clock);
  return {held(static_cast<std::int64_t>(time_of_day(from) - time_of_day(to))), 0, std::nullopt};
}

/// As `between` the bases of two GPUs, for the launches of `seen`, which `to_base` moves.
time_shift between(const sighting& from, const sighting& to, const sighting& seen, const time_shift& to_base) {
  time_shift found = between(from, to);
  if (!found.error_ns) return found;
  const time_range launches = launches_of(seen);
  const time_range on_from{to_base(launches.begin), to_base(launches.end)};
  const time_range on_to{found(on_from.begin), found(on_from.end)};
  *found.error_ns += drift_doubt_ns(from, on_from) + drift_doubt_ns(to, on_to);
  return found;
}

/// Whether `a` knows the host's clock better than `b`: its drift, which tells the time far away.
bool is_closer_to_host(const device& a, const device& b) {
  if (!a.host_clock || !b.host_clock) return a.host_clock.has_value() && !b.host_clock;
  return std::tie(a.host_clock->drift_error_ppm, a.host_clock->error_ns) <
         std::tie(b.host_clock->drift_error_ppm, b.host_clock->error_ns);
}

/// Where the time of the GPU of `seen[at]` is known best by the host's clock; of several, the first.
std::size_t base_of(const std::vector<sighting>& seen, std::size_t at) {
  std::size_t best = at;
  for (std::size_t i = seen.size(); i-- > 0;)
    if (is_same_gpu(*seen[at].of, *seen[i].of) && !is_closer_to_host(*seen[best].of, *seen[i].of)) best = i;
  return best;
}

/// All devices of all files.
std::vector<sighting> see_devices(std::span<const timeline> files) {
  std::vector<sighting> seen;
  for (const timeline& file : files)
    for (const device& of : file.devices) seen.push_back({&file, &of});
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i].base = base_of(seen, i);
  return seen;
}

}  // namespace

bool is_same_gpu(const device& a, const device& b) {
  const auto boot_of = [](const device& of) { return of.host_clock ? of.host_clock->boot_id : std::string(); };
  // Its timer begins anew with the host.
  if (!boot_of(a).empty() && !boot_of(b).empty() && boot_of(a) != boot_of(b)) return false;
  return a.uuid == b.uuid && a.uuid.find_first_not_of("GPU-0") != std::string::npos;
}

std::vector<std::vector<time_shift>> align_devices(std::span<const timeline> files) {
  const std::vector<sighting> seen = see_devices(files);
  std::vector<std::vector<time_shift>> shifts;
  std::size_t next = 0;
  for (const timeline& file : files) {
    shifts.emplace_back();
    for (std::size_t i = 0; i < file.devices.size(); ++i, ++next) {
      const sighting& base = seen[seen[next].base];
      const sighting& first_base = seen[seen.front().base];
      time_shift to_first = by_timer(*seen[next].of, *base.of);
      if (base.of != first_base.of) to_first = chain(to_first, between(base, first_base, seen[next], to_first));
      const time_shift back = by_timer(*first_base.of, *seen.front().of);
      shifts.back().push_back({back(to_first.shift), to_first.rate, to_first.error_ns});
    }
  }
  return shifts;
}

}  // namespace iket::analysis
