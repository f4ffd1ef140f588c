// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Pinned memory of the host that the device writes into.
#pragma once

#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/error.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One block of it, or none.
class mapped_memory {
 public:
  mapped_memory() = default;
  mapped_memory(const mapped_memory&) = delete;
  mapped_memory& operator=(const mapped_memory&) = delete;
  ~mapped_memory() { release(); }

  /// Allocates `bytes` bytes, once, and gives their address on the current device.
  /// @throws iket::error where CUDA gives none, or none that the device writes into directly: under Confidential
  ///   Computing it gives memory that moves to where it is used. That is told by the memory's type; where CUDA does not
  ///   tell, nobody knows.
  [[nodiscard]] void* allocate(std::size_t bytes) {
    const std::string what = "allocating " + std::to_string(bytes) + " bytes of pinned host memory for records";
    cuda_check(cudaHostAlloc(&memory_, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc", what,
               "Lower iket::session_options::memory_limit, or let the system pin more");
    cudaPointerAttributes found{};
    if (cudaPointerGetAttributes(&found, memory_) == cudaSuccess && found.type == cudaMemoryTypeManaged)
      throw error(
          "iket: iket::storage::host needs memory of the host that the GPU writes into, and CUDA gives memory that "
          "moves between the two, as under Confidential Computing. Use iket::storage::device");
    void* on_device = nullptr;
    cuda_check(cudaHostGetDevicePointer(&on_device, memory_, 0), "cudaHostGetDevicePointer", what);
    return on_device;
  }

  [[nodiscard]] bool is_there() const noexcept { return memory_ != nullptr; }
  /// Where the host reaches a byte of it.
  [[nodiscard]] char* at(std::size_t offset) const noexcept { return static_cast<char*>(memory_) + offset; }

  void release() noexcept {
    if (memory_ != nullptr) (void)cudaFreeHost(memory_);
    memory_ = nullptr;
  }
  /// The context has ended and has taken it along.
  void abandon() noexcept { memory_ = nullptr; }

 private:
  void* memory_ = nullptr;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
