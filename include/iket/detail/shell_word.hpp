// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Paths in commands that a user may copy. Plain C++17, no CUDA header.
#pragma once

#include <string>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// `path` as a command's argument is written for a POSIX shell: one word, which no program takes for an option.
[[nodiscard]] inline std::string shell_word(const std::string& path) {
  std::string plain = !path.empty() && path[0] == '-' ? "./" + path : path;
  const char* const harmless = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_";
  if (!plain.empty() && plain.find_first_not_of(harmless) == std::string::npos) return plain;
  std::string quoted = "'";
  for (const char c : plain) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
