// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Device memory that the two variants of a kernel share.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>

#include "check.hpp"

namespace bench {

/// Arrays by name: who asks for a name that is there gets the same array. Where an array lies in memory can change a
/// kernel's time by as much as tracing does, so both variants work on the same ones.
class device_pool {
 public:
  device_pool() = default;
  device_pool(const device_pool&) = delete;
  device_pool& operator=(const device_pool&) = delete;
  ~device_pool() {
    for (const auto& [name, array] : arrays_) cudaFree(array.data);
  }

  /// `count` elements, zero when they are made, on 256 bytes.
  template <class T>
  [[nodiscard]] T* array(const std::string& name, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    allocation& found = arrays_[name];
    if (found.data == nullptr) {
      BENCH_CHECK(cudaMalloc(&found.data, bytes));
      found.bytes = bytes;
      BENCH_CHECK(cudaMemset(found.data, 0, bytes));
    }
    if (found.bytes != bytes) throw std::logic_error("two sizes of array " + name);
    return static_cast<T*>(found.data);
  }

 private:
  struct allocation {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  std::map<std::string, allocation> arrays_;
};

}  // namespace bench
