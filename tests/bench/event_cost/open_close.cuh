// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What it costs a warp to make a recorder and to close it.
#pragma once

#include <map>
#include <vector>

#include <cuda_runtime.h>

#include <iket/iket.cuh>

#include "host.hpp"
#include "recorders.cuh"

namespace event_cost {

struct opening {
  long long begin;
  long long end;
  unsigned sm;
};

template <bool WithRecorder>
__global__ void open_close_kernel(opening* openings, [[maybe_unused]] const iket::tracer tracer) {
  const long long begin = clock64();
  if constexpr (WithRecorder) {
    const iket::recorder recorder(tracer);
  }
  const long long end = clock64();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (is_leader()) openings[warp_in_grid()] = {begin, end, sm};
}

/// Medians over the warps of many launches [cycles].
struct open_close_times {
  double cold = 0;  ///< of each SM's first CTA in a launch, which finds no code in the SM
  double warm = 0;  ///< of CTAs that began when that one had ended
};

/// Added cycles of opening and closing together.
struct open_close_figures {
  open_close_times without, traced, inert, untraced, listed, replayed;
};

class open_close_bench {
 public:
  /// With so many warps a CTA, and one CTA on an SM at a time, as kernels that fill shared memory have it.
  open_close_bench(unsigned sms, unsigned warps)
      : warps_(warps), grid_(ctas_per_sm * sms), block_(32 * warps_), openings_(std::size_t{grid_.x} * warps) {
    int device = 0, most = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "cudaDeviceGetAttribute");
    shared_bytes_ = static_cast<std::size_t>(most);
    for (const auto kernel : {open_close_kernel<true>, open_close_kernel<false>})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "cudaFuncSetAttribute");
  }

  [[nodiscard]] open_close_figures measure() const {
    samples without, traced, inert, untraced, listed, replayed;
    for (int round = 0; round < rounds; ++round) {
      launch(open_close_kernel<false>, iket::tracer{}, without);
      launch(open_close_kernel<true>, iket::tracer{}, inert);
      iket::session_options options;
      options.calibrate = false;
      options.memory_limit = std::size_t{64} << 20;
      iket::session session(options);
      iket::trace_options all;
      all.when_over_limit = iket::over_limit::fail;
      all.records_per_warp = 32;
      launch(open_close_kernel<true>, session.trace("all", grid_, block_, all), traced);
      iket::trace_options few = all;
      few.ctas = iket::ctas::every(grid_.x);  // so that nearly all are untraced, and so are their medians
      launch(open_close_kernel<true>, session.trace("few", grid_, block_, few), untraced);
      iket::trace_options some = all;
      for (unsigned cta = 0; cta < grid_.x; ++cta) some.ctas.list.push_back(cta);
      some.ctas.choice = iket::file::cta_choice::list;
      launch(open_close_kernel<true>, session.trace("list", grid_, block_, some), listed);
      iket::trace_options again = all;
      again.regions = 2;
      launch(open_close_kernel<true>, session.trace("replayable", grid_, block_, again), replayed);
    }
    return {without.medians(),  traced.medians(), inert.medians(),
            untraced.medians(), listed.medians(), replayed.medians()};
  }

 private:
  static constexpr int rounds = 11;
  static constexpr unsigned ctas_per_sm = 8;

  struct samples {
    std::vector<double> cold, warm;
    [[nodiscard]] open_close_times medians() const { return {median(cold), median(warm)}; }
  };

  // The drain stays out: a session that ends drops what it has.
  void launch(void (*kernel)(opening*, iket::tracer), const iket::tracer& tracer, samples& into) const {
    kernel<<<grid_, block_, shared_bytes_>>>(openings_.get(), tracer);
    check(cudaGetLastError(), "opening and closing");
    const std::vector<opening> openings = openings_.read(std::size_t{grid_.x} * warps_);
    struct first_cta {
      std::size_t cta;
      long long begin;
      long long end;
    };
    std::map<unsigned, first_cta> firsts;
    for (std::size_t i = 0; i < openings.size(); ++i) {
      const opening& one = openings[i];
      const auto [found, is_new] = firsts.try_emplace(one.sm, first_cta{i / warps_, one.begin, one.end});
      if (!is_new && one.begin < found->second.begin) found->second = {i / warps_, one.begin, one.end};
    }
    for (std::size_t i = 0; i < openings.size(); ++i) {
      const opening& one = openings[i];
      const first_cta& first = firsts.at(one.sm);
      const auto cycles = static_cast<double>(one.end - one.begin);
      if (i / warps_ == first.cta)
        into.cold.push_back(cycles);
      else if (one.begin > first.end)
        into.warm.push_back(cycles);
    }
  }

  unsigned warps_;
  dim3 grid_;
  dim3 block_;
  device_array<opening> openings_;
  std::size_t shared_bytes_ = 0;
};

}  // namespace event_cost
