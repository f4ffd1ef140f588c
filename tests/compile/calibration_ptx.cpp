// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Prints the text of the session's calibration kernel for a GPU: calibration_ptx COMPUTE_CAPABILITY (as in 90, 120)
#include <cstdio>
#include <cstdlib>

#include <iket/detail/calibration_ptx.hpp>

int main(int argc, char** argv) {
  const int capability = argc == 2 ? std::atoi(argv[1]) : 0;
  const auto target = iket::detail::calibration_target_of(capability / 10, capability % 10);
  if (!target.has_value()) {
    std::fputs("usage: calibration_ptx COMPUTE_CAPABILITY, from 75 on\n", stderr);
    return 2;
  }
  std::fputs(iket::detail::calibration_ptx(*target).c_str(), stdout);
}
