// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "kernel_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "units.hpp"

namespace iket::analysis::counters {
namespace {

/// A figure, and where it comes from: a metric of page `raw`, and section and name of page `details`, or "".
struct figure_source {
  const char* key;
  const char* label;
  const char* raw;
  const char* details;
};

constexpr std::array figure_sources = {
    figure_source{"duration_s", "duration", "gpu__time_duration.sum", "GPU Speed Of Light Throughput/Duration"},
    figure_source{"sm_throughput_percent", "compute throughput, of peak",
                  "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/Compute (SM) Throughput"},
    figure_source{"memory_throughput_percent", "memory throughput, of peak",
                  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/Memory Throughput"},
    figure_source{"dram_throughput_percent", "DRAM throughput, of peak",
                  "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/DRAM Throughput"},
    figure_source{"l2_throughput_percent", "L2 throughput, of peak",
                  "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/L2 Cache Throughput"},
    figure_source{"l1_throughput_percent", "L1 throughput, of peak",
                  "l1tex__throughput.avg.pct_of_peak_sustained_active",
                  "GPU Speed Of Light Throughput/L1/TEX Cache Throughput"},
    figure_source{"tensor_pipe_percent", "tensor pipe busy",
                  "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", ""},
    figure_source{"fma_pipe_percent", "FMA pipe busy", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
                  ""},
    figure_source{"issue_slots_percent", "issue slots busy", "smsp__issue_active.avg.pct_of_peak_sustained_active",
                  "Scheduler Statistics/One or More Eligible"},
    figure_source{"occupancy_percent", "occupancy, achieved", "sm__warps_active.avg.pct_of_peak_sustained_active",
                  "Occupancy/Achieved Occupancy"},
    figure_source{"occupancy_theoretical_percent", "occupancy, theoretical", "sm__maximum_warps_per_active_cycle_pct",
                  "Occupancy/Theoretical Occupancy"},
    figure_source{"dram_read_bytes", "DRAM read", "dram__bytes_read.sum", ""},
    figure_source{"dram_write_bytes", "DRAM written", "dram__bytes_write.sum", ""},
    figure_source{"l2_sectors", "L2 sectors", "lts__t_sectors.sum", ""},
    figure_source{"l1_hit_percent", "L1 hit rate", "l1tex__t_sector_hit_rate.pct",
                  "Memory Workload Analysis/L1/TEX Hit Rate"},
    figure_source{"l2_hit_percent", "L2 hit rate", "lts__t_sector_hit_rate.pct",
                  "Memory Workload Analysis/L2 Hit Rate"},
    figure_source{"instructions", "instructions", "smsp__inst_executed.sum",
                  "Instruction Statistics/Executed Instructions"},
    figure_source{"registers_per_thread", "registers a thread", "launch__registers_per_thread",
                  "Launch Statistics/Registers Per Thread"},
    figure_source{"shared_static_bytes", "shared memory a CTA, static", "launch__shared_mem_per_block_static",
                  "Launch Statistics/Static Shared Memory Per Block"},
    figure_source{"shared_dynamic_bytes", "shared memory a CTA, dynamic", "launch__shared_mem_per_block_dynamic",
                  "Launch Statistics/Dynamic Shared Memory Per Block"},
    figure_source{"bank_conflicts", "shared memory bank conflicts",
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ""},
    figure_source{"local_loads", "local memory loads", "smsp__sass_inst_executed_op_local_ld.sum", ""},
    figure_source{"local_stores", "local memory stores", "smsp__sass_inst_executed_op_local_st.sum", ""},
    figure_source{"spill_requests", "register spill requests", "derived__local_spilling_requests",
                  "Memory Workload Analysis/Local Memory Spilling Requests"},
};

/// What is larger than any figure can be is none. The profiler counts in several runs, whose clocks differ: a part of
/// peak may come out somewhat above 100 %.
constexpr double most_figure = 1e18;
constexpr double most_percent = 120;

bool is_possible(std::string_view key, double value) {
  return value >= 0 && value < (key.ends_with("_percent") ? most_percent : most_figure);
}

using metrics = std::map<std::string, metric>;

std::vector<double> values_in(std::span<const profiled_kernel* const> launches, metrics profiled_kernel::*page,
                              const char* name, std::string_view key) {
  std::vector<double> values;
  for (const profiled_kernel* const launch : launches)
    if (const auto at = (launch->*page).find(name); at != (launch->*page).end() && is_possible(key, at->second.value))
      values.push_back(at->second.value);
  return values;
}

/// What each launch has of it whose page `raw` has it; where none has, whose page `details` has it. One launch may be
/// in both pages.
template <class Source>
std::vector<double> values_of(std::span<const profiled_kernel* const> launches, const Source& from,
                              std::string_view key) {
  std::vector<double> values = values_in(launches, &profiled_kernel::raw, from.raw, key);
  return values.empty() ? values_in(launches, &profiled_kernel::details, from.details, key) : values;
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What a launch's page has in a figure's place that is none: words, or a number that cannot be. Empty: nothing.
std::string unusable_in(const profiled_kernel& launch, const figure_source& from) {
  for (const auto& [page, name] : {std::pair(&launch.raw, from.raw), std::pair(&launch.details, from.details)}) {
    if (const auto at = page->find(name); at != page->end() && !is_possible(from.key, at->second.value))
      return fixed_text(at->second.value, 1);
    if (const auto at = launch.texts.find(name); at != launch.texts.end()) return at->second;
  }
  return {};
}

struct limit_source {
  const char* what;
  const char* raw;
  const char* details;
};

// Of CTAs on an SM. The first two are the kernel's doing, the others the SM's.
constexpr std::array limit_sources = {
    limit_source{"registers", "launch__occupancy_limit_registers", "Occupancy/Block Limit Registers"},
    limit_source{"shared memory", "launch__occupancy_limit_shared_mem", "Occupancy/Block Limit Shared Mem"},
    limit_source{"", "launch__occupancy_limit_warps", "Occupancy/Block Limit Warps"},
    limit_source{"", "launch__occupancy_limit_blocks", "Occupancy/Block Limit SM"},
};

}  // namespace

std::vector<kernel_figure> figures_of(std::span<const profiled_kernel* const> launches) {
  std::vector<kernel_figure> figures;
  for (const figure_source& from : figure_sources)
    if (const std::optional<double> value = mean_of(values_of(launches, from, from.key)))
      figures.push_back({from.key, from.label, *value});
  return figures;
}

std::vector<double> figure_of_each(std::span<const profiled_kernel* const> launches, std::string_view key) {
  for (const figure_source& from : figure_sources)
    if (key == from.key) return values_of(launches, from, key);
  return {};
}

std::vector<unusable_figure> unusable_figures_of(std::span<const profiled_kernel* const> launches) {
  std::vector<unusable_figure> found;
  for (const figure_source& from : figure_sources)
    for (const profiled_kernel* const launch : launches)
      if (std::string text = unusable_in(*launch, from); !text.empty()) {
        found.push_back({from.label, std::move(text)});
        break;
      }
  return found;
}

std::vector<kernel_figure> stall_reasons_of(std::span<const profiled_kernel* const> launches) {
  constexpr std::string_view begin = "smsp__average_warps_issue_stalled_";
  constexpr std::string_view end = "_per_issue_active.ratio";
  std::map<std::string, double> sums;
  for (const profiled_kernel* const launch : launches)
    for (auto at = launch->raw.lower_bound(std::string(begin)); at != launch->raw.end(); ++at) {
      const std::string_view name = at->first;
      if (!name.starts_with(begin)) break;
      if (!name.ends_with(end) || name.size() <= begin.size() + end.size()) continue;
      // A page's names go to outputs: what is no name of a reason is none.
      if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") != std::string_view::npos) continue;
      sums[std::string(name.substr(begin.size(), name.size() - begin.size() - end.size()))] += at->second.value;
    }
  const auto with_raw = static_cast<double>(
      std::count_if(launches.begin(), launches.end(), [](const profiled_kernel* one) { return !one->raw.empty(); }));
  std::vector<kernel_figure> reasons;
  for (const auto& [name, sum] : sums) {
    std::string label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    if (sum > 0 && sum < most_figure) reasons.push_back({"stalled_" + name, label, sum / with_raw});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const kernel_figure& a, const kernel_figure& b) { return a.value > b.value; });
  return reasons;
}

std::string occupancy_limit_of(std::span<const profiled_kernel* const> launches) {
  double least = std::numeric_limits<double>::infinity();
  std::string names;
  for (const limit_source& from : limit_sources) {
    const std::optional<double> ctas = mean_of(values_of(launches, from, {}));
    if (!ctas || *ctas > least) continue;
    if (*ctas < least) names.clear();
    least = *ctas;
    const std::string_view what = from.what;
    if (what.empty()) {
      names.clear();  // the SM takes no more, whatever the kernel needs
      break;
    }
    names += (names.empty() ? "" : " and ") + std::string(what);
  }
  return names;
}

}  // namespace iket::analysis::counters
