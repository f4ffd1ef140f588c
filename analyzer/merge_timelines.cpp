// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "merge_timelines.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "align_devices.hpp"
#include "site_catalog.hpp"
#include "time_shift.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

/// Where a file's tables have their entries in the common ones.
struct table_places {
  std::vector<index> stages, points, roles, sources, devices;
};

index at(const std::vector<index>& places, index of) { return of == none ? none : places.at(of); }

void renumber(launch& of, const table_places& places) {
  of.device = at(places.devices, of.device);
  for (warp_timeline& warp : of.warps) {
    warp.role = at(places.roles, warp.role);
    for (range& one : warp.ranges) {
      one.stage = at(places.stages, one.stage);
      one.source = at(places.sources, one.source);
    }
    for (point& one : warp.points) {
      one.name = at(places.points, one.name);
      one.source = at(places.sources, one.source);
    }
    for (odd_events& one : warp.odd) one.stage = at(places.stages, one.stage);
  }
}

/// Enters the names of `from` into common tables.
class common_tables {
 public:
  explicit common_tables(timeline& to) : names_(to), to_(to) {}

  [[nodiscard]] table_places enter(const timeline& from) {
    table_places places;
    for (const source_location& one : from.sources) places.sources.push_back(names_.source(one.file, one.line));
    for (const stage& one : from.stages) {
      places.stages.push_back(names_.stage(one.name, one.kind));
      add_sources(one.sources, to_.stages[places.stages.back()].sources);
    }
    for (const point_name& one : from.points) {
      places.points.push_back(names_.point(one.name));
      add_sources(one.sources, to_.points[places.points.back()].sources);
    }
    for (const std::string& one : from.roles) places.roles.push_back(names_.role(one));
    return places;
  }

  void finish() { names_.finish(); }

 private:
  static void add_sources(const std::vector<source_location>& from, std::vector<source_location>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  name_tables names_;
  timeline& to_;
};

/// The place of a device in the common table, where it is put if its GPU is new.
index enter_device(const device& of, std::vector<device>& to) {
  const auto same = std::find_if(to.begin(), to.end(), [&](const device& other) { return is_same_gpu(of, other); });
  if (same != to.end()) return static_cast<index>(same - to.begin());
  to.push_back(of);
  return static_cast<index>(to.size() - 1);
}

/// Of two errors, of which one may be unknown.
std::optional<double> larger(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
}

picoseconds first_begin(const timeline& of) {
  picoseconds first = std::numeric_limits<picoseconds>::max();
  for (const launch& one : of.launches)
    if (!one.warps.empty()) first = std::min(first, one.begin);
  return first == std::numeric_limits<picoseconds>::max() ? 0 : first;
}

picoseconds shortest_launch(const timeline& of) {
  picoseconds shortest = std::numeric_limits<picoseconds>::max();
  for (const launch& one : of.launches)
    if (!one.warps.empty()) shortest = std::min(shortest, one.end - one.begin);
  return shortest;
}

/// One launch of a GPU cannot begin at the very time of another with the same name and warps.
void warn_of_copies(timeline& of) {
  std::map<std::tuple<index, picoseconds, picoseconds, std::string, std::size_t>, const launch*> known;
  std::set<std::pair<std::string, std::string>> told;
  for (const launch& one : of.launches) {
    if (one.warps.empty()) continue;
    const auto [at, is_new] = known.try_emplace({one.device, one.begin, one.end, one.kernel, one.warps.size()}, &one);
    if (is_new || at->second->file == one.file || !told.emplace(at->second->file, one.file).second) continue;
    of.warnings.push_back(one.file + " has launches that " + at->second->file +
                          " has too: if it is a copy, all figures count them twice");
  }
}

void warn_of_alignment(timeline& of) {
  const picoseconds shortest = shortest_launch(of);
  for (std::size_t i = 0; i < of.devices.size(); ++i) {
    const std::optional<double>& error_ns = of.devices[i].alignment_error_ns;
    const std::string name = "device " + std::to_string(i) + " (" + of.devices[i].name + "): ";
    if (!error_ns)
      of.warnings.push_back(
          name +
          "its times were put beside the others' by the hosts' clocks of day, whose error nobody knows: "
          "compare no times between devices");
    else if (1000 * *error_ns > static_cast<double>(shortest))
      of.warnings.push_back(name + "its times may be off from device 0's by " + duration_text(1000 * *error_ns) +
                            ", which is more than the shortest launch lasts (" +
                            duration_text(static_cast<double>(shortest)) +
                            "): compare no shorter times between devices");
  }
}

}  // namespace

timeline merge_timelines(std::vector<timeline> files) {
  const std::vector<std::vector<time_shift>> shifts = align_devices(files);
  timeline merged;
  common_tables tables(merged);
  for (std::size_t file = 0; file < files.size(); ++file) {
    timeline& from = files[file];
    table_places places = tables.enter(from);
    for (std::size_t i = 0; i < from.devices.size(); ++i) {
      places.devices.push_back(enter_device(from.devices[i], merged.devices));
      std::optional<double>& error_ns = merged.devices[places.devices.back()].alignment_error_ns;
      error_ns = larger(error_ns, shifts[file][i].error_ns);
      merged.files.push_back({from.file, places.devices.back(), from.devices[i].host_clock});
    }
    for (launch& one : from.launches) {
      if (one.device != none) move_launch(one, shifts[file][one.device]);
      renumber(one, places);
      merged.launches.push_back(std::move(one));
    }
    for (const std::string& warning : from.warnings) merged.warnings.push_back(from.file + ": " + warning);
    merged.file += (file == 0 ? "" : ", ") + from.file;
  }
  tables.finish();
  const time_shift to_zero{-first_begin(merged)};
  for (launch& one : merged.launches) move_launch(one, to_zero);
  warn_of_alignment(merged);
  warn_of_copies(merged);
  return merged;
}

}  // namespace iket::analysis
