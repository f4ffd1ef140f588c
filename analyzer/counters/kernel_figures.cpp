// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "kernel_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "units.hpp"
#include "utf8.hpp"

namespace iket::analysis::counters {
namespace {

/// A figure, and where it comes from: a metric of page `raw`, and section and name of page `details`, or "".
struct figure_source {
  const char* key;
  const char* label;
  const char* unit;  ///< that it must have, without which it tells nothing; "": any
  const char* raw;
  const char* details;
};

constexpr std::array figure_sources = {
    figure_source{"duration_s", "duration", "s", "gpu__time_duration.sum", "GPU Speed Of Light Throughput/Duration"},
    figure_source{"sm_throughput_percent", "compute throughput, of peak", "",
                  "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/Compute (SM) Throughput"},
    figure_source{"memory_throughput_percent", "memory throughput, of peak", "",
                  "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/Memory Throughput"},
    figure_source{"dram_throughput_percent", "DRAM throughput, of peak", "",
                  "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/DRAM Throughput"},
    figure_source{"l2_throughput_percent", "L2 throughput, of peak", "",
                  "lts__throughput.avg.pct_of_peak_sustained_elapsed",
                  "GPU Speed Of Light Throughput/L2 Cache Throughput"},
    figure_source{"l1_throughput_percent", "L1 throughput, of peak", "",
                  "l1tex__throughput.avg.pct_of_peak_sustained_active",
                  "GPU Speed Of Light Throughput/L1/TEX Cache Throughput"},
    figure_source{"tensor_pipe_percent", "tensor pipe busy", "",
                  "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", ""},
    figure_source{"fma_pipe_percent", "FMA pipe busy", "",
                  "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", ""},
    figure_source{"issue_slots_percent", "issue slots busy", "", "smsp__issue_active.avg.pct_of_peak_sustained_active",
                  "Scheduler Statistics/One or More Eligible"},
    figure_source{"occupancy_percent", "occupancy, achieved", "", "sm__warps_active.avg.pct_of_peak_sustained_active",
                  "Occupancy/Achieved Occupancy"},
    figure_source{"occupancy_theoretical_percent", "occupancy, theoretical", "",
                  "sm__maximum_warps_per_active_cycle_pct", "Occupancy/Theoretical Occupancy"},
    figure_source{"dram_read_bytes", "DRAM read", "byte", "dram__bytes_read.sum", ""},
    figure_source{"dram_write_bytes", "DRAM written", "byte", "dram__bytes_write.sum", ""},
    figure_source{"l2_sectors", "L2 sectors", "", "lts__t_sectors.sum", ""},
    figure_source{"l1_hit_percent", "L1 hit rate", "", "l1tex__t_sector_hit_rate.pct",
                  "Memory Workload Analysis/L1/TEX Hit Rate"},
    figure_source{"l2_hit_percent", "L2 hit rate", "", "lts__t_sector_hit_rate.pct",
                  "Memory Workload Analysis/L2 Hit Rate"},
    figure_source{"instructions", "instructions", "", "smsp__inst_executed.sum",
                  "Instruction Statistics/Executed Instructions"},
    figure_source{"registers_per_thread", "registers a thread", "", "launch__registers_per_thread",
                  "Launch Statistics/Registers Per Thread"},
    figure_source{"shared_static_bytes", "shared memory a CTA, static", "byte", "launch__shared_mem_per_block_static",
                  "Launch Statistics/Static Shared Memory Per Block"},
    figure_source{"shared_dynamic_bytes", "shared memory a CTA, dynamic", "byte",
                  "launch__shared_mem_per_block_dynamic", "Launch Statistics/Dynamic Shared Memory Per Block"},
    figure_source{"bank_conflicts", "shared memory bank conflicts", "",
                  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", ""},
    figure_source{"local_loads", "local memory loads", "", "smsp__sass_inst_executed_op_local_ld.sum", ""},
    figure_source{"local_stores", "local memory stores", "", "smsp__sass_inst_executed_op_local_st.sum", ""},
    figure_source{"spill_requests", "register spill requests", "", "derived__local_spilling_requests",
                  "Memory Workload Analysis/Local Memory Spilling Requests"},
};

/// What is larger than any figure can be is none. The profiler counts in several runs, whose clocks differ: a part of
/// peak may come out somewhat above 100 %.
constexpr double most_figure = 1e18;
constexpr double most_percent = 120;
constexpr std::size_t most_told = 40;  // bytes of what stands in a figure's place

bool is_possible(const metric& one, const figure_source& of) {
  const std::string_view key = of.key, unit = of.unit;
  const bool has_unit =
      unit.empty() || one.unit == unit || one.unit.starts_with(std::string(unit) + "/");  // "byte/block"
  return has_unit && one.value >= 0 && one.value < (key.ends_with("_percent") ? most_percent : most_figure);
}

/// What each launch has of it whose page `raw` has it; where none has, whose page `details` has it. One launch may be
/// in both pages.
std::vector<double> values_of(std::span<const profiled_kernel* const> launches, const figure_source& from) {
  for (const auto& [page, name] :
       {std::pair(&profiled_kernel::raw, from.raw), std::pair(&profiled_kernel::details, from.details)}) {
    std::vector<double> values;
    for (const profiled_kernel* const launch : launches)
      if (const auto at = (launch->*page).find(name); at != (launch->*page).end() && is_possible(at->second, from))
        values.push_back(at->second.value);
    if (!values.empty()) return values;
  }
  return {};
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string text_of(const metric& one) {
  return fixed_text(one.value, 1) + (one.unit.empty() ? "" : " ") + std::string(first_bytes(one.unit, most_told));
}

/// What stands in a figure's place in the page that it would be taken from, and is none. Empty: nothing.
std::string unusable_in(const profiled_kernel& launch, const figure_source& from) {
  for (const auto& [page, name] : {std::pair(&launch.raw, from.raw), std::pair(&launch.details, from.details)}) {
    if (const auto at = page->find(name); at != page->end())
      return is_possible(at->second, from) ? std::string() : text_of(at->second);
    if (const auto at = launch.texts.find(name); at != launch.texts.end())
      return std::string(first_bytes(at->second, most_told));
  }
  return {};
}

// Of CTAs on an SM; the label says what the kernel takes too much of. The last two are the SM's doing.
constexpr std::array limit_sources = {
    figure_source{"", "registers", "", "launch__occupancy_limit_registers", "Occupancy/Block Limit Registers"},
    figure_source{"", "shared memory", "", "launch__occupancy_limit_shared_mem", "Occupancy/Block Limit Shared Mem"},
    figure_source{"", "", "", "launch__occupancy_limit_warps", "Occupancy/Block Limit Warps"},
    figure_source{"", "", "", "launch__occupancy_limit_blocks", "Occupancy/Block Limit SM"},
};

constexpr figure_source stall_source{"", "", "", "", ""};
constexpr std::string_view stall_begin = "smsp__average_warps_issue_stalled_";
constexpr std::string_view stall_end = "_per_issue_active.ratio";

/// "long_scoreboard"; empty where a metric is no stall reason. A page's names go to outputs: what is no name is none.
std::string_view reason_in(std::string_view metric_name) {
  if (!metric_name.starts_with(stall_begin) || !metric_name.ends_with(stall_end) ||
      metric_name.size() <= stall_begin.size() + stall_end.size() ||
      metric_name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") != std::string_view::npos)
    return {};
  return metric_name.substr(stall_begin.size(), metric_name.size() - stall_begin.size() - stall_end.size());
}

std::string label_of(std::string_view reason) {
  std::string label(reason);
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

}  // namespace

std::vector<kernel_figure> figures_of(std::span<const profiled_kernel* const> launches) {
  std::vector<kernel_figure> figures;
  for (const figure_source& from : figure_sources)
    if (const std::optional<double> value = mean_of(values_of(launches, from)))
      figures.push_back({from.key, from.label, *value});
  return figures;
}

std::vector<double> figure_of_each(std::span<const profiled_kernel* const> launches, std::string_view key) {
  for (const figure_source& from : figure_sources)
    if (key == from.key) return values_of(launches, from);
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
  std::set<std::string_view> reasons;
  const auto add = [&](const std::string& name, std::string text) {
    if (const std::string_view reason = reason_in(name); !reason.empty() && reasons.insert(reason).second)
      found.push_back({"warps stalled: " + label_of(reason), std::move(text)});
  };
  for (const profiled_kernel* const launch : launches) {
    for (const auto& [name, text] : launch->texts) add(name, std::string(first_bytes(text, most_told)));
    for (const auto& [name, one] : launch->raw)
      if (!is_possible(one, stall_source)) add(name, text_of(one));
  }
  return found;
}

std::vector<kernel_figure> stall_reasons_of(std::span<const profiled_kernel* const> launches) {
  std::map<std::string, std::vector<double>, std::less<>> by_reason;
  for (const profiled_kernel* const launch : launches)
    for (auto at = launch->raw.lower_bound(std::string(stall_begin));
         at != launch->raw.end() && at->first.starts_with(stall_begin); ++at)
      if (const std::string_view reason = reason_in(at->first);
          !reason.empty() && is_possible(at->second, stall_source))
        by_reason[std::string(reason)].push_back(at->second.value);
  std::vector<kernel_figure> reasons;
  for (const auto& [name, values] : by_reason)
    if (const double mean = *mean_of(values); mean > 0) reasons.push_back({"stalled_" + name, label_of(name), mean});
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const kernel_figure& a, const kernel_figure& b) { return a.value > b.value; });
  return reasons;
}

std::string occupancy_limit_of(std::span<const profiled_kernel* const> launches) {
  double least = std::numeric_limits<double>::infinity();
  std::string names;
  for (const figure_source& from : limit_sources) {
    const std::optional<double> ctas = mean_of(values_of(launches, from));
    if (!ctas || *ctas > least) continue;
    if (*ctas < least) names.clear();
    least = *ctas;
    const std::string_view what = from.label;
    if (what.empty()) {
      names.clear();  // the SM takes no more, whatever the kernel needs
      break;
    }
    names += (names.empty() ? "" : " and ") + std::string(what);
  }
  return names;
}

}  // namespace iket::analysis::counters
