// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "build_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "build_warps.hpp"
#include "clock_accuracy.hpp"
#include "code_sites.hpp"
#include "fault_list.hpp"
#include "host_time.hpp"
#include "launch_clocks.hpp"
#include "limits.hpp"
#include "mapped_file.hpp"
#include "site_catalog.hpp"
#include "units.hpp"

namespace iket::analysis {
namespace {

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

calibration calibration_of(const file::calibration_info& info) {
  return {info.event_millicycles / 1000.0, info.event_burst_millicycles / 1000.0,
          static_cast<double>(info.timer_tick_ns), info.sm_clock_khz / 1e6};
}

selection selection_of(const file::launch_info& info) {
  selection to;
  to.choice = info.choice <= file::cta_choice::list ? static_cast<cta_choice>(info.choice) : cta_choice::unknown;
  to.cta_stride = info.cta_stride;
  to.first_cta = info.first_cta;
  to.last_cta = info.last_cta;
  std::copy_n(info.cluster, 3, to.cluster.begin());
  to.warp_mask = info.warp_mask;
  return to;
}

/// A file of very many launches may have something to be said of each.
void limit_warnings(std::vector<std::string>& warnings) {
  if (warnings.size() <= limits::warnings) return;
  const std::size_t left_out = warnings.size() - limits::warnings;
  warnings.resize(limits::warnings);
  warnings.push_back(count_text(left_out, "further warning") + " not listed");
}

class timeline_builder {
 public:
  timeline_builder(const trace_view& view, const std::string& name) : view_(view), names_(to_), clocks_(view) {
    to_.file = name;
    has_failed_ = std::any_of(view.launches.begin(), view.launches.end(),
                              [](const launch_view& one) { return (one.info.flags & file::launch_failed) != 0; });
  }

  timeline build(nameless_sites nameless) {
    for (const read_error& damage : view_.damages) to_.warnings.push_back(damage.message());
    add_devices();
    enter_sites(view_, names_);
    sites_.resize(view_.site_tables.size() + 1);
    clocks_.warn(to_.devices, to_.warnings);
    for (std::size_t i = 0; i < view_.launches.size(); ++i) add_launch(i);
    add_warps();
    add_host_times(view_, to_);
    for (file_device& one : to_.files) one.host_clock = to_.devices[one.device].host_clock;
    names_.finish();
    warn_of(nameless);
    if (view_.cut_names != 0)
      to_.warnings.push_back(count_text(view_.cut_names, "name") + " longer than " +
                             std::to_string(limits::name_bytes) + " bytes: only the beginning is taken");
    limit_warnings(to_.warnings);
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
      if (from.calibration) to.calibration = calibration_of(*from.calibration);
      to_.devices.push_back(std::move(to));
    }
    const auto has_none = [](const launch_view& launch) { return launch.device == none; };
    if (std::any_of(view_.launches.begin(), view_.launches.end(), has_none))
      to_.devices.push_back({.name = "unknown device", .uuid = uuid_text({}), .calibration = {}});
    for (index number = 0; number < to_.devices.size(); ++number) {
      to_.devices[number].timer_zero_ns = clocks_.timer_zero_ns();
      to_.devices[number].timer_zero_rest_ps = clocks_.timer_zero_rest_ps();
      to_.files.push_back({to_.file, number});
    }
  }

  [[nodiscard]] site_numbers& sites_of(const launch_view& launch) {
    std::unique_ptr<site_numbers>& numbers = launch.sites != none ? sites_[launch.sites] : sites_.back();
    if (numbers == nullptr)
      numbers =
          std::make_unique<site_numbers>(launch.sites != none ? &view_.site_tables[launch.sites] : nullptr, names_);
    return *numbers;
  }

  /// Whether a launch of which the facts are lost is taken to have been running: the file has a snapshot of its device,
  /// and tells of no kernel that failed.
  [[nodiscard]] bool is_of_snapshot(const launch_view& launch) const {
    const index number = device_of(view_, launch);
    const auto is_open = [](const warp_view& warp) { return warp.header().closed == 0; };
    return !has_failed_ && number < view_.devices.size() && view_.devices[number].snapshot.has_value() &&
           std::any_of(launch.warps.begin(), launch.warps.end(), is_open);
  }

  void add_launch(std::size_t number) {
    const launch_view& from = view_.launches[number];
    const file::launch_info& info = from.info;
    launch to;
    to.kernel = from.facts_lost ? "launch " + std::to_string(info.id) + " (name lost)" : std::string(from.name);
    to.file = to_.file;
    to.device = device_of(view_, from);
    std::copy_n(info.grid, 3, to.grid.begin());
    std::copy_n(info.block, 3, to.block.begin());
    if (!from.facts_lost) static_cast<selection&>(to) = selection_of(info);
    to.ctas_total = std::uint64_t{info.grid[0]} * info.grid[1] * info.grid[2];
    to.ctas_traced = info.ctas_traced;
    to.warps_per_cta = info.warps_per_cta;
    to.records_per_warp = info.records_per_warp;
    to.warps_opened = info.warps_opened;
    to.recorders_refused = info.recorders_refused;
    std::copy_n(info.refused_grid, 3, to.refused_grid.begin());
    std::copy_n(info.refused_block, 3, to.refused_block.begin());
    to.compiled_out = (info.flags & file::launch_compiled_out) != 0;
    to.untraced = (info.flags & file::launch_untraced) != 0;
    to.over_limit = (info.flags & file::launch_over_limit) != 0;
    to.keep_first = (info.flags & file::launch_keep_first) != 0;
    to.checked = (info.flags & file::launch_checked) != 0 || !from.faults.empty() || from.faults_dropped != 0;
    to.bytes_needed = info.bytes_needed;
    to.bytes_limit = info.bytes_limit;
    to.host_time_ns = info.host_time_ns;
    to.event_time_ns = info.event_time_ns;
    to.replay = info.replay;
    to.regions = info.regions;
    to.replays_missed = info.replays_missed;
    to.warps_unplaced = info.warps_unplaced;
    to.replays_mixed = (info.flags & file::launch_replays_mixed) != 0;
    to.running = (info.flags & file::launch_running) != 0 || (from.facts_lost && is_of_snapshot(from));
    to.failed = (info.flags & file::launch_failed) != 0;
    to.accuracy = std::make_shared<const clock_accuracy>(clocks_.of(number), clocks_.zero());
    to.faults = faults_of(view_, from);
    to.faults_dropped = faults_left_out(from);
    if (from.sites != none) to.code_sites = code_sites_.of(from, view_.site_tables[from.sites]);
    to_.launches.push_back(std::move(to));
  }

  void add_warps() {
    std::vector<launch_rings> rings;
    for (std::size_t i = 0; i < view_.launches.size(); ++i)
      rings.push_back({.from = &view_.launches[i],
                       .sites = &sites_of(view_.launches[i]),
                       .clocks = clocks_.of(i).get(),
                       .zero = clocks_.zero(),
                       .rates = clocks_.rates_of(i),
                       .to = &to_.launches[i],
                       .warnings = {},
                       .uncertainties = {}});
    build_warps(rings);
    for (std::size_t i = 0; i < rings.size(); ++i) {
      const launch_rings& of = rings[i];
      of.to->clock = summary_of(clocks_.of(i), of.uncertainties, *of.to);
      of.warnings.write("launch " + std::to_string(of.from->info.id) + " (" + of.to->kernel + ")", to_.warnings);
      if (of.from->facts_lost) take_facts_from_warps(*of.to);
    }
  }

  /// Those are named by their addresses.
  void warn_of(nameless_sites nameless) {
    if (nameless == nameless_sites::told) return;
    std::uint64_t count = 0;
    for (const std::unique_ptr<site_numbers>& table : sites_)
      for (std::uint32_t i = 1; table != nullptr && i < table->size(); ++i) count += table->at(i).view == nullptr;
    if (count != 0)
      to_.warnings.push_back(
          count_text(count, "site") + " without a name in the file, shown as work, which may be waits" +
          (nameless == nameless_sites::advise ? ": --sites takes names from another trace of the same binary" : ""));
  }

  static clock_summary summary_of(const std::shared_ptr<const clock_map>& of_launch,
                                  const uncertainty_tally& uncertainties, const launch& of) {
    const clock_map& clocks = *of_launch;
    double cycles = 0;
    double ns = 0;
    for (const warp_timeline& warp : of.warps) {
      cycles += static_cast<double>(warp.cycles);
      ns += static_cast<double>(warp.unobserved - warp.observed) / 1000;
    }
    const bool tells = !clocks.rate_assumed() && cycles > 0 && ns > 0;
    return {tells ? cycles / ns : clocks.sm_ghz(),
            clocks.tick_ns(),
            static_cast<double>(uncertainties.largest()) / 1000,
            static_cast<double>(uncertainties.median()) / 1000,
            clocks.rate_assumed(),
            {of_launch, &of_launch->domains()}};
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
  launch_clocks clocks_;
  code_site_tables code_sites_;
  bool has_failed_ = false;  // a launch, by the file
};

}  // namespace

timeline build_timeline(const trace_view& view, const std::string& name, nameless_sites nameless) {
  return timeline_builder(view, name).build(nameless);
}

load_result load_timeline(const std::string& path, const site_source* sites, nameless_sites nameless) {
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
  trace_view& view = std::get<trace_view>(read);
  result.damaged = !view.damages.empty();
  if (result.damaged) result.damage = view.damages.front();
  const std::vector<std::string> loans =
      sites != nullptr ? borrow_sites(sites->view(), sites->path(), view) : std::vector<std::string>();
  result.trace = build_timeline(view, path, sites != nullptr ? nameless_sites::told : nameless);
  result.trace->warnings.insert(result.trace->warnings.end(), loans.begin(), loans.end());
  return result;
}

}  // namespace iket::analysis
