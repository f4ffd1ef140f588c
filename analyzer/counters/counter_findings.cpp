// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "counter_findings.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bottleneck_findings.hpp"
#include "fraction.hpp"
#include "units.hpp"

namespace iket::analysis::counters {
namespace {

constexpr counter_thresholds thresholds;

std::string whole_percent(double percent) { return fixed_text(percent, 0) + " %"; }

/// "kernels.cu:34, kernels.cu:41"
std::string lines_text(const std::vector<source_location>& lines) {
  std::string text;
  for (const source_location& line : lines)
    text += (text.empty() ? "" : ", ") + line.file + ":" + std::to_string(line.line);
  return text;
}

/// A unit of the GPU that a kernel may keep busy, and what to do where it does.
struct unit {
  const char* figure;
  const char* does;   ///< "DRAM runs at" 88 % of its peak
  const char* bound;  ///< "memory-bound"
  const char* next;
};

constexpr unit units[] = {
    {"dram_throughput_percent", "DRAM runs at", "memory-bound",
     "move fewer bytes: reuse what is loaded (larger tiles, an order of the tiles that hits in L2), smaller types"},
    {"l2_throughput_percent", "L2 runs at", "bound by L2",
     "ask L2 for less: larger tiles, multicast within a cluster, what CTAs share kept in shared memory"},
    {"l1_throughput_percent", "L1 and shared memory run at", "bound by L1 and shared memory",
     "move less through them: keep values in registers, access without bank conflicts, copy with TMA"},
    {"tensor_pipe_percent", "the tensor pipe is at", "compute-bound",
     "the rest is what keeps the tensor pipe waiting between tiles; beyond it only fewer operations or a smaller type"},
    {"fma_pipe_percent", "the FMA pipe is at", "compute-bound",
     "fewer or cheaper operations: packed types, tensor cores"},
    {"sm_throughput_percent", "the SMs' busiest pipe is at", "compute-bound",
     "fewer or cheaper operations on that pipe"},
    {"issue_slots_percent", "issue slots are at", "bound by issuing instructions",
     "fewer instructions: wider loads, less address arithmetic, unrolled loops"},
};

class finding_writer {
 public:
  explicit finding_writer(launch_report& launch) : launch_(launch), of_(*launch.counters) {}

  void write() {
    if (launch_.launches_checked == 0 && of_.time_doubt.empty()) explain_wait();
    for (const stage_counters& stage : of_.stages) {
      add_spills(stage);
      add_conflicts(stage);
      add_uncoalesced(stage);
    }
    if (of_.division != division_kind::instructions) add_spills_of_kernel();
    const auto is_other = [](const finding& one) { return one.severity != severity::bottleneck; };
    const auto behind = std::find_if(launch_.findings.begin(), launch_.findings.end(), is_other);
    launch_.findings.insert(behind, found_.begin(), found_.end());
  }

 private:
  [[nodiscard]] double part_of_sum(const stage_counters& stage, std::string_view key) const {
    return fraction(of_.value(stage.values, key), of_.value(of_.sums, key));
  }

  /// The part of a stage's samples that are stalled for one of these reasons.
  [[nodiscard]] double stalled(const stage_counters& stage, std::initializer_list<std::string_view> reasons) const {
    std::uint64_t sum = 0;
    for (const std::string_view reason : reasons) sum += of_.value(stage.values, reason);
    return fraction(sum, of_.value(stage.values, "samples"));
  }

  [[nodiscard]] bool is_idle(const stage_counters& stage) const {
    return of_.column("samples") && part_of_sum(stage, "samples") < thresholds.stage_part;
  }

  [[nodiscard]] const stage_counters* part_named(const std::string& stage) const {
    const stage_counters* const work = of_.find(stage, stage_kind::work);
    return work != nullptr ? work : of_.find(stage, stage_kind::wait);
  }

  void explain_wait() {
    const std::vector<wait_bottleneck> bottlenecks = wait_bottlenecks_of(launch_);
    if (bottlenecks.empty()) return;
    const wait_bottleneck& one = bottlenecks.front();
    if (of_.figures.empty()) return;  // a page 'source' alone
    if (const std::string missing = missing_units(); !missing.empty()) {
      found_.push_back({severity::info,
                        "what bounds " + quoted(one.stage) + " is not told: the pages have no usable figure of " +
                            missing + ", which ncu --set full measures",
                        one.stage,
                        {}});
      return;
    }
    const unit* const busiest = busiest_unit();
    const double percent = *of_.figure(busiest->figure);
    std::string text = quoted(one.stage) + " covers " + percent_text(one.covered) + " of the waiting in " +
                       quoted(one.wait->stage) + memory_text(one.stage) + "; ";
    if (percent >= 100 * thresholds.bound) {
      text += std::string(busiest->does) + " " + whole_percent(percent) + " of its peak: " + busiest->bound +
              ". Next: " + busiest->next;
    } else if (percent < 100 * thresholds.idle) {
      text += "nothing is near its peak (" + std::string(busiest->does) + " " + whole_percent(percent) +
              ", the most): latency-bound. Next: " + latency_advice(one);
    } else {
      return;
    }
    found_.push_back({severity::bottleneck, std::move(text), one.stage, percent / 100});
  }

  /// Of those in which every other one is contained: without one of them nobody knows which is the busiest.
  [[nodiscard]] std::string missing_units() const {
    constexpr std::pair<const char*, const char*> needed[] = {{"dram_throughput_percent", "DRAM"},
                                                              {"l2_throughput_percent", "L2"},
                                                              {"l1_throughput_percent", "L1"},
                                                              {"sm_throughput_percent", "the SMs"}};
    std::string names;
    for (const auto& [figure, name] : needed)
      if (!of_.figure(figure)) names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
  }

  [[nodiscard]] const unit* busiest_unit() const {
    const unit* busiest = nullptr;
    for (const unit& one : units) {
      const std::optional<double> percent = of_.figure(one.figure);
      if (percent && (busiest == nullptr || *percent > *of_.figure(busiest->figure))) busiest = &one;
    }
    // What comes from DRAM passes L2, whose figure has the way there in it.
    const std::optional<double> dram = of_.figure(units[0].figure);
    const bool is_about_dram = busiest != nullptr && std::string_view(busiest->figure) == "l2_throughput_percent" &&
                               dram && *dram >= 100 * thresholds.bound &&
                               *dram >= *of_.figure(busiest->figure) - 100 * thresholds.about;
    return is_about_dram ? &units[0] : busiest;
  }

  /// What a stage has of the memory traffic, where its own instructions cause any.
  [[nodiscard]] std::string memory_text(const std::string& stage) const {
    const stage_counters* const part = part_named(stage);
    if (part == nullptr || of_.value(part->values, "l2_sectors_global") == 0) return {};
    return "; its code asks for " + percent_text(part_of_sum(*part, "l2_sectors_global")) + " of the L2 sectors";
  }

  [[nodiscard]] std::string latency_advice(const wait_bottleneck& one) const {
    if (!one.in_flight)
      return "more independent work at a time in " + quoted(one.stage) + ", or more warps that do it" +
             occupancy_text();
    std::string text = "have more of " + quoted(one.stage) + " in flight";
    for (const pipeline& loop : launch_.related.pipelines.pipelines)
      for (const pipeline_stage& stage : loop.stages)
        if (stage.depth && stage.stage == one.stage + std::string(in_flight_suffix))
          return text + ", now " + std::to_string(*stage.depth) + " at most: more slots, or loads issued earlier";
    return text + ": more slots, or loads issued earlier";
  }

  [[nodiscard]] std::string occupancy_text() const {
    if (of_.occupancy_limit.empty()) return {};
    return " (" + of_.occupancy_limit + " keep more CTAs from an SM)";
  }

  [[nodiscard]] std::string registers_text() const {
    const std::optional<double> registers = of_.figure("registers_per_thread");
    return registers ? "; the kernel has " + fixed_text(*registers, 0) + " registers a thread" : std::string();
  }

  void add_spills(const stage_counters& stage) {
    const double part = fraction(stage.spill_instructions, of_.value(stage.values, "instructions"));
    if (part < thresholds.spills || is_idle(stage)) return;
    found_.push_back({severity::bottleneck,
                      quoted(stage.stage) + (is_spilled() ? " spills registers: " : " has values in local memory: ") +
                          percent_text(part) + " of its instructions are loads and stores of local memory" +
                          at(stage.spill_lines) + registers_text() + ". Next: " + local_advice(),
                      stage.stage, part});
  }

  /// Whether what lies in local memory has found no register. Where the pages do not say, it is taken for that.
  [[nodiscard]] bool is_spilled() const { return of_.figure("spill_requests").value_or(1) != 0; }

  [[nodiscard]] std::string local_advice() const {
    return is_spilled()
               ? "fewer values alive at a time, or more registers (__launch_bounds__ with fewer CTAs, a higher "
                 "maxrregcount)"
               : "an array whose index the compiler does not know lies there: unroll the loops that index it, or "
                 "keep it in shared memory";
  }

  [[nodiscard]] std::string at(const std::vector<source_location>& lines) const {
    return lines.empty() ? ", at lines that the page does not tell (build with -lineinfo)"
                         : ", at " + lines_text(lines);
  }

  void add_spills_of_kernel() {
    const std::optional<double> loads = of_.figure("local_loads"), stores = of_.figure("local_stores"),
                                instructions = of_.figure("instructions");
    if (!loads || !stores || !instructions || *instructions <= 0) return;
    const double part = (*loads + *stores) / *instructions;
    if (part < thresholds.spills) return;
    found_.push_back({severity::bottleneck,
                      std::string("the kernel ") +
                          (is_spilled() ? "spills registers: " : "has values in local memory: ") + percent_text(part) +
                          " of its instructions are loads and stores of local memory; a page 'source' with machine "
                          "code tells in which stage" +
                          registers_text() + ". Next: " + local_advice(),
                      {},
                      part});
  }

  void add_conflicts(const stage_counters& stage) {
    const double part =
        fraction(of_.value(stage.values, "shared_wavefronts_excessive"), of_.value(stage.values, "shared_wavefronts"));
    if (part < thresholds.conflicts || is_idle(stage) ||
        stalled(stage, {"stall_short_sb", "stall_mio", "stall_lg"}) < thresholds.memory_part)
      return;
    found_.push_back({severity::bottleneck,
                      quoted(stage.stage) + " has bank conflicts: " + percent_text(part) +
                          " of its shared memory wavefronts are there for them alone" + at(stage.conflict_lines) +
                          ". Next: pad the rows by one element, or swizzle the addresses",
                      stage.stage, part});
  }

  void add_uncoalesced(const stage_counters& stage) {
    const double part =
        fraction(of_.value(stage.values, "l2_sectors_global_excessive"), of_.value(stage.values, "l2_sectors_global"));
    if (part < thresholds.uncoalesced || is_idle(stage) ||
        stalled(stage, {"stall_long_sb", "stall_lg"}) < thresholds.memory_part)
      return;
    found_.push_back({severity::bottleneck,
                      quoted(stage.stage) + " has uncoalesced accesses: " + percent_text(part) +
                          " of its L2 sectors would not be needed if neighbouring lanes accessed neighbouring "
                          "addresses. Next: have them do so, through shared memory if need be",
                      stage.stage, part});
  }

  launch_report& launch_;
  const launch_counters& of_;
  std::vector<finding> found_;
};

}  // namespace

void add_counter_findings(launch_report& launch) {
  if (launch.counters && launch.counters->doubts.empty()) finding_writer(launch).write();
}

}  // namespace iket::analysis::counters
