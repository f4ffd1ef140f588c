// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the host sides of the measurements share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace event_cost {

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

/// Device memory, zeroed on demand.
template <class Value>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    check(cudaMalloc(&data_, size * sizeof(Value)), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  [[nodiscard]] Value* get() const { return data_; }
  void clear() const { check(cudaMemset(data_, 0, size_ * sizeof(Value)), "cudaMemset"); }
  [[nodiscard]] std::vector<Value> read(std::size_t count) const {
    std::vector<Value> values(count);
    check(cudaMemcpy(values.data(), data_, count * sizeof(Value), cudaMemcpyDeviceToHost), "reading results");
    return values;
  }

 private:
  Value* data_ = nullptr;
  std::size_t size_;
};

/// The middle one (of an even number, the upper), 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace event_cost
