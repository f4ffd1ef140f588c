// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a kernel of a test writes beside its trace.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "catch.hpp"

namespace gpu_test {

/// Device memory for `count` values, all zero bits at first, copied to the host when they are asked for.
template <class Value>
class device_values {
 public:
  explicit device_values(std::size_t count) : count_(count) {
    REQUIRE(cudaMalloc(&values_, count * sizeof(Value)) == cudaSuccess);
    clear();
  }
  explicit device_values(const std::vector<Value>& from) : device_values(from.size()) {
    REQUIRE(cudaMemcpy(values_, from.data(), count_ * sizeof(Value), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  device_values(const device_values&) = delete;
  device_values& operator=(const device_values&) = delete;
  ~device_values() { (void)cudaFree(values_); }

  void clear() { REQUIRE(cudaMemset(values_, 0, count_ * sizeof(Value)) == cudaSuccess); }
  [[nodiscard]] Value* get() { return values_; }
  [[nodiscard]] std::vector<Value> copy() const {
    std::vector<Value> copied(count_);
    REQUIRE(cudaMemcpy(copied.data(), values_, count_ * sizeof(Value), cudaMemcpyDeviceToHost) == cudaSuccess);
    return copied;
  }

 private:
  std::size_t count_;
  Value* values_ = nullptr;
};

}  // namespace gpu_test
