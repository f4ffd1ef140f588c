// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Kernels of PTX text, which the driver compiles for the GPU at hand.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include <iket/detail/driver_function.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

using driver_library_load_data = int (*)(void** library, const void* code, void* jit_options, void** jit_values,
                                         unsigned jit_count, void* options, void** values, unsigned count);
using driver_library_get_kernel = int (*)(void** kernel, void* library, const char* name);
using driver_launch_kernel = int (*)(void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                     unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                                     void** arguments, void** extra);
using driver_stream_query = int (*)(void* stream);
constexpr int driver_not_ready = 600;  // CUDA_ERROR_NOT_READY

/// What it takes to run a kernel; null where it cannot be had.
struct driver_kernel {
  driver_launch_kernel launch = nullptr;
  /// Tells of a stream without what the runtime's query does: "not ready" would replace an error that the program has
  /// not read yet.
  driver_stream_query query = nullptr;
  void* kernel = nullptr;
};

/// Loads the kernel `name` of a PTX text. To be done once a process, and never undone: a library belongs to no context,
/// so the program may reset the device in between, which a module would not survive; and unloading could wait for
/// kernels of the program.
[[nodiscard]] inline driver_kernel load_driver_kernel(const std::string& text, const char* name) {
  const auto load = driver_function<driver_library_load_data>("cuLibraryLoadData");
  const auto get = driver_function<driver_library_get_kernel>("cuLibraryGetKernel");
  const auto launch = driver_function<driver_launch_kernel>("cuLaunchKernel");
  const auto query = driver_function<driver_stream_query>("cuStreamQuery");
  if (load == nullptr || get == nullptr || launch == nullptr || query == nullptr) return {};
  void* library = nullptr;
  void* kernel = nullptr;
  if (load(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0) != 0 || get(&kernel, library, name) != 0)
    return {};
  return {launch, query, kernel};  // cuLaunchKernel takes a CUkernel as well as a CUfunction
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
