// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Lets Ctrl-C end the writing of files without leaving half of one behind.
#pragma once

namespace iket::analysis {

/// Thrown by `interruptible::check`.
struct interrupted {
  int signal = 0;
};

/// While one lives, SIGINT, SIGTERM and SIGHUP are only noted.
class interruptible {
 public:
  interruptible();
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;
  ~interruptible();

  /// Throws `interrupted` if one of them came.
  static void check();
};

}  // namespace iket::analysis
