// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Kernels whose instructions must be the same with IKET_DISABLE as with the IKET lines taken out (see sass_equal).
#include <iket/iket.cuh>

__device__ float shift(const float* in, iket::recorder& rec, int i) {
  IKET_RANGE(rec, "shift", in[i]);
  return in[i] + 1.0f;
}

// Two roles that hand tiles over through shared memory, with payloads that cost something to compute.
__global__ void roles(const float* __restrict__ in, float* out, int tiles, iket::tracer tracer) {
  iket::recorder rec(tracer);
  __shared__ float tile[2][32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (threadIdx.x / 32 == 0) {
      IKET_ROLE(rec, "producer");
      IKET_RANGE(rec, "load tile", t * 3 + 1);
      tile[t % 2][lane] = in[t * 32 + lane];
    }
    IKET_PUSH_WAIT(rec, "wait for data", in[t]);
    __syncthreads();
    IKET_POP(rec);
    if (threadIdx.x / 32 == 1) {
      IKET_ROLE(rec, "consumer");
      {
        IKET_RANGE(rec, "compute", static_cast<double>(sum) / t);
        sum += sqrtf(tile[t % 2][lane]);
      }
      IKET_MARK(rec, "done", sum);
    }
  }
  out[threadIdx.x] = sum;
  rec.close();
}

// Early returns, a lambda, a template and a function that takes the recorder.
template <int unroll>
__global__ void exits(const float* in, float* out, int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const auto scaled = [&](float value) {
    IKET_RANGE(rec, "scaled", value);
    return value * 2.0f;
  };
  float sum = 0;
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    IKET_WAIT(rec, "element", k);
    const float value = shift(in, rec, i + k);
    if (value < 0) return;
    sum += scaled(value);
  }
  out[i] = sum;
}
template __global__ void exits<1>(const float*, float*, int, iket::tracer);
template __global__ void exits<4>(const float*, float*, int, iket::tracer);
