// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "attention.cuh"

#include <memory>

#include "numbers.cuh"
#include "workloads.hpp"

namespace bench::BENCH_VARIANT {
namespace attention {
namespace {

constexpr int heads = 64, sequence = 4096;
constexpr std::size_t elements = static_cast<std::size_t>(heads) * sequence * head_dim;
constexpr float score_scale = 0.125F;  // 1 / sqrt(head_dim)
constexpr float log2_of_e = 1.44269504F;
// So that scores spread by about 3 and a few keys have most of a row's weight: were all weights alike, results would be
// small and mistakes in the scores hard to see.
constexpr float q_range = 8;

struct arrays {
  __half *q, *k, *v, *out;
};

/// A row of Q per thread, in fp32 and the plainest way: the highest score, then weights and sums.
__global__ void check_kernel(arrays all, unsigned* wrong) {
  const std::size_t head = static_cast<std::size_t>(blockIdx.y) * sequence * head_dim;
  const std::size_t row = head + (static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x) * head_dim;
  float q[head_dim], result[head_dim] = {};
#pragma unroll
  for (int i = 0; i < head_dim; ++i) q[i] = __half2float(all.q[row + i]) * score_scale;
  const auto score = [&](int key) {
    const auto* const pairs = reinterpret_cast<const __half2*>(all.k + head + static_cast<std::size_t>(key) * head_dim);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < head_dim / 2; ++i) {
      const float2 pair = __half22float2(pairs[i]);
      sum += q[2 * i] * pair.x + q[2 * i + 1] * pair.y;
    }
    return sum;
  };

  float highest = -INFINITY, weights = 0;
  for (int key = 0; key < sequence; ++key) highest = fmaxf(highest, score(key));
  for (int key = 0; key < sequence; ++key) {
    const auto* const pairs = reinterpret_cast<const __half2*>(all.v + head + static_cast<std::size_t>(key) * head_dim);
    const float weight = expf(score(key) - highest);
    weights += weight;
#pragma unroll
    for (int i = 0; i < head_dim / 2; ++i) {
      const float2 pair = __half22float2(pairs[i]);
      result[2 * i] += weight * pair.x;
      result[2 * i + 1] += weight * pair.y;
    }
  }
#pragma unroll
  for (int i = 0; i < head_dim; ++i) {
    if (is_wrong(__half2float(all.out[row + i]), result[i] / weights, 1)) atomicAdd(wrong, 1U);
  }
}

class attention_workload final : public workload {
 public:
  explicit attention_workload(device_pool& pool)
      : pool_(pool),
        all_{pool.array<__half>("q", elements), pool.array<__half>("k", elements), pool.array<__half>("v", elements),
             pool.array<__half>("out", elements)} {
    fill_random(all_.q, elements, 1, q_range);
    fill_random(all_.k, elements, 2);
    fill_random(all_.v, elements, 3);
    BENCH_CHECK(cudaFuncSetAttribute(attention_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  }

  [[nodiscard]] dim3 grid() const override { return {sequence / tile_rows, heads}; }
  [[nodiscard]] dim3 block() const override { return threads; }
  [[nodiscard]] std::uint32_t records_per_warp() const override { return 11 * (sequence / tile_keys) + 2; }

  void launch(iket::tracer tracer) override {
    attention_kernel<<<grid(), block(), shared_bytes>>>(all_.q, all_.k, all_.v, all_.out, sequence,
                                                        score_scale * log2_of_e, tracer);
    BENCH_CHECK(cudaGetLastError());
  }

  void poison() override { BENCH_CHECK(cudaMemset(all_.out, 0xff, elements * sizeof(__half))); }

  [[nodiscard]] bool is_right() override {
    constexpr unsigned check_threads = 128;
    return counts_nothing(pool_, [&](unsigned* wrong) {
      check_kernel<<<dim3(sequence / check_threads, heads), check_threads>>>(all_, wrong);
    });
  }

 private:
  device_pool& pool_;
  arrays all_;
};

}  // namespace
}  // namespace attention

std::unique_ptr<workload> make_attention(device_pool& pool) {
  return std::make_unique<attention::attention_workload>(pool);
}

}  // namespace bench::BENCH_VARIANT
