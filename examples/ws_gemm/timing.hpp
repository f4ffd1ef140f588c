// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Times of launches.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "check.hpp"

namespace ws_gemm {

/// A point in the default stream whose time is kept.
class event {
 public:
  event() { WS_GEMM_CHECK(cudaEventCreate(&event_)); }
  ~event() { cudaEventDestroy(event_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  void record() { WS_GEMM_CHECK(cudaEventRecord(event_)); }

  /// Waits for this event. [ms]
  [[nodiscard]] float since_ms(const event& begin) const {
    WS_GEMM_CHECK(cudaEventSynchronize(event_));
    float elapsed_ms = 0;
    WS_GEMM_CHECK(cudaEventElapsedTime(&elapsed_ms, begin.event_, event_));
    return elapsed_ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Times launches that follow one another in the default stream, without waiting between them.
class stopwatch {
 public:
  explicit stopwatch(int launches) : begin_(static_cast<std::size_t>(launches)), end_(begin_.size()) {}

  template <typename Launch>
  void time(const Launch& launch) {
    begin_[used_].record();
    launch();
    end_[used_++].record();
  }

  /// Of all times. Waits for the last. [ms]
  [[nodiscard]] float median_ms() const {
    std::vector<float> times_ms;
    for (std::size_t i = 0; i < used_; ++i) times_ms.push_back(end_[i].since_ms(begin_[i]));
    std::sort(times_ms.begin(), times_ms.end());
    return times_ms[times_ms.size() / 2];
  }

 private:
  std::vector<event> begin_, end_;
  std::size_t used_ = 0;
};

}  // namespace ws_gemm
