// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The same kernels with a mistake: one consumer warp forgets to release one slot. The producer then waits for that
/// slot, and soon all consumers wait for the tile that would have gone there.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include <iket/iket.cuh>

#include "gemm_sm80.cuh"
#include "gemm_sm90.cuh"
#include "tile.cuh"

namespace ws_gemm::sm80 {

__global__ void __launch_bounds__(threads, 1)
    hanging_kernel(const __half* a, const __half* b, __half* c, problem size, int depth, iket::tracer tracer) {
  multiply<true>(a, b, c, size, depth, tracer);
}

}  // namespace ws_gemm::sm80

namespace ws_gemm::sm90 {

__global__ void __launch_bounds__(threads, 1)
    hanging_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, __half* c,
                   problem size, int depth, iket::tracer tracer) {
  multiply<true>(a, b, c, size, depth, tracer);
}

}  // namespace ws_gemm::sm90
