// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// CUDA runtime calls that throw, and the device that they speak to.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include <iket/error.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Throws `iket::error` unless `status` is success: "iket: WHAT: cudaErrorX (description). ADVICE".
/// A failed call leaves its error to be read again by the program's own next check; this takes it back.
inline void cuda_check(cudaError_t status, const char* what, const std::string& advice = {}) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  throw error(std::string("iket: ") + what + ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")" +
              (advice.empty() ? "" : ". " + advice));
}

/// Makes `device` current and, at the end of the scope, what was current before.
class device_scope {
 public:
  explicit device_scope(int device) {
    cuda_check(cudaGetDevice(&before_), "asking for the current device");
    if (before_ != device) cuda_check(cudaSetDevice(device), "choosing the session's device");
    changed_ = before_ != device;
  }
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope() {
    if (changed_) (void)cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
