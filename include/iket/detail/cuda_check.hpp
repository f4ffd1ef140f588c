// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// CUDA runtime calls that throw, and the device that they speak to.
#pragma once

#include <new>
#include <string>

#include <cuda_runtime_api.h>

#include <iket/detail/cuda_advice.hpp>
#include <iket/error.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Keeps the errors of calls in its scope from the program's next cudaGetLastError. What the program had not read yet
/// stays for it to read.
class own_errors {
 public:
  own_errors() noexcept : before_(cudaPeekAtLastError()) {}
  own_errors(const own_errors&) = delete;
  own_errors& operator=(const own_errors&) = delete;
  ~own_errors() {
    if (before_ == cudaSuccess) (void)cudaGetLastError();
  }

 private:
  cudaError_t before_;
};

/// Throws `iket::error` unless `status`, which `call` returned, is success: "iket: WHAT: CALL returned cudaErrorX
/// (description). ADVICE". An error that comes from elsewhere, such as a failed kernel of the program, has an advice of
/// its own. `own_errors` around the calls of a public function keeps a failed one from being read again as the
/// program's.
inline void cuda_check(cudaError_t status, const char* call, const std::string& what, const char* advice = nullptr) {
  if (status == cudaSuccess) return;
  if (const char* const elsewhere = cuda_advice(status); elsewhere != nullptr) advice = elsewhere;
  throw error("iket: " + what + ": " + call + " returned " + cudaGetErrorName(status) + " (" +
              cudaGetErrorString(status) + ")" + (advice == nullptr ? "" : std::string(". ") + advice));
}

/// Lets this thread make CUDA calls such as cudaMalloc while another thread captures a stream in the global mode, which
/// would otherwise break that capture.
class relaxed_capture {
 public:
  relaxed_capture() noexcept : changed_(cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {}
  relaxed_capture(const relaxed_capture&) = delete;
  relaxed_capture& operator=(const relaxed_capture&) = delete;
  ~relaxed_capture() {
    if (changed_) (void)cudaThreadExchangeStreamCaptureMode(&mode_);
  }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
  bool changed_;
};

/// Makes `device` current and, at the end of the scope, what was current before.
class device_scope {
 public:
  /// @throws iket::error where CUDA does not let it.
  explicit device_scope(int device) {
    cuda_check(cudaGetDevice(&before_), "cudaGetDevice", "asking for the current device");
    if (before_ != device) cuda_check(cudaSetDevice(device), "cudaSetDevice", "choosing the session's device");
    changed_ = before_ != device;
    is_set_ = true;
  }
  /// For destructors; `is_set` tells whether it worked.
  device_scope(int device, std::nothrow_t) noexcept {
    if (cudaGetDevice(&before_) != cudaSuccess) return;
    changed_ = before_ != device && cudaSetDevice(device) == cudaSuccess;
    is_set_ = changed_ || before_ == device;
  }
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;
  ~device_scope() {
    if (changed_) (void)cudaSetDevice(before_);
  }
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }

 private:
  int before_ = 0;
  bool changed_ = false;
  bool is_set_ = false;
};

/// Whether a stream is being captured; false also where nobody can tell, which the launch will.
[[nodiscard]] inline bool is_captured(cudaStream_t stream) {
  const own_errors errors;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
