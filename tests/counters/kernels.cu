// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Kernels with one fault each, and some with none, for what hardware counters should say of them:
///
///     kernels spills|bank_conflicts|clean|streams|calls|all [trace file]
///
/// "all" launches the first three, so that one page of a profiler holds several kernels.
#include <cstdio>
#include <cstring>
#include <string>

#include <iket/iket.cuh>

namespace {

constexpr unsigned ctas = 264, threads = 256;
constexpr int rounds = 64;
constexpr unsigned stream_ctas = 132 * 8;
constexpr std::size_t large = std::size_t{stream_ctas} * 2048 * 64;  // floats, more than L2 holds

/// More live values than a thread of this kernel may have registers: they go to local memory and back.
__global__ void __launch_bounds__(threads, 8) spills(const float* in, float* out, iket::tracer tracer) {
  constexpr int values = 64;
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "worker");
  const unsigned thread = blockIdx.x * threads + threadIdx.x;
  float kept[values];
  {
    IKET_RANGE(rec, "load");
#pragma unroll
    for (int i = 0; i < values; ++i) kept[i] = in[(thread + i * threads) % (ctas * threads)];
  }
  for (int round = 0; round < rounds; ++round) {
    IKET_RANGE(rec, "accumulate", round);
#pragma unroll
    for (int i = 0; i < values; ++i) kept[i] = kept[i] * 0.5f + kept[(i * 7 + 3) % values];
  }
  IKET_RANGE(rec, "store");
  float sum = 0;
#pragma unroll
  for (int i = 0; i < values; ++i) sum += kept[i];
  out[thread] = sum;
}

/// Reads a tile of shared memory by columns: all lanes of a warp meet in one bank.
__global__ void bank_conflicts(const float* in, float* out, iket::tracer tracer) {
  constexpr int width = 32;
  __shared__ float tile[threads / 32][width][width];
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "worker");
  const unsigned thread = blockIdx.x * threads + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    {
      IKET_RANGE(rec, "fill", round);
#pragma unroll
      for (int row = 0; row < width; ++row) tile[warp][row][lane] = static_cast<float>(row) * sum;
      __syncwarp();
    }
    {
      IKET_RANGE(rec, "transpose", round);
#pragma unroll
      for (int column = 0; column < width; ++column) sum += tile[warp][lane][column];
      __syncwarp();
    }
  }
  IKET_RANGE(rec, "store");
  out[thread] = sum + in[thread];
}

/// Arithmetic on values in registers, nothing in its way.
__global__ void clean(const float* in, float* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "worker");
  const unsigned thread = blockIdx.x * threads + threadIdx.x;
  float value[8];
  {
    IKET_RANGE(rec, "load");
#pragma unroll
    for (int i = 0; i < 8; ++i) value[i] = in[thread] + static_cast<float>(i);
  }
  for (int round = 0; round < rounds; ++round) {
    IKET_RANGE(rec, "compute", round);
#pragma unroll 64
    for (int step = 0; step < 256; ++step) {
#pragma unroll
      for (int i = 0; i < 8; ++i) value[i] = value[i] * 0.999f + 0.001f;
    }
  }
  IKET_RANGE(rec, "store");
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += value[i];
  out[thread] = sum;
}

/// Half of the warps load all of a large array, the others wait for it: as fast as DRAM is.
__global__ void streams(const float* in, float* out, iket::tracer tracer) {
  constexpr int tile = 2048;
  __shared__ float4 tiles[2][tile / 4];
  iket::recorder rec(tracer);
  const bool producer = threadIdx.x < threads / 2;
  const unsigned lane = threadIdx.x % (threads / 2);
  if (producer) {
    IKET_ROLE(rec, "producer");
  } else {
    IKET_ROLE(rec, "consumer");
  }
  const auto* const from = reinterpret_cast<const float4*>(in);
  constexpr int tiles_per_cta = static_cast<int>(large / tile / stream_ctas);
  float sum = 0;
  for (int t = 0; t < tiles_per_cta; ++t) {
    if (producer) {
      IKET_RANGE(rec, "load tile", t);
#pragma unroll
      for (int i = 0; i < tile / 4; i += threads / 2)
        tiles[t % 2][i + lane] = from[(static_cast<std::size_t>(t) * stream_ctas + blockIdx.x) * (tile / 4) + i + lane];
    }
    {
      IKET_WAIT(rec, "wait for tile", t);
      __syncthreads();
    }
    if (!producer) {
      IKET_RANGE(rec, "add", t);
#pragma unroll
      for (int i = 0; i < tile / 4; i += threads / 2) sum += tiles[t % 2][i + lane].x;
    }
  }
  if (sum == 1) out[threadIdx.x] = sum;
}

/// Called from two stages and from none; nothing inlines it.
__device__ __noinline__ float mix(float value, int steps) {
  for (int i = 0; i < steps; ++i) value = value * 0.999f + sinf(value);
  return value;
}

__global__ void calls(const float* in, float* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "worker");
  const unsigned thread = blockIdx.x * threads + threadIdx.x;
  float value = in[thread];
  for (int round = 0; round < rounds; ++round) {
    {
      IKET_RANGE(rec, "first", round);
      value = mix(value, 16) + 1;
    }
    {
      IKET_RANGE(rec, "second", round);
      value = mix(value, 48) * 2;
    }
  }
  out[thread] = mix(value, 8);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string which = argc > 1 ? argv[1] : "all";
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, large * sizeof(float));
  cudaMalloc(&out, ctas * threads * sizeof(float));
  cudaMemset(in, 0, large * sizeof(float));

  iket::session_options options;
  options.memory_limit = std::size_t{1} << 20;
  iket::session session(options);
  int launched = 0;
  const auto run = [&](const char* name, void (*kernel)(const float*, float*, iket::tracer), bool of_all,
                       unsigned grid = ctas) {
    if (which != name && !(of_all && which == "all")) return;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = threads;
    iket::launch(session, name, config, kernel, in, out);
    session.drain();  // each may have all of the memory
    ++launched;
  };
  run("spills", spills, true);
  run("bank_conflicts", bank_conflicts, true);
  run("clean", clean, true);
  run("streams", streams, false, stream_ctas);
  run("calls", calls, false);
  if (launched == 0) return std::fprintf(stderr, "kernels: no kernel \"%s\"\n", which.c_str()), 2;
  session.write(argc > 2 ? argv[2] : "trace.bin");
  return 0;
} catch (const iket::error& failure) {
  return std::fprintf(stderr, "kernels: %s\n", failure.what()), 1;
}
