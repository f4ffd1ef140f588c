// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What stands around a session's calls of CUDA.
#pragma once

#include <new>

#include <iket/detail/context_mark.hpp>
#include <iket/detail/cuda_check.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Makes a context and its device current, keeps errors from the program, and lets calls go on beside a capture. What
/// was before is there again at the end of the scope.
class session_scope {
 public:
  /// @throws iket::error where CUDA does not let the device be chosen.
  session_scope(const context_mark& context, int device) : context_(context), device_(device) {}
  /// For destructors, and for threads that nobody listens to.
  session_scope(const context_mark& context, int device, std::nothrow_t) noexcept
      : context_(context), device_(device, std::nothrow) {}

 private:
  own_errors errors_;
  // Before the others: in a thread that has no context, a call of the runtime would make one on the device that the
  // thread would use, which takes some hundred MB there. With a context, its device is the current one.
  context_scope context_;
  relaxed_capture capture_;
  device_scope device_;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
