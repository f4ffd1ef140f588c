// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Events where they hurt most: between the multiplications of one group, while a group is in flight, around the waits.
// The kernel computes nothing of use; what ptxas makes of it is looked at by wgmma_sequence.
#include <cstdint>
#include <iket/iket.cuh>

#include "../../examples/ws_gemm/wgmma.cuh"

namespace wgmma = ws_gemm::wgmma;

__global__ void __launch_bounds__(128, 1)
    multiply(const std::uint64_t* descriptors, float* out, int tiles, iket::tracer tracer) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  iket::recorder rec(tracer);
  float accumulator[wgmma::values_per_thread] = {};
  const std::uint64_t a = descriptors[0], b = descriptors[1];
#pragma unroll 1
  for (int t = 0; t < tiles; ++t) {
    IKET_RANGE(rec, "tile", t);
    wgmma::fence(accumulator);
    wgmma::multiply(accumulator, a, b);
    IKET_PUSH(rec, "issue", t);
    wgmma::multiply(accumulator, a + wgmma::descriptor_step, b + wgmma::descriptor_step);
    IKET_POP(rec);
    wgmma::multiply(accumulator, a + 2 * wgmma::descriptor_step, b + 2 * wgmma::descriptor_step);
    wgmma::commit();
    IKET_PUSH(rec, "in flight", t);
    wgmma::wait_all(accumulator);
    IKET_POP(rec);
  }
  IKET_RANGE(rec, "write back");
#pragma unroll
  for (int i = 0; i < wgmma::values_per_thread; ++i) out[i * 128 + threadIdx.x] = accumulator[i];
#endif
}
