// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "build_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "clock_map.hpp"
#include "launch_check.hpp"
#include "launch_warnings.hpp"
#include "mapped_file.hpp"
#include "site_catalog.hpp"
#include "warp_builder.hpp"

namespace iket::analysis {
namespace {

// Between launches of a stream lie some microseconds; a GPU changes its clock for idleness after milliseconds.
constexpr std::uint64_t pause_ns = 100'000;

std::string uuid_text(const unsigned char (&uuid)[16]) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char byte[4];
    std::snprintf(byte, sizeof(byte), "%02x", uuid[i]);
    text += byte;
  }
  return text;
}

class timeline_builder {
 public:
  timeline_builder(const trace_view& view, const std::string& name) : view_(view), names_(to_) { to_.file = name; }

  timeline build() {
    for (const read_error& damage : view_.damages) to_.warnings.push_back(damage.message());
    add_devices();
    enter_sites(view_, names_);
    sites_.resize(view_.site_tables.size() + 1);
    fit_clocks();
    for (const launch_view& launch : view_.launches) add_launch(launch);
    names_.finish();
    return std::move(to_);
  }

 private:
  void add_devices() {
    for (const device_view& from : view_.devices) {
      device to;
      to.name = from.name;
      to.uuid = uuid_text(from.info.uuid);
      to.sm_count = from.info.sm_count;
      to.compute_major = from.info.compute_major;
      to.compute_minor = from.info.compute_minor;
      to_.devices.push_back(std::move(to));
    }
    const auto has_none = [](const launch_view& launch) { return launch.device == none; };
    if (std::any_of(view_.launches.begin(), view_.launches.end(), has_none))
      to_.devices.push_back({.name = "unknown device", .uuid = uuid_text({})});
  }

  /// In `timeline::devices`.
  [[nodiscard]] index device_of(const launch_view& launch) const {
    return launch.device != none ? launch.device : static_cast<index>(view_.devices.size());
  }

  [[nodiscard]] site_numbers& sites_of(const launch_view& launch) {
    std::unique_ptr<site_numbers>& numbers = launch.sites != none ? sites_[launch.sites] : sites_.back();
    if (numbers == nullptr)
      numbers =
          std::make_unique<site_numbers>(launch.sites != none ? &view_.site_tables[launch.sites] : nullptr, names_);
    return *numbers;
  }

  /// Launches of one device that follow each other closely share their clocks: the pairs of all together fit them best.
  /// Over a pause the clock may have changed its rate, and an idle GPU's rate says nothing of a busy one's.
  void fit_clocks() {
    std::uint64_t zero_ns = 0;
    const launch_view* first = nullptr;
    std::vector<launch_pairs> launches;
    for (std::size_t i = 0; i < view_.launches.size(); ++i) {
      launches.push_back(pairs_of(view_.launches[i], i));
      if (first != nullptr || launches.back().pairs.empty()) continue;
      first = &view_.launches[i];
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
        has_warps = has_warps || !view_.launches[launches[i].launch].warps.empty();
      }
      clocks_.emplace_back(std::move(pairs), zero_ns,
                           device < view_.devices.size() ? view_.devices[device].info.rated_clock_khz : 0);
      if (has_warps) warn_of_clock(clocks_.back(), device);
    }
    if (first != nullptr) zero_ = first_opening(*first);
  }

  /// The pairs of one launch and the time that they span.
  struct launch_pairs {
    std::size_t launch = 0;
    index device = none;
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;
    std::vector<sm_pair> pairs;
  };

  [[nodiscard]] launch_pairs pairs_of(const launch_view& launch, std::size_t number) const {
    launch_pairs result;
    result.launch = number;
    result.device = device_of(launch);
    const auto add = [&](std::uint32_t sm, const clock_pair& pair) {
      // A header that never arrived in memory has no time.
      if (pair.globaltimer_ns == 0) return;
      const std::uint64_t ns = pair.globaltimer_ns;
      result.begin_ns = result.pairs.empty() ? ns : std::min(result.begin_ns, ns);
      result.end_ns = std::max(result.end_ns, ns);
      result.pairs.push_back({sm, pair.cycles, ns});
    };
    for (const warp_view& warp : launch.warps) {
      const warp_header header = warp.header();
      add(header.open_sm, header.open);
      if (header.closed != 0) add(header.close_sm, header.close);
    }
    return result;
  }

  [[nodiscard]] const clock_map& clocks_of(const launch_view& launch) const {
    return clocks_[clock_of_[static_cast<std::size_t>(&launch - view_.launches.data())]];
  }

  [[nodiscard]] picoseconds first_opening(const launch_view& launch) const {
    const clock_map& clocks = clocks_of(launch);
    picoseconds earliest = std::numeric_limits<picoseconds>::max();
    for (const warp_view& warp : launch.warps) {
      const warp_header header = warp.header();
      if (header.open.globaltimer_ns != 0)
        earliest = std::min(earliest, clocks.time(header.open_sm, header.open.cycles));
    }
    return earliest == std::numeric_limits<picoseconds>::max() ? 0 : earliest;
  }

  void warn_of_clock(const clock_map& clock, index number) {
    const std::string device = "device " + std::to_string(number) + " (" + to_.devices[number].name + "): ";
    if (clock.rate_is_guess())
      to_.warnings.push_back(device + "the rate of the SM clock is unknown; times assume 1 GHz, cycles are exact");
    if (const std::uint64_t count = clock.outliers(); count != 0)
      to_.warnings.push_back(device + std::to_string(count) +
                             " clock pairs are far off their SM's line and are left out");
  }

  void add_launch(const launch_view& from) {
    const file::launch_info& info = from.info;
    const clock_map& clocks = clocks_of(from);
    launch to;
    to.kernel = from.facts_lost ? "launch " + std::to_string(info.id) + " (name lost)" : std::string(from.name);
    to.device = device_of(from);
    std::copy_n(info.grid, 3, to.grid.begin());
    std::copy_n(info.block, 3, to.block.begin());
    to.cta_stride = std::max(info.cta_stride, 1u);
    to.ctas_total = std::uint64_t{info.grid[0]} * info.grid[1] * info.grid[2];
    to.ctas_traced = info.ctas_traced;
    to.warps_per_cta = info.warps_per_cta;
    to.records_per_warp = info.records_per_warp;
    to.warps_opened = info.warps_opened;
    to.recorders_refused = info.recorders_refused;
    std::copy_n(info.refused_grid, 3, to.refused_grid.begin());
    std::copy_n(info.refused_block, 3, to.refused_block.begin());
    to.compiled_out = (info.flags & file::launch_compiled_out) != 0;
    to.over_limit = (info.flags & file::launch_over_limit) != 0;
    to.bytes_needed = info.bytes_needed;
    to.bytes_limit = info.bytes_limit;
    to.host_time_ns = info.host_time_ns;
    to.clock = clocks.summary();
    add_warps(from, clocks, to);
    if (from.facts_lost) take_facts_from_warps(to);
    to_.launches.push_back(std::move(to));
  }

  void add_warps(const launch_view& from, const clock_map& clocks, launch& to) {
    warp_builder builder(sites_of(from), clocks, zero_);
    launch_warnings warnings;
    to.warps.reserve(from.warps.size());
    for (const warp_view& warp : from.warps) {
      const warp_header header = warp.header();
      to.warps.push_back(builder.build(header, warp.records, from.info.records_per_warp));
      warp_timeline& built = to.warps.back();
      built.cta_linear = static_cast<std::uint32_t>(linear_cta(header.cta, from.info.grid));
      const bool is_first = to.warps.size() == 1;
      to.begin = is_first ? built.open : std::min(to.begin, built.open);
      to.end = is_first ? built.close : std::max(to.end, built.close);
      warnings.add(header, builder.ring());
    }
    warnings.write("launch " + std::to_string(from.info.id) + " (" + to.kernel + ")", to_.warnings);
  }

  /// The least that the warps say of a launch whose facts are lost.
  static void take_facts_from_warps(launch& to) {
    to.warps_opened = to.warps.size();
    std::uint64_t most_kept = 1;
    for (std::size_t i = 0; i < to.warps.size(); ++i) {
      const warp_timeline& warp = to.warps[i];
      if (i == 0 || warp.cta != to.warps[i - 1].cta) ++to.ctas_traced;
      to.warps_per_cta = std::max(to.warps_per_cta, warp.warp + (warp.warp != none ? 1u : 0u));
      most_kept = std::max(most_kept, warp.kept);
    }
    to.records_per_warp = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_ceil(most_kept), 1u << 31));
  }

  const trace_view& view_;
  timeline to_;
  name_tables names_;
  std::vector<std::unique_ptr<site_numbers>> sites_;  // by site table, then that of no table; made when needed
  std::vector<clock_map> clocks_;                     // one for each time without a pause on a device
  std::vector<std::size_t> clock_of_;                 // by launch
  picoseconds zero_ = 0;
};

}  // namespace

timeline build_timeline(const trace_view& view, const std::string& name) {
  return timeline_builder(view, name).build();
}

load_result load_timeline(const std::string& path) {
  load_result result;
  const std::variant<mapped_file, read_error> file = mapped_file::open(path);
  if (const auto* const error = std::get_if<read_error>(&file)) {
    result.error = *error;
    return result;
  }
  std::variant<trace_view, read_error> read = read_trace(std::get<mapped_file>(file).bytes());
  if (auto* const error = std::get_if<read_error>(&read)) {
    result.error = std::move(*error);
    return result;
  }
  const trace_view& view = std::get<trace_view>(read);
  result.damaged = !view.damages.empty();
  if (result.damaged) result.damage = view.damages.front();
  result.trace = build_timeline(view, path);
  return result;
}

}  // namespace iket::analysis
