// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The copy engine of sm_90: its descriptor, made on the host, and the copy, issued by one lane.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "check.hpp"
#include "pipeline.cuh"

namespace ws_gemm::tma {

/// Describes a row-major matrix of fp16, to be copied in boxes of `box_rows` x 64 columns with the 128-byte swizzle.
/// The matrix starts on 16 bytes, and so does each of its rows.
inline CUtensorMap describe(const __half* data, int rows, int columns, int box_rows) {
  // Through the runtime, so that the program needs no link with libcuda and can say that there is no GPU.
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  WS_GEMM_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
#else
  WS_GEMM_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess) throw std::runtime_error("this driver has no cuTensorMapEncodeTiled");
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);

  const cuuint64_t size[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[1] = {static_cast<cuuint64_t>(columns) * sizeof(__half)};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t every_element[2] = {1, 1};
  CUtensorMap map{};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half*>(data), size, row_bytes,
                                 box, every_element, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled failed with CUresult " + std::to_string(result));
  }
  return map;
}

/// True on one lane. The whole warp calls it, converged.
__device__ __forceinline__ bool elect_one() {
  std::uint32_t elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

/// Fetches the descriptor ahead of the first copy.
__device__ __forceinline__ void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Arrives on the barrier and makes its phase wait for so many bytes more.
__device__ __forceinline__ void arrive_expecting(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

/// Issues the copy of the box whose first element is (row, column) to shared memory; its bytes count on the barrier.
/// `to` starts on 1024 bytes.
__device__ __forceinline__ void load(std::uint32_t to, const CUtensorMap& map, int row, int column,
                                     std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

}  // namespace ws_gemm::tma
