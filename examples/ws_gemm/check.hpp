// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// CUDA errors as exceptions, and the one that means "not on this machine".
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace ws_gemm {

/// No GPU, or none that this program has code for: a reason to skip, not a failure.
class unsupported_device : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws std::runtime_error that names the call, unless it succeeded
inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

#define WS_GEMM_CHECK(call) ::ws_gemm::check((call), #call, __FILE__, __LINE__)

/// @throws unsupported_device where there is no GPU or no driver for one
inline void require_device() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    throw unsupported_device(std::string("no usable GPU: ") + cudaGetErrorString(status));
  }
  WS_GEMM_CHECK(status);
}

}  // namespace ws_gemm
