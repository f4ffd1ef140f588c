// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The host side from a C++ compiler: it needs the CUDA runtime, which comes with iket::iket, and not nvcc. What it
// prints depends on whether there is a GPU; it is built, not run.
#include <cstdio>
#include <iket/iket.cuh>

int main() try {
  iket::session session;
  session.write("trace.bin");
  std::puts("wrote trace.bin");
} catch (const iket::error& failure) {
  std::puts(failure.what());
}
