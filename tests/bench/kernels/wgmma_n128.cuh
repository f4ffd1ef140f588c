// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Two instructions of wgmma besides those in examples/ws_gemm: one of half as many columns, two of which make a tile
/// of 128 x 128, and a wait that leaves a group in flight. As there, what orders the accumulators names them as
/// operands.
#pragma once

#include <cstdint>

namespace bench::wgmma_n128 {

constexpr int halves = 2;  ///< of the accumulators: two instructions' parts of C, 64 rows each
constexpr int values_per_half = 64;
constexpr int values_per_thread = halves * values_per_half;

#define WGMMA_N128_OPERANDS_8(i)                                                                              \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define WGMMA_N128_OPERANDS_32(i) \
  WGMMA_N128_OPERANDS_8(i), WGMMA_N128_OPERANDS_8(i + 8), WGMMA_N128_OPERANDS_8(i + 16), WGMMA_N128_OPERANDS_8(i + 24)
#define WGMMA_N128_OPERANDS_64(i) WGMMA_N128_OPERANDS_32(i), WGMMA_N128_OPERANDS_32(i + 32)

/// Half `half` of d += A * B, 64 x 128 x 16, asynchronously.
template <int half>
__device__ __forceinline__ void multiply(float (&d)[values_per_thread], std::uint64_t a, std::uint64_t b) {
  constexpr int first = half * values_per_half;
  asm volatile(
      "{\n"
      ".reg .pred accumulate;\n"
      "setp.ne.u32 accumulate, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, %64, %65, accumulate, 1, 1, 0, 0;\n"
      "}"
      : WGMMA_N128_OPERANDS_64(first)
      : "l"(a), "l"(b)
      : "memory");
}

/// Waits until at most the last group is in flight: shared memory that the ones before it read may be overwritten. The
/// accumulators may not be read yet.
__device__ __forceinline__ void wait_for_all_but_last(float (&d)[values_per_thread]) {
  asm volatile("wgmma.wait_group.sync.aligned 1;" : WGMMA_N128_OPERANDS_64(0), WGMMA_N128_OPERANDS_64(64)::"memory");
}

#undef WGMMA_N128_OPERANDS_64
#undef WGMMA_N128_OPERANDS_32
#undef WGMMA_N128_OPERANDS_8

}  // namespace bench::wgmma_n128
