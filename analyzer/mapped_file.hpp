// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A file as memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "read_error.hpp"

namespace iket::analysis {

/// The bytes of a regular file, mapped read-only for the lifetime of the object. They are read from disk as they are
/// touched. A file that another process makes shorter meanwhile kills this one (SIGBUS), as with every mapping; see
/// `exit_if_file_shrinks`.
class mapped_file {
 public:
  /// Maps `path`; the error (`unreadable`) says why that was not possible. An empty file is an error too.
  [[nodiscard]] static std::variant<mapped_file, read_error> open(const std::string& path);

  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  ~mapped_file();

  /// Never empty. The first byte is aligned to a page.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit mapped_file(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

/// From here on a mapped file that another process makes shorter, or whose disk fails, while it is read ends the
/// process with a word on standard error and this exit code, at once: nothing is cleaned up. For a program that has
/// nothing to clean up while it reads.
void exit_if_file_shrinks(int exit_code);

}  // namespace iket::analysis
