// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "rms_norm.cuh"

#include <memory>

#include "numbers.cuh"
#include "workloads.hpp"

namespace bench::BENCH_VARIANT {
namespace rms_norm {
namespace {

constexpr int rows = 32768;  // 256 MiB an array, more than an L2 holds
constexpr std::size_t elements = static_cast<std::size_t>(rows) * columns;
constexpr float epsilon = 1e-5F;

struct arrays {
  __half *x, *residual, *weight, *sum, *out;
};

/// A CTA per row, the plainest way.
__global__ void check_kernel(arrays all, unsigned* wrong) {
  __shared__ float squares[threads];
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * columns;
  float own_squares = 0;
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += threads) {
    const float sum = __half2float(__hadd(all.x[row + i], all.residual[row + i]));
    if (!(sum == __half2float(all.sum[row + i]))) atomicAdd(wrong, 1U);
    own_squares += sum * sum;
  }
  squares[threadIdx.x] = own_squares;
  __syncthreads();
  float all_squares = 0;
  for (const float part : squares) all_squares += part;
  const float root = sqrtf(all_squares / columns + epsilon);
  for (int i = static_cast<int>(threadIdx.x); i < columns; i += threads) {
    const float sum = __half2float(__hadd(all.x[row + i], all.residual[row + i]));
    const float expected = sum / root * __half2float(all.weight[i]);
    if (is_wrong(__half2float(all.out[row + i]), expected, 1)) atomicAdd(wrong, 1U);
  }
}

class rms_norm_workload final : public workload {
 public:
  explicit rms_norm_workload(device_pool& pool)
      : pool_(pool),
        all_{pool.array<__half>("x", elements), pool.array<__half>("residual", elements),
             pool.array<__half>("weight", columns), pool.array<__half>("sum", elements),
             pool.array<__half>("out", elements)},
        grid_(static_cast<unsigned>(sm_count() * ctas_per_sm)) {
    fill_random(all_.x, elements, 1);
    fill_random(all_.residual, elements, 2);
    fill_random(all_.weight, columns, 3);
  }

  [[nodiscard]] dim3 grid() const override { return grid_; }
  [[nodiscard]] dim3 block() const override { return threads; }
  [[nodiscard]] std::uint32_t records_per_warp() const override {
    return 9 * ((static_cast<std::uint32_t>(rows) + grid_.x - 1) / grid_.x);
  }

  void launch(iket::tracer tracer) override {
    const auto vectors_of = [](__half* data) { return reinterpret_cast<eight_halves*>(data); };
    rms_norm_kernel<<<grid(), block()>>>(vectors_of(all_.x), vectors_of(all_.residual), vectors_of(all_.weight),
                                         vectors_of(all_.sum), vectors_of(all_.out), rows, epsilon, tracer);
    BENCH_CHECK(cudaGetLastError());
  }

  void poison() override {
    BENCH_CHECK(cudaMemset(all_.sum, 0xff, elements * sizeof(__half)));
    BENCH_CHECK(cudaMemset(all_.out, 0xff, elements * sizeof(__half)));
  }

  [[nodiscard]] bool is_right() override {
    return counts_nothing(pool_, [&](unsigned* wrong) { check_kernel<<<rows, threads>>>(all_, wrong); });
  }

 private:
  device_pool& pool_;
  arrays all_;
  dim3 grid_;
};

}  // namespace
}  // namespace rms_norm

std::unique_ptr<workload> make_rms_norm(device_pool& pool) {
  return std::make_unique<rms_norm::rms_norm_workload>(pool);
}

}  // namespace bench::BENCH_VARIANT
