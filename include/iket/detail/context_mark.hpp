// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Whether a CUDA context is still the one that it was; and how a thread that has another one, or none, comes to it.
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
    mark.current_ = current;
    mark.push_ = driver_function<int (*)(void*)>("cuCtxPushCurrent");
    mark.pop_ = driver_function<int (*)(void**)>("cuCtxPopCurrent");
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

  /// Makes it current to this thread, unless it is. True where `pop` has to follow. The runtime's calls go to what is
  /// current; the driver's, in a thread that has made no call of CUDA yet, would find none.
  [[nodiscard]] bool push() const noexcept {
    void* now = nullptr;
    if (push_ == nullptr || pop_ == nullptr || current_(&now) != 0 || now == context_) return false;
    return push_(context_) == 0;
  }
  void pop() const noexcept {
    void* popped = nullptr;
    (void)pop_(&popped);
  }

 private:
  using driver_context_number = int (*)(void* context, unsigned long long* number);

  driver_context_number number_of_ = nullptr;
  int (*current_)(void**) = nullptr;
  int (*push_)(void*) = nullptr;
  int (*pop_)(void**) = nullptr;
  void* context_ = nullptr;
  unsigned long long number_ = 0;
};

/// A context that is current in a scope. Throws nothing.
class context_scope {
 public:
  explicit context_scope(const context_mark& mark) noexcept : mark_(mark), is_pushed_(mark.push()) {}
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;
  ~context_scope() {
    if (is_pushed_) mark_.pop();
  }

 private:
  const context_mark& mark_;
  bool is_pushed_;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
