// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// CUDA errors as exceptions.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace bench {

/// @throws std::runtime_error that names the call, unless it succeeded
inline void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

#define BENCH_CHECK(call) ::bench::check((call), #call, __FILE__, __LINE__)

}  // namespace bench
