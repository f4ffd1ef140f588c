// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Two CUDA events around a launch.
#pragma once

#include <atomic>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Times what was put into a stream between `begin` and `end`. One thread calls these, others may ask meanwhile.
class event_pair {
 public:
  event_pair() {
    cuda_check(cudaEventCreate(&begin_), "cudaEventCreate", making);
    if (const cudaError_t status = cudaEventCreate(&end_); status != cudaSuccess) {
      (void)cudaEventDestroy(begin_);
      cuda_check(status, "cudaEventCreate", making);
    }
  }
  event_pair(const event_pair&) = delete;
  event_pair& operator=(const event_pair&) = delete;
  ~event_pair() {
    const own_errors errors;
    if (begin_ != nullptr) (void)cudaEventDestroy(begin_);
    if (end_ != nullptr) (void)cudaEventDestroy(end_);
  }

  /// The context has ended and has taken them along.
  void abandon() noexcept { begin_ = end_ = nullptr; }

  void begin(cudaStream_t stream) {
    cuda_check(cudaEventRecord(begin_, stream), "cudaEventRecord", recording);
    begun_ = true;
  }
  void end(cudaStream_t stream) {
    cuda_check(cudaEventRecord(end_, stream), "cudaEventRecord", recording);
    ended_ = true;
  }
  /// Whether `begin` was called: before, the first event is one that has come to pass.
  [[nodiscard]] bool has_begun() const noexcept { return begun_; }
  /// Whether `end` was called: then the second event has all before it, and waiting for it needs no stream.
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  /// Waits for the second event.
  [[nodiscard]] cudaError_t wait() const noexcept { return cudaEventSynchronize(end_); }

  [[nodiscard]] cudaEvent_t begin_event() const noexcept { return begin_; }
  [[nodiscard]] cudaEvent_t end_event() const noexcept { return end_; }

  /// The time between the two, once both have come to pass [ns]; 0 where they have not.
  [[nodiscard]] u64 elapsed_ns() const {
    const own_errors errors;
    float elapsed_ms = 0;
    if (!ended_ || cudaEventElapsedTime(&elapsed_ms, begin_, end_) != cudaSuccess) return 0;
    return static_cast<u64>(static_cast<double>(elapsed_ms) * 1e6 + 0.5);
  }

 private:
  static constexpr const char* making = "making a CUDA event";
  static constexpr const char* recording = "recording a CUDA event";

  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  std::atomic<bool> begun_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
