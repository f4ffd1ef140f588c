// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Reading structs from the bytes of a file.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace iket::analysis {

/// Copies a `T` from bytes of any alignment; `bytes` points to at least sizeof(T) of them. Compiles to plain loads.
template <class T>
[[nodiscard]] T load(const std::byte* bytes) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace iket::analysis
