// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Runs the loops and takes their times.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <iket/iket.cuh>

#include "host.hpp"
#include "loops.cuh"

namespace event_cost {

constexpr int untimed_rounds = 1, timed_rounds = 15;

/// Where a loop runs: `warps` in each of `ctas` CTAs.
struct placement {
  unsigned ctas;
  unsigned warps;
};

/// The times of one row's loop: medians over the launches.
struct loop_times {
  double mean_cycles = 0;  ///< of the timed passes, mean over the warps
  double max_cycles = 0;   ///< the same of the slowest warp
  double launch_ns = 0;    ///< of the whole launch, by CUDA events
  double clock_ghz = 0;    ///< SM clock over global timer
};

/// Added cycles per event, by the clock in the kernel.
inline double added(double with, double without, unsigned events_per_step) {
  return (with - without) / (double{timed_passes} * steps_per_pass * events_per_step);
}

/// The same by CUDA events, which see the untimed pass too.
inline double added_by_launch(const loop_times& with, const loop_times& without, unsigned events_per_step) {
  return (with.launch_ns - without.launch_ns) * without.clock_ghz /
         (double{timed_passes + 1} * steps_per_pass * events_per_step);
}

class loop_bench {
 public:
  loop_bench(const std::vector<variant>& variants, const cudaDeviceProp& device)
      : variants_(variants),
        most_warps_in_all_(static_cast<std::size_t>(device.multiProcessorCount) * most_warps),
        shared_bytes_(device.sharedMemPerMultiprocessor / 2 + 1024),
        rings_(most_warps_in_all_ * ring_entries * 2),
        results_(most_warps_in_all_) {
    for (const variant& row : variants)
      for (const variant::kernel kernel : row.kernels)
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes_)),
              "cudaFuncSetAttribute");
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  loop_bench(const loop_bench&) = delete;
  loop_bench& operator=(const loop_bench&) = delete;
  ~loop_bench() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// All rows take turns, so that what drifts meets all of them.
  [[nodiscard]] std::vector<loop_times> measure(loop_kind loop, placement where) const {
    iket::session_options options;
    options.memory_limit = std::size_t{64} << 20;
    std::optional<iket::session> session;
    std::vector<samples> taken(variants_.size());
    for (int round = 0; round < untimed_rounds + timed_rounds; ++round) {
      // What was drained stays with its session: a new one now and then keeps that small.
      if (round % 4 == 0) session.emplace(options);
      for (std::size_t i = 0; i < variants_.size(); ++i) {
        samples discarded;
        launch(variants_[i], loop, where, *session, round < untimed_rounds ? discarded : taken[i]);
      }
    }
    std::vector<loop_times> times;
    for (const samples& one : taken)
      times.push_back({median(one.mean), median(one.max), median(one.launch), median(one.ghz)});
    return times;
  }

 private:
  struct samples {
    std::vector<double> mean, max, launch, ghz;
  };

  void launch(const variant& row, loop_kind loop, placement where, iket::session& session, samples& into) const {
    const dim3 grid(where.ctas), block(32 * where.warps);
    // A sampled launch would have CTAs that record nothing, and cost nothing.
    iket::trace_options options;
    options.when_over_limit = iket::over_limit::fail;
    const iket::tracer tracer = row.is_library ? session.trace("loop", grid, block, options) : iket::tracer{};
    rings_.clear();  // as a drain leaves the session's
    const loop_arguments arguments{
        {rings_.get(), ring_entries}, results_.get(), timed_passes + 1, trips_per_pass, 1, 0.5f, 1.0f};
    check(cudaEventRecord(begin_), "cudaEventRecord");
    row.kernels[static_cast<int>(loop)]<<<grid, block, shared_bytes_>>>(arguments, tracer);
    check(cudaGetLastError(), row.name);
    check(cudaEventRecord(end_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), row.name);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    session.drain();

    const std::size_t warps = std::size_t{where.ctas} * where.warps;
    double sum = 0, most = 0, whole_cycles = 0, whole_ns = 0;
    std::set<unsigned> sms;
    for (const warp_result& result : results_.read(warps)) {
      sum += static_cast<double>(result.loop_cycles);
      most = std::max(most, static_cast<double>(result.loop_cycles));
      whole_cycles += static_cast<double>(result.whole_cycles);
      whole_ns += static_cast<double>(result.whole_ns);
      sms.insert(result.sm);
    }
    if (sms.size() != where.ctas) throw std::runtime_error("two CTAs ran on one SM");
    check_rings(row, warps);
    into.mean.push_back(sum / static_cast<double>(warps));
    into.max.push_back(most);
    into.launch.push_back(1e6 * static_cast<double>(milliseconds));
    into.ghz.push_back(whole_cycles / whole_ns);
  }

  // A recorder that loses events must not win. The library's are counted in event_bytes.cuh.
  void check_rings(const variant& row, std::size_t warps) const {
    const std::size_t expected = warps * row.words_per_warp;
    const std::vector<unsigned long long> words = rings_.read(expected);
    if (std::count(words.begin(), words.end(), 0ull) != 0)
      throw std::runtime_error(std::string(row.name) + ": events are missing in its memory");
  }

  const std::vector<variant>& variants_;
  std::size_t most_warps_in_all_;
  std::size_t shared_bytes_;  ///< a CTA's, more than half of an SM's: no two on one SM
  device_array<unsigned long long> rings_;
  device_array<warp_result> results_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace event_cost
