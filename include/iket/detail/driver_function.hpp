// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Functions of the driver, looked up through the CUDA runtime, so that no program has to link with libcuda. Their
/// types have every handle as a void* and CUresult as an int: cuda.h, which has the true ones, cannot be read behind a
/// program's macro `N` or `tid`.
#pragma once

#include <cuda_runtime_api.h>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// The driver's function of that name as of CUDA 12.0, or null.
template <class Function>
[[nodiscard]] Function driver_function(const char* name) noexcept {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t status = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t status = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return usable ? reinterpret_cast<Function>(entry) : nullptr;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
