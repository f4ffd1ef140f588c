// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The smallest traced program: one warp of each CTA loads, the others wait for it and add.
#include <cstdio>
#include <vector>

#include <iket/iket.cuh>

constexpr int tile = 1024, tiles = 8, ctas = 8, threads = 128;

__global__ void sum_tiles(const float* in, float* out, iket::tracer tracer) {
  __shared__ float buffer[tile];
  iket::recorder rec(tracer);  // once per warp, at the top
  const bool producer = threadIdx.x < 32;
  if (producer) {
    IKET_ROLE(rec, "producer");
  } else {
    IKET_ROLE(rec, "consumer");
  }
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (producer) {
      IKET_RANGE(rec, "load tile", t);  // to the end of this scope, with the tile as payload
      for (int i = threadIdx.x; i < tile; i += 32) buffer[i] = in[(blockIdx.x * tiles + t) * tile + i];
    }
    IKET_PUSH_WAIT(rec, "wait for data", t);  // until the pop
    __syncthreads();
    IKET_POP(rec);
    if (!producer) {
      IKET_RANGE(rec, "add", t);
      for (int i = threadIdx.x - 32; i < tile; i += threads - 32) sum += buffer[i];
    }
    __syncthreads();
  }
  atomicAdd(&out[blockIdx.x], sum);
}

int main() try {
  std::vector<float> host(ctas * tiles * tile, 0.5f), sums(ctas);
  float *in = nullptr, *out = nullptr;
  iket::session session;
  cudaMalloc(&in, host.size() * sizeof(float));
  cudaMalloc(&out, ctas * sizeof(float));
  cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, ctas * sizeof(float));
  sum_tiles<<<ctas, threads>>>(in, out, session.trace("sum_tiles", ctas, threads));
  session.write("trace.bin");  // waits for the kernel
  if (cudaMemcpy(sums.data(), out, ctas * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  for (float sum : sums)
    if (sum != 0.5f * tiles * tile) return std::printf("result: WRONG\n"), 1;
  return std::printf("result: ok; now run: iket-analyze trace.bin\n"), 0;
} catch (const iket::error& failure) {
  return std::fprintf(stderr, "%s\n", failure.what()), 1;
}
