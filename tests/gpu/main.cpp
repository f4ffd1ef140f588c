// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Runs a GPU test program, or says that there is no GPU and exits with 77.
#define CATCH_CONFIG_RUNNER
#include <cstdio>

#include <cuda_runtime_api.h>

#include "catch.hpp"

int main(int argc, char** argv) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::printf("skipped: no usable GPU (%s)\n", cudaGetErrorString(status));
    return 77;
  }
  return Catch::Session().run(argc, argv);
}
