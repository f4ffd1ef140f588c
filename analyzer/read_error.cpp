// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "read_error.hpp"

namespace iket::analysis {

std::string read_error::message() const {
  switch (kind) {
    case read_error_kind::unreadable:
      return "cannot be read: " + text;
    case read_error_kind::not_iket:
      return "not an IKET file: " + text;
    case read_error_kind::unsupported_version:
      return "unsupported version: " + text;
    case read_error_kind::truncated:
      return "truncated at offset " + std::to_string(offset) + ": " + text;
    case read_error_kind::malformed:
      return "malformed at offset " + std::to_string(offset) + ": " + text;
  }
  return text;
}

}  // namespace iket::analysis
