// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What an event costs: added SM cycles of this library's and other recorders, one run, the same loops for all, on the
/// GPU at hand. Fails if the library misses a limit, and names it.
///
/// The clock is read in the kernel around the loop, by each warp; CUDA events cross-check it. A figure is the median
/// over launches of the mean over warps, with the recorder less without, per event.
///
/// The verdict back to back is that of one warp per SM, where nothing hides an event's latency: the stricter one.
/// Among work it is that of 8 warps per SM. Both run on all SMs. Rivals count as compiled from plain source.
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include <iket/iket.cuh>

#include "event_cost/event_bytes.cuh"
#include "event_cost/loops.cuh"
#include "event_cost/measure.cuh"
#include "event_cost/open_close.cuh"
#include "event_cost/report.hpp"

namespace {

using namespace event_cost;

constexpr unsigned warp_counts[] = {1, 4, 8, 16};
constexpr int placements = 8;  // those warps on one CTA, then on each SM
constexpr const char* loop_names[] = {"back to back", "among 64 dependent FMAs"};
constexpr const char* verdict_names[] = {"back to back, 8 warps/SM", "among 64 FMAs, 8 warps/SM"};
constexpr int verdicts[] = {6, 6};  // among the placements

constexpr double most_over_floor[] = {1.3, 1.15};
constexpr double least_under_rivals = 2.5;
constexpr double most_open_close_cycles = 300;

/// One loop's times: by placement, then by row.
using loop_table = std::vector<std::vector<loop_times>>;

class report {
 public:
  report(const std::vector<variant>& variants, loop_kind loop, loop_table times)
      : variants_(variants), loop_(static_cast<int>(loop)), times_(std::move(times)) {}

  [[nodiscard]] double cost(int row, int place) const {
    const std::vector<loop_times>& at = times_[static_cast<std::size_t>(place)];
    return added(at[static_cast<std::size_t>(row)].mean_cycles, at[none].mean_cycles, events(row));
  }
  [[nodiscard]] double ratio(int of, int to) const { return cost(of, verdicts[loop_]) / cost(to, verdicts[loop_]); }
  [[nodiscard]] double clock_ghz() const { return verdict()[none].clock_ghz; }

  void print_costs() const {
    print_head(loop_names[loop_], warp_counts);
    for (int row = floor_row; row < rows; ++row)
      print_row(name(row), each_place([&](int place) { return cost(row, place); }), 1);
    print_ratio("IKET mark / floor", mark, floor_row);
    print_ratio("IKET mark / (floor + hold)", mark, held_floor);
    print_ratio("rival 1 / IKET mark", wide, mark);
    print_ratio("rival 2 / IKET mark", fenced, mark);
    print_ratio("rival 1 (*) / IKET mark", kept_wide, mark);
    print_ratio("rival 2 (*) / IKET mark", kept_fenced, mark);
  }

  /// The verdict's column in detail.
  void print_verdict() const {
    std::printf("\n%-36s %10s %13s %16s %10s\n", verdict_names[loop_], "mean warp", "slowest warp", "by CUDA events",
                "registers");
    const std::vector<loop_times>& at = verdict();
    const double steps = double{timed_passes} * steps_per_pass;
    for (int row = none; row < rows; ++row) {
      const loop_times& one = at[static_cast<std::size_t>(row)];
      cudaFuncAttributes attributes{};
      const auto kernel = variants_[static_cast<std::size_t>(row)].kernels[loop_];
      check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), "cudaFuncGetAttributes");
      if (row == none)
        std::printf("%-36s %10.1f %13.1f %16s %10d  (whole)\n", name(row), one.mean_cycles / steps,
                    one.max_cycles / steps, "", attributes.numRegs);
      else
        std::printf("%-36s %10.1f %13.1f %16.1f %10d\n", name(row), cost(row, verdicts[loop_]),
                    added(one.max_cycles, at[none].max_cycles, events(row)),
                    added_by_launch(one, at[none], events(row)), attributes.numRegs);
    }
  }

  void add_limits(std::vector<limit>& limits) const {
    const std::string where = std::string(", ") + verdict_names[loop_];
    limits.push_back({"IKET mark / floor" + where, ratio(mark, floor_row), most_over_floor[loop_], true});
    limits.push_back({"rival 1 / IKET mark" + where, ratio(wide, mark), least_under_rivals, false});
    limits.push_back({"rival 2 / IKET mark" + where, ratio(fenced, mark), least_under_rivals, false});
  }

 private:
  [[nodiscard]] const char* name(int row) const { return variants_[static_cast<std::size_t>(row)].name; }
  [[nodiscard]] unsigned events(int row) const { return variants_[static_cast<std::size_t>(row)].events_per_step; }
  [[nodiscard]] const std::vector<loop_times>& verdict() const {
    return times_[static_cast<std::size_t>(verdicts[loop_])];
  }
  template <class Figure>
  [[nodiscard]] static std::vector<double> each_place(const Figure& figure) {
    std::vector<double> values;
    for (int place = 0; place < placements; ++place) values.push_back(figure(place));
    return values;
  }
  void print_ratio(const char* title, int of, int to) const {
    print_row(title, each_place([&](int place) { return cost(of, place) / cost(to, place); }), 2);
  }

  const std::vector<variant>& variants_;
  int loop_;
  loop_table times_;
};

report measure_loop(const std::vector<variant>& variants, const loop_bench& bench, loop_kind loop, unsigned sms) {
  loop_table times;
  for (unsigned ctas : {1u, sms})
    for (unsigned warps : warp_counts) times.push_back(bench.measure(loop, {ctas, warps}));
  return {variants, loop, std::move(times)};
}

void print_and_limit_open_close(unsigned sms, unsigned warps, std::vector<limit>& limits) {
  const open_close_figures figures = open_close_bench(sms, warps).measure();
  const std::string title = "open and close, warps on an SM: " + std::to_string(warps);
  std::printf("\n%-36s %16s %16s\n", title.c_str(), "first CTA on SM", "later CTAs");
  const auto print = [&](const char* name, const open_close_times& times) {
    std::printf("%-36s %16.0f %16.0f\n", name, times.cold - figures.without.cold, times.warm - figures.without.warm);
  };
  print("all: a traced CTA", figures.traced);
  print("every: a CTA that is not traced", figures.untraced);
  print("list: a traced CTA", figures.listed);
  print("replayable: a traced CTA", figures.replayed);
  print("inert tracer", figures.inert);
  std::printf("%-36s %16.0f %16.0f  (whole)\n", "without", figures.without.cold, figures.without.warm);
  const auto add = [&](const char* name, const open_close_times& times) {
    limits.push_back({std::string("open and close, ") + name + ", warps " + std::to_string(warps) + " [cycles]",
                      times.warm - figures.without.warm, most_open_close_cycles, true});
  };
  add("all", figures.traced);
  add("every", figures.untraced);
}

bool run(const cudaDeviceProp& device) {
  const auto sms = static_cast<unsigned>(device.multiProcessorCount);
  const std::vector<variant> variants = all_variants();
  const loop_bench bench(variants, device);
  const report tight = measure_loop(variants, bench, loop_kind::back_to_back, sms);
  const report spread = measure_loop(variants, bench, loop_kind::among_work, sms);

  std::printf("%s, %u SMs, SM clock %.3f GHz by the global timer\n", device.name, sms, spread.clock_ghz());
  std::printf("added cycles per event; loops of %u steps, unrolled by %u; medians of %d launches\n", steps_per_pass,
              steps_per_trip, timed_rounds);
  std::printf("(*) address and tag forced into registers: ptxas then makes predicates of the branches\n");
  std::vector<limit> limits;
  for (const report* one : {&tight, &spread}) {
    one->print_costs();
    one->print_verdict();
    one->add_limits(limits);
  }
  const auto bytes = [&](const char* what, int row, double bound) {
    limits.push_back({what, event_bytes(variants[static_cast<std::size_t>(row)]), bound, true});
  };
  bytes("bytes a mark", mark, 8);
  bytes("bytes an event of a range", range, 8);
  bytes("bytes a mark with 32-bit payload", payload32, 16);
  bytes("bytes a mark with 64-bit payload", payload64, 24);
  for (const unsigned warps : {1u, 8u}) print_and_limit_open_close(sms, warps, limits);
  return print_limits(limits);
}

}  // namespace

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::printf("skipped: no usable GPU\n");
    return 77;
  }
  try {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    check(cudaSetDevice(0), "cudaSetDevice");
    return run(device) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "event_cost: %s\n", error.what());
    return 1;
  }
}
