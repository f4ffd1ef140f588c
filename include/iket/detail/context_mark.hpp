// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Whether a CUDA context is still the one that it was.
#pragma once

#include <cuda_runtime_api.h>

#include <iket/detail/driver_function.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Remembers a context. cudaDeviceReset ends a device's context and with it all memory, streams and events; the next
/// call makes a new one, whose memory may come to lie where the old one's was: to free that would free somebody else's.
/// Nothing but the context's number tells the two apart.
class context_mark {
 public:
  /// Of no context.
  context_mark() = default;

  /// Of the one that is current. Throws nothing; leaves a CUDA error behind where the driver does not tell, and then
  /// the context counts as there for ever.
  [[nodiscard]] static context_mark of_current() noexcept {
    const auto current = driver_function<int (*)(void**)>("cuCtxGetCurrent");
    context_mark mark;
    const auto number_of = driver_function<driver_context_number>("cuCtxGetId");
    if (current == nullptr || number_of == nullptr) return mark;
    if (current(&mark.context_) != 0 || mark.context_ == nullptr) return mark;
    if (number_of(mark.context_, &mark.number_) == 0) mark.number_of_ = number_of;
    return mark;
  }

  /// Whether it has ended. Asks the driver, and leaves no error behind. To be called while the CUDA runtime works, not
  /// at the end of the process.
  [[nodiscard]] bool is_gone() const noexcept {
    if (number_of_ == nullptr) return false;
    unsigned long long number = 0;
    const int status = number_of_(context_, &number);
    constexpr int invalid_context = 201, context_is_destroyed = 709;
    return status == 0 ? number != number_ : status == invalid_context || status == context_is_destroyed;
  }

 private:
  using driver_context_number = int (*)(void* context, unsigned long long* number);

  driver_context_number number_of_ = nullptr;
  void* context_ = nullptr;
  unsigned long long number_ = 0;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
