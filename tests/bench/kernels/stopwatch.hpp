// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Times of launches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "check.hpp"

namespace bench {

/// The median of some times, and the quartiles around it. [us]
struct spread {
  double p25_us = 0, median_us = 0, p75_us = 0;
};

/// Times launches that follow one another in the default stream, without waiting between them.
class stopwatch {
 public:
  stopwatch() = default;
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
  }

  template <class Launch>
  void time(const Launch& launch) {
    record();
    launch();
    record();
  }

  /// Of all that was timed, at least one launch. Waits for the last.
  [[nodiscard]] spread times() const {
    BENCH_CHECK(cudaEventSynchronize(events_.back()));
    std::vector<double> all_us;
    for (std::size_t i = 0; i + 1 < events_.size(); i += 2) {
      float elapsed_ms = 0;
      BENCH_CHECK(cudaEventElapsedTime(&elapsed_ms, events_[i], events_[i + 1]));
      all_us.push_back(1000.0 * static_cast<double>(elapsed_ms));
    }
    std::sort(all_us.begin(), all_us.end());
    const std::size_t last = all_us.size() - 1;
    return {all_us[last / 4], all_us[last / 2], all_us[last - last / 4]};
  }

 private:
  void record() {
    cudaEvent_t event = nullptr;
    BENCH_CHECK(cudaEventCreate(&event));
    events_.push_back(event);
    BENCH_CHECK(cudaEventRecord(event));
  }

  std::vector<cudaEvent_t> events_;  // begin and end of each launch in turn
};

}  // namespace bench
