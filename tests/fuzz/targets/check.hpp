// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What fuzz targets demand of what they call.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace fuzz {

/// Ends the process, which the fuzzer takes for a crash, unless `holds`.
inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace fuzz
