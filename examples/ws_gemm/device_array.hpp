// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Device memory that frees itself.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "check.hpp"

namespace ws_gemm {

/// `size()` elements of device memory, uninitialised.
template <typename T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) { WS_GEMM_CHECK(cudaMalloc(&data_, bytes())); }
  ~device_array() { cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;

  [[nodiscard]] T* get() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * sizeof(T); }

  /// Makes every byte 0xff, of which fp16 is NaN: an element that nobody writes is seen.
  void poison() const { WS_GEMM_CHECK(cudaMemset(data_, 0xff, bytes())); }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

}  // namespace ws_gemm
