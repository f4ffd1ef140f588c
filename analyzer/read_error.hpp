// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Why a file, or a part of one, cannot be read: a value, not an exception.
#pragma once

#include <cstdint>
#include <string>

namespace iket::analysis {

enum class read_error_kind : std::uint8_t {
  unreadable,           ///< the system does not give its bytes: missing, a directory, empty, no permission
  not_iket,             ///< no IKET file
  unsupported_version,  ///< an IKET file of a format that this program does not know
  truncated,            ///< the file ends before what it announces
  malformed,            ///< the bytes are not what they have to be
};

struct read_error {
  read_error_kind kind = read_error_kind::malformed;
  std::uint64_t offset = 0;  ///< in the file [bytes]; of no meaning for the first three kinds
  std::string text;          ///< the reason; for truncated and malformed: what was expected, and what is lost by it

  /// One line for the user, without the file's name: "malformed at offset 1234: expected ...".
  [[nodiscard]] std::string message() const;
};

}  // namespace iket::analysis
