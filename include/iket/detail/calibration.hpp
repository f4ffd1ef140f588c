// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Runs the calibration kernel of calibration_ptx.hpp.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include <cuda_runtime_api.h>

#include <iket/detail/calibration_ptx.hpp>
#include <iket/detail/cuda_check.hpp>
#include <iket/detail/driver_kernel.hpp>
#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The kernel, loaded once a process.
template <calibration_target Target>
[[nodiscard]] const driver_kernel& loaded_calibration_kernel() {
  static const driver_kernel kernel = load_driver_kernel(calibration_ptx(Target), "iket_calibration");
  return kernel;
}

/// One run of the kernel on the device that is current, on a stream and in memory of its own: where another kernel
/// occupies the whole GPU, the run waits behind it, and no other work of the session behind the run.
///
/// Holds both until it is destroyed, since cudaFree waits for all kernels of the device: freed at once, it would hold
/// up the session's constructor beside a kernel that does not end.
class calibration_run {
 public:
  calibration_run() = default;
  calibration_run(const calibration_run&) = delete;
  calibration_run& operator=(const calibration_run&) = delete;

  /// The context has ended and has taken all along.
  void abandon() noexcept {
    stream_ = nullptr;
    memory_ = nullptr;
  }

  /// Waits for the kernel if `measure` gave it up, and frees what it used. Throws nothing.
  ~calibration_run() {
    const own_errors errors;
    const relaxed_capture capture;
    if (stream_ != nullptr) (void)cudaStreamSynchronize(stream_);
    if (memory_ != nullptr) (void)cudaFree(memory_);
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  /// Runs the kernel and waits for it, for one second at most. To be called once, with the device's compute capability.
  ///
  /// Returns nothing where the driver does not compile PTX (CUDA_DISABLE_PTX_JIT=1), the GPU is busy for longer, or any
  /// call fails; leaves no error behind, and throws nothing. `device` is left to the caller. The kernel takes about
  /// 0.4 ms; loading it for the first time in a process 10 to 20 ms, most of it the driver's compiler.
  [[nodiscard]] std::optional<file::calibration_info> measure(int compute_major, int compute_minor) noexcept {
    const own_errors errors;
    const relaxed_capture capture;
    try {
      const auto target = calibration_target_of(compute_major, compute_minor);
      if (!target.has_value()) return std::nullopt;
      const driver_kernel& loaded = kernel_for(*target);
      if (!launch(loaded) || !finished(loaded)) return std::nullopt;
      calibration_measurements measured{};
      // The kernel is done: this waits for the copy alone.
      if (cudaMemcpyAsync(&measured, memory_, sizeof(measured), cudaMemcpyDeviceToHost, stream_) != cudaSuccess ||
          cudaStreamSynchronize(stream_) != cudaSuccess)
        return std::nullopt;
      return evaluate(measured);
    } catch (...) {
      return std::nullopt;  // host memory ran out
    }
  }

 private:
  [[nodiscard]] static const driver_kernel& kernel_for(calibration_target target) {
    if (target == calibration_target::sm_90) return loaded_calibration_kernel<calibration_target::sm_90>();
    if (target == calibration_target::sm_80) return loaded_calibration_kernel<calibration_target::sm_80>();
    return loaded_calibration_kernel<calibration_target::sm_75>();
  }

  [[nodiscard]] bool launch(const driver_kernel& loaded) {
    if (loaded.kernel == nullptr) return false;
    if (cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) != cudaSuccess) return false;
    if (cudaMalloc(&memory_, calibration_bytes) != cudaSuccess) return false;
    u64 memory = reinterpret_cast<u64>(memory_);
    u32 mask = calibration_capacity * 8 - 1;
    void* arguments[] = {&memory, &mask};
    return loaded.launch(loaded.kernel, 1, 1, 1, 32 * calibration_warps, 1, 1, 0, stream_, arguments, nullptr) == 0;
  }

  [[nodiscard]] bool finished(const driver_kernel& loaded) const {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    int status = loaded.query(stream_);
    while (status == driver_not_ready && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      status = loaded.query(stream_);
    }
    return status == 0;
  }

  cudaStream_t stream_ = nullptr;
  void* memory_ = nullptr;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
