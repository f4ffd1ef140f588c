// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Every kernel of the bench, in both variants.
#pragma once

#include <memory>

#include "device_pool.hpp"
#include "workload.hpp"

/// One line a kernel: `name` stands for name.cu, which defines bench::BENCH_VARIANT::make_name.
#define BENCH_FOR_EACH_WORKLOAD(use) \
  use(rms_norm) use(attention) use(scan) use(ws_gemm) use(ws_gemm_phases) use(ping_pong)

#define BENCH_DECLARE_WORKLOAD(name)                        \
  namespace bench::traced {                                 \
  std::unique_ptr<workload> make_##name(device_pool& pool); \
  }                                                         \
  namespace bench::untraced {                               \
  std::unique_ptr<workload> make_##name(device_pool& pool); \
  }
BENCH_FOR_EACH_WORKLOAD(BENCH_DECLARE_WORKLOAD)
#undef BENCH_DECLARE_WORKLOAD

namespace bench {

/// The two variants of one kernel. Made from one pool, they work on the same arrays.
struct workload_pair {
  using factory = std::unique_ptr<workload> (*)(device_pool&);

  const char* name;
  factory make_traced;    ///< compiled with IKET
  factory make_untraced;  ///< compiled with IKET_DISABLE
};

#define BENCH_PAIR_OF(name) {#name, traced::make_##name, untraced::make_##name},
inline constexpr workload_pair all_workloads[] = {BENCH_FOR_EACH_WORKLOAD(BENCH_PAIR_OF)};
#undef BENCH_PAIR_OF

}  // namespace bench
