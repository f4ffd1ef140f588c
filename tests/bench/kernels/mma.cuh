// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The warp's matrix and copy instructions of sm_80 that attention needs.
#pragma once

#include <cstdint>

namespace bench::mma {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Loads four 8 x 8 matrices of fp16; lane i gives the address of row i % 8 of matrix i / 8. Of each matrix a lane gets
/// two neighbours of row lane / 4, columns 2 * (lane % 4) on. The whole warp calls it.
__device__ __forceinline__ void load_matrices(std::uint32_t (&d)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(row_address)
               : "memory");
}

/// The same, each matrix transposed on its way.
__device__ __forceinline__ void load_matrices_transposed(std::uint32_t (&d)[4], std::uint32_t row_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(row_address)
               : "memory");
}

/// d += A * B, 16 x 8 x 16. Volatile, so that no multiplication moves out of the range that times it.
__device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b_low,
                                         std::uint32_t b_high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
}

/// Starts a copy of 16 bytes, both addresses on 16 bytes.
__device__ __forceinline__ void copy_16_bytes(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
}

/// Waits for all copies of this lane.
__device__ __forceinline__ void wait_all_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// 2^x to about 22 bits; 0 for -infinity.
__device__ __forceinline__ float exp2_approximate(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

}  // namespace bench::mma
