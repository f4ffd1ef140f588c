// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ping_pong.cuh"

#include <algorithm>
#include <memory>

#include "gemm_operands.hpp"
#include "workloads.hpp"

namespace bench::BENCH_VARIANT {
namespace {

constexpr ws_gemm::problem size{4096, 4096, 4096};
constexpr unsigned tiles = size.m / ping_pong::tile_m * (size.n / ping_pong::tile_n);
static_assert(size.m % ping_pong::tile_m == 0 && size.n % ping_pong::tile_n == 0 && size.k % ping_pong::tile_k == 0);

class ping_pong_workload final : public workload {
 public:
  explicit ping_pong_workload(device_pool& pool)
      : data_(pool, size.m, size.n, size.k), ctas_(std::min(tiles, static_cast<unsigned>(sm_count()))) {
    require_hopper();
    BENCH_CHECK(cudaFuncSetAttribute(ping_pong::gemm_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     ping_pong::shared_bytes));
    a_map_ = ping_pong::tma::describe(data_.a, size.m, size.k, ping_pong::tile_m);
    b_map_ = ping_pong::tma::describe(data_.b, size.n, size.k, ping_pong::tile_n);
  }

  [[nodiscard]] dim3 grid() const override { return dim3(ctas_); }
  [[nodiscard]] dim3 block() const override { return dim3(ping_pong::threads); }
  /// A producer writes six a step along k.
  [[nodiscard]] std::uint32_t records_per_warp() const override {
    return 6U * static_cast<std::uint32_t>(size.k / ping_pong::tile_k) * ((tiles + ctas_ - 1) / ctas_) + 2;
  }

  void launch(iket::tracer tracer) override {
    ping_pong::gemm_kernel<<<grid(), block(), ping_pong::shared_bytes>>>(a_map_, b_map_, data_.c, size, tracer);
    BENCH_CHECK(cudaGetLastError());
  }
  void poison() override { data_.poison_result(); }
  [[nodiscard]] bool is_right() override { return data_.result_is_right(); }

 private:
  /// Compiled for anything but sm_90a the kernel is empty, and so has no static shared memory.
  static void require_hopper() {
    cudaFuncAttributes found{};
    const cudaError_t status = cudaFuncGetAttributes(&found, ping_pong::gemm_kernel);
    if (status != cudaSuccess) static_cast<void>(cudaGetLastError());  // so that no later check finds it
    if (status == cudaSuccess && found.sharedSizeBytes >= sizeof(ws_gemm::slot_barriers)) return;
    throw ws_gemm::unsupported_device("ping_pong needs an sm_90a GPU, and a build that has code for it");
  }

  gemm_operands data_;
  unsigned ctas_;
  CUtensorMap a_map_{};
  CUtensorMap b_map_{};
};

}  // namespace

std::unique_ptr<workload> make_ping_pong(device_pool& pool) { return std::make_unique<ping_pong_workload>(pool); }

}  // namespace bench::BENCH_VARIANT
