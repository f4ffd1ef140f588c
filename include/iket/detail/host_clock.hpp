// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Runs the kernel of host_clock_ptx.hpp and asks it for the device's time.
#pragma once

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/driver_kernel.hpp>
#include <iket/detail/host_clock_burst.hpp>
#include <iket/detail/host_clock_ptx.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The kernel, loaded once a process.
[[nodiscard]] inline const driver_kernel& loaded_host_clock_kernel() {
  static const driver_kernel kernel = load_driver_kernel(host_clock_ptx, "iket_host_clock");
  return kernel;
}

/// What ties the timer of the device that is current to the host's clock: some readings of the one between two of the
/// other, for each burst.
///
/// Has a stream and memory of its own, made by the constructor. A burst launches one thread and talks to it for well
/// below a millisecond. Where that thread does not come to run, because other kernels occupy the GPU, the host gives up
/// after 10 ms and cancels it: it then ends as soon as it runs. Until it has ended no other one is launched, and
/// neither its memory nor its stream is freed. A thread that the host leaves alone ends by itself. Throws nothing and
/// leaves no error behind: where anything fails, there are no readings.
class host_clock {
 public:
  host_clock() noexcept {
    const own_errors errors;
    const relaxed_capture capture;
    const std::array<u8, 16> boot = boot_id();
    std::copy(boot.begin(), boot.end(), content_.info.boot_id);
    try {
      kernel_ = loaded_host_clock_kernel();
    } catch (...) {
      return;  // host memory ran out
    }
    // First in line for the next place that becomes free: the host waits.
    int least = 0, greatest = 0;
    if (kernel_.kernel == nullptr || cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess ||
        cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest) != cudaSuccess ||
        cudaHostAlloc(&memory_, sizeof(host_clock_mailbox), cudaHostAllocMapped) != cudaSuccess ||
        cudaHostGetDevicePointer(&device_memory_, memory_, 0) != cudaSuccess)
      return;
    mailbox_ = new (memory_) host_clock_mailbox;
  }
  host_clock(const host_clock&) = delete;
  host_clock& operator=(const host_clock&) = delete;

  /// The context has ended and has taken all along; there are no further readings.
  void abandon() noexcept {
    stream_ = nullptr;
    memory_ = device_memory_ = nullptr;
    mailbox_ = nullptr;
  }

  /// Waits for a kernel that was given up. Every burst leaves the word for it to end.
  ~host_clock() {
    const own_errors errors;
    const relaxed_capture capture;
    if (stream_ != nullptr) (void)cudaStreamSynchronize(stream_);
    if (memory_ != nullptr) (void)cudaFreeHost(memory_);
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  /// Takes a burst of readings, of which it keeps four; none where the GPU is occupied. With the device current that
  /// was so in the constructor. Allocates and loads nothing on the device but in its first call, which loads the
  /// kernel.
  void measure() noexcept { keep(read()); }

  /// What `measure` keeps. May be called by another thread than the others of this class, if no two of `read`,
  /// `measure` and `abandon` are under way at once.
  [[nodiscard]] std::vector<file::host_clock_pair> read() noexcept {
    if (mailbox_ == nullptr) return {};
    const own_errors errors;
    const relaxed_capture capture;
    // The last one may be about to end; or it was given up, and has not ended.
    for (const u64 begin_ns = host_clock_ns(); kernel_.query(stream_) != 0;)
      if (host_clock_ns() - begin_ns > host_clock_end_ns) return {};
    mailbox_->clear();
    void* arguments[] = {&device_memory_};
    if (kernel_.launch(kernel_.kernel, 1, 1, 1, 1, 1, 1, 0, stream_, arguments, nullptr) != 0) return {};
    // With CUDA_LAUNCH_BLOCKING=1 the kernel has waited in vain, and has ended.
    launches_wait_ = kernel_.query(stream_) == 0;
    if (launches_wait_) return {};
    host_clock_burst burst = ask(*mailbox_, host_clock_patience_ns);
    const i64 offset_ns = realtime_offset_ns();
    for (file::host_clock_pair& pair : burst.pairs) pair.realtime_offset_ns = offset_ns;
    try {
      return tightest(burst);
    } catch (...) {  // host memory ran out
      return {};
    }
  }

  /// As `read`, beside kernels that may never end: not where a launch waits for its kernel, which did not come to run
  /// then.
  [[nodiscard]] std::vector<file::host_clock_pair> read_beside_kernels() noexcept {
    if (launches_wait_) return {};
    return read();
  }

  void keep(const std::vector<file::host_clock_pair>& burst) noexcept {
    try {
      append(content_.pairs, burst);
    } catch (...) {  // host memory ran out
    }
  }

  /// All readings so far; the device's id is left to the caller.
  [[nodiscard]] const host_clock_content& content() const { return content_; }

 private:
  driver_kernel kernel_;
  cudaStream_t stream_ = nullptr;
  void* memory_ = nullptr;
  void* device_memory_ = nullptr;
  host_clock_mailbox* mailbox_ = nullptr;  // in `memory_`; null where there can be no readings
  host_clock_content content_;
  bool launches_wait_ = false;  // seen at the last one
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
