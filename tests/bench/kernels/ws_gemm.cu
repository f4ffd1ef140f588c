// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The matrix multiplication of examples/ws_gemm. Its headers know nothing of variants, so their namespace is renamed.
#include <memory>

#include "gemm_operands.hpp"
#include "variant.hpp"
#include "workloads.hpp"

#if defined(WS_GEMM_TRACE_PHASES) && IKET_ENABLED
#define ws_gemm ws_gemm_phases_traced
#elif defined(WS_GEMM_TRACE_PHASES)
#define ws_gemm ws_gemm_phases_untraced
#elif IKET_ENABLED
#define ws_gemm ws_gemm_traced
#else
#define ws_gemm ws_gemm_untraced
#endif
#if defined(WS_GEMM_TRACE_PHASES)
#define BENCH_MAKE make_ws_gemm_phases
#else
#define BENCH_MAKE make_ws_gemm
#endif
#include "../../../examples/ws_gemm/gemm.hpp"

namespace bench::BENCH_VARIANT {
namespace {

constexpr ws_gemm::problem size{4096, 4096, 4096};

class ws_gemm_workload final : public workload {
 public:
  explicit ws_gemm_workload(device_pool& pool)
      : data_(pool, size.m, size.n, size.k), product_(size, data_.a, data_.b, data_.c, ws_gemm::max_depth) {}

  [[nodiscard]] dim3 grid() const override { return product_.grid(); }
  [[nodiscard]] dim3 block() const override { return product_.block(); }
  /// A producer writes six a tile of k.
  [[nodiscard]] std::uint32_t records_per_warp() const override {
    return 6U * static_cast<std::uint32_t>(size.k / product_.shape().tile_k) + 2;
  }

  void launch(iket::tracer tracer) override { product_.launch(tracer); }
  void poison() override { data_.poison_result(); }
  [[nodiscard]] bool is_right() override { return data_.result_is_right(); }

 private:
  gemm_operands data_;
  ws_gemm::gemm product_;
};

}  // namespace

std::unique_ptr<workload> BENCH_MAKE(device_pool& pool) { return std::make_unique<ws_gemm_workload>(pool); }

}  // namespace bench::BENCH_VARIANT
