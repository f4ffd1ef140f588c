// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The multiplication as a host object: picks the kernel that fits the device, checks sizes, launches.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <iket/iket.cuh>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "gemm_sm80.cuh"
#include "gemm_sm90.cuh"
#include "hang.cuh"
#include "tile.cuh"
#include "tma.cuh"

namespace ws_gemm {

/// One multiplication of given matrices, which can be launched many times. The matrices stay the caller's.
class gemm {
 public:
  /// @param a m x k, row-major; @param b n x k, row-major; @param c m x n, row-major; all in device memory, on 16 bytes
  /// @param depth slots of shared memory, 1 to `max_depth`
  /// @throws unsupported_device without a GPU that one of the kernels was compiled for
  /// @throws std::invalid_argument where the size is not a multiple of the kernel's tile
  gemm(problem size, const __half* a, const __half* b, __half* c, int depth)
      : size_(size), a_(a), b_(b), c_(c), depth_(depth), shape_(shape_for_device()) {
    require_size(size);
    if (depth < 1 || depth > max_depth) throw std::invalid_argument("the depth must be 1 to 4");
    static_assert(max_depth == 4, "as the message says");
    if (on_hopper()) {
      a_map_ = tma::describe(a, size.m, size.k, sm90::tile_m);
      b_map_ = tma::describe(b, size.n, size.k, sm90::tile_n);
      allow_shared(sm90::gemm_kernel);
      allow_shared(sm90::hanging_kernel);
    } else {
      allow_shared(sm80::gemm_kernel);
      allow_shared(sm80::hanging_kernel);
    }
  }

  /// The kernel for this device. @throws unsupported_device as the constructor does
  [[nodiscard]] static const kernel_shape& shape_for_device() {
    // Compiled for an architecture that lacks its instructions, a kernel is empty. With sm_90, the "a" is not in the
    // version: that there is code shows in the barriers, which are static shared memory.
    const cudaFuncAttributes hopper = attributes(sm90::gemm_kernel);
    if (hopper.binaryVersion == 90 && hopper.sharedSizeBytes >= sizeof(slot_barriers)) return sm90::shape;
    if (attributes(sm80::gemm_kernel).ptxVersion >= 80) return sm80::shape;
    throw unsupported_device("this GPU is not supported: it must be sm_80 or newer, and this build have code for it");
  }

  /// Before memory is spent on the matrices. @throws as the constructor does
  static void require_size(problem size) {
    const kernel_shape& shape = shape_for_device();
    const auto fits = [](int extent, int tile) { return extent > 0 && extent % tile == 0; };
    if (fits(size.m, shape.tile_m) && fits(size.n, shape.tile_n) && fits(size.k, shape.tile_k)) return;
    throw std::invalid_argument("M, N and K must be multiples of " + std::to_string(shape.tile_m) + ", " +
                                std::to_string(shape.tile_n) + " and " + std::to_string(shape.tile_k) +
                                " for this GPU's kernel (" + shape.name + ")");
  }

  [[nodiscard]] const kernel_shape& shape() const { return shape_; }
  [[nodiscard]] dim3 grid() const {
    return dim3(static_cast<unsigned>(size_.m / shape().tile_m) * static_cast<unsigned>(size_.n / shape().tile_n));
  }
  [[nodiscard]] dim3 block() const { return dim3(static_cast<unsigned>(shape().threads)); }
  [[nodiscard]] int shared_bytes() const { return depth_ * shape().slot_bytes + shape().extra_bytes; }
  [[nodiscard]] double floating_point_operations() const { return 2.0 * size_.m * size_.n * size_.k; }

  /// Asynchronous. A tracer must be made for `grid()` and `block()`; the default one is inert.
  void launch(iket::tracer tracer = {}) const {
    const auto bytes = static_cast<std::size_t>(shared_bytes());
    if (on_hopper()) {
      sm90::gemm_kernel<<<grid(), block(), bytes>>>(a_map_, b_map_, c_, size_, depth_, tracer);
    } else {
      sm80::gemm_kernel<<<grid(), block(), bytes>>>(a_, b_, c_, size_, depth_, tracer);
    }
    WS_GEMM_CHECK(cudaGetLastError());
  }

  /// As `launch`, traced by `session`, which also notes how long the launch took.
  void launch(iket::session& session, const iket::trace_options& options) const {
    cudaLaunchConfig_t config{};
    config.gridDim = grid();
    config.blockDim = block();
    config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes());
    if (on_hopper()) {
      iket::launch(session, "ws_gemm", config, options, sm90::gemm_kernel, a_map_, b_map_, c_, size_, depth_);
    } else {
      iket::launch(session, "ws_gemm", config, options, sm80::gemm_kernel, a_, b_, c_, size_, depth_);
    }
  }

  /// As `launch`, but the kernel never ends: it traps some seconds later (see `barrier_wait`). Every CTA that has its
  /// place hangs where the slot of tile `hang_tile` is to be filled again.
  /// @throws std::invalid_argument where K is so small that nothing goes there again
  void launch_hanging(iket::tracer tracer) const {
    if (size_.k / shape().tile_k <= hang_tile + depth_)
      throw std::invalid_argument("K must be more than " + std::to_string((hang_tile + depth_) * shape().tile_k) +
                                  " for the kernel to hang");
    const auto bytes = static_cast<std::size_t>(shared_bytes());
    if (on_hopper()) {
      sm90::hanging_kernel<<<grid(), block(), bytes>>>(a_map_, b_map_, c_, size_, depth_, tracer);
    } else {
      sm80::hanging_kernel<<<grid(), block(), bytes>>>(a_, b_, c_, size_, depth_, tracer);
    }
    WS_GEMM_CHECK(cudaGetLastError());
  }

 private:
  [[nodiscard]] bool on_hopper() const { return &shape_ == &sm90::shape; }

  /// All zero where this build has no code for the device.
  template <typename Kernel>
  [[nodiscard]] static cudaFuncAttributes attributes(Kernel* kernel) {
    cudaFuncAttributes found{};
    const cudaError_t status = cudaFuncGetAttributes(&found, kernel);
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
      static_cast<void>(cudaGetLastError());  // so that no later check finds it
      return {};
    }
    WS_GEMM_CHECK(status);
    return found;
  }

  /// For the deepest pipeline: the limit is the kernel's, whichever object set it last.
  template <typename Kernel>
  void allow_shared(Kernel* kernel) const {
    const int most_bytes = max_depth * shape().slot_bytes + shape().extra_bytes;
    WS_GEMM_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  }

  problem size_;
  const __half* a_;
  const __half* b_;
  __half* c_;
  int depth_;
  const kernel_shape& shape_;
  CUtensorMap a_map_{};
  CUtensorMap b_map_{};
};

}  // namespace ws_gemm
