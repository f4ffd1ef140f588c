// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What only the process that made it can use: threads, and what they wait on. Plain C++17, no CUDA header.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One object on the heap. In a process that was forked meanwhile its threads are not there, its mutexes may be locked
/// for ever, and to destroy a condition variable would wait for threads that waited on it at the fork: there it is
/// nobody's, and is never freed.
template <class Object>
class maker_only {
 public:
  template <class... Arguments>
  explicit maker_only(std::in_place_t, Arguments&&... arguments)
      : maker_(getpid()), there_(std::make_unique<Object>(std::forward<Arguments>(arguments)...)) {}
  maker_only(const maker_only&) = delete;
  maker_only& operator=(const maker_only&) = delete;
  ~maker_only() {
    if (get() == nullptr) (void)there_.release();
  }

  /// Null in another process than the maker's.
  [[nodiscard]] Object* get() { return getpid() == maker_ ? there_.get() : nullptr; }

 private:
  const pid_t maker_;
  std::unique_ptr<Object> there_;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
