// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The warpgroup's matrix instructions of sm_90a that the kernel needs.
///
/// Every function that orders the accumulators names them as operands, so that the compiler cannot move what it does
/// with them across it. All four warps of a warpgroup call each of these together, converged.
#pragma once

#include <cstdint>

namespace ws_gemm::wgmma {

/// One instruction's part of C, which the 128 threads of the warpgroup hold between them, and its step along k.
constexpr int rows = 64, columns = 256, step_k = 16;
constexpr int values_per_thread = rows * columns / 128;

/// Describes a tile of fp16 in shared memory: k contiguous, 64 elements (128 bytes) a row, in the 128-byte swizzle that
/// the copy engine wrote. Groups of eight rows are 1024 bytes apart, and the tile starts on such a boundary.
/// A step of 16 along k is 32 bytes: add `descriptor_step` to the descriptor.
__device__ __forceinline__ std::uint64_t descriptor(std::uint32_t shared_address) {
  constexpr std::uint64_t swizzle_128_bytes = 1ULL << 62;
  constexpr std::uint64_t eight_rows_bytes = 1024;
  constexpr std::uint64_t not_used_when_swizzled = 1;
  return swizzle_128_bytes | (eight_rows_bytes >> 4) << 32 | not_used_when_swizzled << 16 |
         (shared_address & 0x3ffff) >> 4;
}
constexpr std::uint64_t descriptor_step = step_k * 2 >> 4;

#define WS_GEMM_OPERANDS_8(i)                                                                                 \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define WS_GEMM_OPERANDS_32(i) \
  WS_GEMM_OPERANDS_8(i), WS_GEMM_OPERANDS_8(i + 8), WS_GEMM_OPERANDS_8(i + 16), WS_GEMM_OPERANDS_8(i + 24)
#define WS_GEMM_OPERANDS \
  WS_GEMM_OPERANDS_32(0), WS_GEMM_OPERANDS_32(32), WS_GEMM_OPERANDS_32(64), WS_GEMM_OPERANDS_32(96)

/// Before the first multiplication after the accumulators were touched by anything else.
__device__ __forceinline__ void fence(float (&d)[values_per_thread]) {
  asm volatile("wgmma.fence.sync.aligned;" : WS_GEMM_OPERANDS::"memory");
}

/// d += A * B, 64 x 256 x 16, asynchronously.
__device__ __forceinline__ void multiply(float (&d)[values_per_thread], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.u32 accumulate, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, accumulate, 1, 1, 0, 0;\n"
      "}"
      : WS_GEMM_OPERANDS
      : "l"(a), "l"(b)
      : "memory");
}

/// Ends the group of multiplications issued since the last one.
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Waits until all groups are done: then the accumulators may be read, and shared memory that was read be overwritten.
__device__ __forceinline__ void wait_all(float (&d)[values_per_thread]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" : WS_GEMM_OPERANDS::"memory");
}

#undef WS_GEMM_OPERANDS
#undef WS_GEMM_OPERANDS_32
#undef WS_GEMM_OPERANDS_8

/// Moves registers from the warpgroups that only copy to those that compute. Every warp of a warpgroup calls it.
template <int registers>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

/// The other side; waits until the registers are there.
template <int registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace ws_gemm::wgmma
