// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Shows whether a sanitizer works on this machine: a kernel without a fault, and one with the fault that it looks for.
#include <cstring>

#include <cuda_runtime.h>

__global__ void copy(const int* in, int* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x];
}

int main(int argc, char** argv) {
  const char* const fault = argc > 1 ? argv[1] : "clean";
  int *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, 128) != cudaSuccess || cudaMalloc(&out, 128) != cudaSuccess) return 1;
  if (std::strcmp(fault, "initcheck") != 0 && cudaMemset(in, 0, 128) != cudaSuccess) return 1;
  copy<<<1, 64>>>(in, out, std::strcmp(fault, "memcheck") == 0 ? 33 : 32);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  return cudaFree(in) == cudaSuccess && cudaFree(out) == cudaSuccess ? 0 : 1;
}
