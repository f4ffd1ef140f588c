// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The one exception that the host side throws.
#pragma once

#include <stdexcept>
#include <string>

namespace iket {
inline namespace abi_1 {

/// Thrown by `iket::session` when it cannot do what it was asked. `what()` is one line: what failed, why, and what to
/// do about it. The device side never fails and throws nothing.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace abi_1
}  // namespace iket
