// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a test says to a kernel that runs until it is told to end.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <cuda_runtime_api.h>

#include "catch.hpp"

namespace gpu_test {

/// Two words in mapped memory. Kernels are told to end after `patience` anyway, so that no test hangs with them.
class hang_flags {
 public:
  explicit hang_flags(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    REQUIRE(cudaHostAlloc(&words_, 2 * sizeof(int), cudaHostAllocMapped) == cudaSuccess);
    words_[0] = words_[1] = 0;
    void* on_device = nullptr;
    REQUIRE(cudaHostGetDevicePointer(&on_device, words_, 0) == cudaSuccess);
    device_words_ = static_cast<const int*>(on_device);
    timer_ = std::thread([this, patience] {
      const auto begin = std::chrono::steady_clock::now();
      while (!is_over_ && std::chrono::steady_clock::now() - begin < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (!is_over_) is_impatient_ = true;
      end();
    });
  }
  hang_flags(const hang_flags&) = delete;
  hang_flags& operator=(const hang_flags&) = delete;
  ~hang_flags() {
    is_over_ = true;
    timer_.join();
    (void)cudaFreeHost(words_);  // behind the kernels
  }

  void end() { static_cast<volatile int*>(words_)[0] = 1; }
  void go_on() { static_cast<volatile int*>(words_)[1] = words_[1] + 1; }
  /// Whether kernels had to be told to end because the test did not.
  [[nodiscard]] bool is_impatient() const { return is_impatient_; }
  /// On the device: whether to end, and how often to go on.
  [[nodiscard]] const int* on_device() const { return device_words_; }

 private:
  int* words_ = nullptr;
  const int* device_words_ = nullptr;
  std::atomic<bool> is_over_{false}, is_impatient_{false};
  std::thread timer_;
};

}  // namespace gpu_test
