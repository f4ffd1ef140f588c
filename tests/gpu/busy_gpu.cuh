// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A kernel that occupies the GPU for as long as a test wants, for tests of what the session does beside it.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <cuda_runtime_api.h>

#include "catch.hpp"

namespace gpu_test {

using clock_type = std::chrono::steady_clock;

inline double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

inline __device__ unsigned long long read_globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

// Runs until the host sets the flag, ten seconds at most.
static __global__ void occupy(const volatile int* end) {
  const unsigned long long begin = read_globaltimer();
  while (*end == 0 && read_globaltimer() - begin < 10'000'000'000ull) {
  }
}

/// CTAs that run until the end of the scope; or for so many seconds, should the scope hang because of them.
class busy_gpu {
 public:
  explicit busy_gpu(int ctas, double seconds = 5) {
    REQUIRE(cudaHostAlloc(&end_, sizeof(*end_), cudaHostAllocMapped) == cudaSuccess);
    *end_ = 0;
    void* end_on_device = nullptr;
    REQUIRE(cudaHostGetDevicePointer(&end_on_device, end_, 0) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
    occupy<<<ctas, 256, 0, stream_>>>(static_cast<const volatile int*>(end_on_device));
    REQUIRE(cudaGetLastError() == cudaSuccess);
    watchdog_ = std::thread([this, seconds] {
      const auto begin = clock_type::now();
      while (!left_ && seconds_since(begin) < seconds) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      *static_cast<volatile int*>(end_) = 1;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until the CTAs are there
    CHECK(cudaStreamQuery(stream_) == cudaErrorNotReady);
    (void)cudaGetLastError();
  }
  busy_gpu(const busy_gpu&) = delete;
  busy_gpu& operator=(const busy_gpu&) = delete;
  ~busy_gpu() {
    finish();
    (void)cudaStreamDestroy(stream_);
    (void)cudaFreeHost(end_);
  }
  void finish() {
    left_ = true;
    if (watchdog_.joinable()) watchdog_.join();
    (void)cudaStreamSynchronize(stream_);
  }

 private:
  int* end_ = nullptr;
  cudaStream_t stream_ = nullptr;
  std::atomic<bool> left_ = false;
  std::thread watchdog_;
};

/// CTAs of `busy_gpu` that leave no room for a single thread.
inline int ctas_that_fill_the_gpu() {
  int ctas_per_sm = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas_per_sm, occupy, 256, 0) == cudaSuccess);
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  REQUIRE(ctas_per_sm * 256 == properties.maxThreadsPerMultiProcessor);
  return ctas_per_sm * properties.multiProcessorCount;
}

}  // namespace gpu_test
