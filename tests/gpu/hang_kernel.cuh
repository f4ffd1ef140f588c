// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A kernel that hangs until it is told to end, for tests that look at it meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include <iket/iket.cuh>

#include "hang_flags.hpp"
#include "support.hpp"

namespace gpu_test {

constexpr int threads = 1024, warps_per_cta = threads / 32;
constexpr int works = 5;
constexpr std::uint64_t records_at_first = 3 * works + 2, records_of_more = 2;

/// Some ranges, then a wait until the host says so, with a mark whenever it says to go on. All of a warp see the same.
static __global__ void __launch_bounds__(threads) hang(const volatile int* flags, iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (threadIdx.x < 32) {
    IKET_ROLE(rec, "producer");
  } else {
    IKET_ROLE(rec, "consumer");
  }
  for (int i = 0; i < works; ++i) {
    IKET_RANGE(rec, "work", i);
  }
  IKET_WAIT(rec, "wait for ever", 17);
  int seen = 0;
  while (__shfl_sync(~0U, flags[0], 0) == 0) {
    const int now = __shfl_sync(~0U, flags[1], 0);
    if (now != seen) IKET_MARK(rec, "more", now);
    seen = now;
  }
}

inline int sm_count() {
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  return properties.multiProcessorCount;
}

/// CTAs of `hang` that leave no room for another one, or for anything.
inline int ctas_that_fill_the_gpu() {
  int per_sm = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, hang, threads, 0) == cudaSuccess);
  REQUIRE(per_sm > 0);
  return per_sm * sm_count();
}

inline iket::session_options options_of(iket::storage storage) {
  iket::session_options options;
  options.storage = storage;
  options.records_per_warp = 64;
  return options;
}

/// Launches `hang` by `iket::launch`.
inline void launch_timed(iket::session& session, const hang_flags& flags, int ctas) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(threads);
  iket::launch(session, "hang", config, hang, static_cast<const volatile int*>(flags.on_device()));
}

/// Lets the session read the kernel's sites.
inline void read_sites(iket::session& session) {
  hang_flags ended;
  ended.end();
  launch_timed(session, ended, 1);
  (void)written_by(session);
}

/// A word of the GPU's memory, to be copied.
class device_word {
 public:
  device_word() { REQUIRE(cudaMalloc(&word_, sizeof(*word_)) == cudaSuccess); }
  device_word(const device_word&) = delete;
  device_word& operator=(const device_word&) = delete;
  ~device_word() { (void)cudaFree(word_); }
  /// Waits for all kernels of the legacy default stream, and keeps all other copies waiting meanwhile.
  [[nodiscard]] cudaError_t copy() const {
    int to = 0;
    return cudaMemcpy(&to, word_, sizeof(to), cudaMemcpyDeviceToHost);
  }

 private:
  int* word_ = nullptr;
};

}  // namespace gpu_test
