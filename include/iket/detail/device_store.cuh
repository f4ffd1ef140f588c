// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The device's side of `ring_cursor`: the instructions of an event, and what the recorder reads and writes besides.
///
/// Events are branch-free: a branch around a store costs two to three times the event, and between wgmma operations
/// it makes ptxas insert extra waits.
#pragma once

#include <iket/detail/types.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

// Holds a warp that came to a barrier until the barrier lets it go, before the clock is read. From sm_80 on ptxas makes
// BAR.SYNC.DEFER_BLOCKING of bar.sync: behind it, instructions that need neither memory nor control flow still issue,
// the clock's read (CS2R) among them. On an H200 a clock read directly behind __syncthreads() showed 9 cycles where
// another warp let it wait for 20,000; with one NOP before it, 20,062 (tests/bench/clock_after_barrier.cu). PTX has no
// NOP. From sm_90 on this fence, which orders nothing but mbarrier.init, assembles to one. Before, a __syncwarp of the
// active lanes does; where ptxas cannot see that the warp is whole it costs about ten instructions more.
#if __CUDA_ARCH__ >= 900
#define IKET_DETAIL_HOLD "fence.mbarrier_init.release.cluster;\n\t"
#elif __CUDA_ARCH__ >= 800
#define IKET_DETAIL_HOLD "{\n\t.reg .u32 lanes;\n\tactivemask.b32 lanes;\n\tbar.warp.sync lanes;\n\t}\n\t"
#else
#define IKET_DETAIL_HOLD ""
#endif

/// Stores into one ring on the lanes where `enabled` is 1. Clock and store stand in one asm block, so that the compiler
/// puts nothing between them; the "memory" clobber keeps it from moving memory operations across an event.
struct device_store {
  u64 ring;     ///< address of the first record
  u32 enabled;  ///< 1 on the leader lane of a traced warp, else 0

#if defined(__CUDA_ARCH__)
  __device__ __forceinline__ u64 address(u32 index) const { return ring + u64{8} * index; }

  __device__ __forceinline__ void clock(u32 index, u32 tag) const {
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        ".reg .u32 now;\n\t"
        "setp.ne.u32 on, %0, 0;\n\t" IKET_DETAIL_HOLD
        "mov.u32 now, %%clock;\n\t"
        "@on st.global.v2.u32 [%1], {now, %2};\n\t"
        "}" ::"r"(enabled),
        "l"(address(index)), "r"(tag)
        : "memory");
  }

  __device__ __forceinline__ void word(u32 index, u32 value, u32 tag) const {
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        "setp.ne.u32 on, %0, 0;\n\t"
        "@on st.global.v2.u32 [%1], {%2, %3};\n\t"
        "}" ::"r"(enabled),
        "l"(address(index)), "r"(value), "r"(tag)
        : "memory");
  }
#endif
};

#if defined(__CUDA_ARCH__)

/// Four words to `address`, a multiple of 16.
__device__ __forceinline__ void store_words(u64 address, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/// Two double words to `address`, a multiple of 16.
__device__ __forceinline__ void store_double_words(u64 address, u64 a, u64 b) {
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(address), "l"(a), "l"(b) : "memory");
}

__device__ __forceinline__ void store_word_if(u32 condition, u64 address, u32 value) {
  asm volatile(
      "{\n\t"
      ".reg .pred on;\n\t"
      "setp.ne.u32 on, %0, 0;\n\t"
      "@on st.global.u32 [%1], %2;\n\t"
      "}"
      :
      : "r"(condition), "l"(address), "r"(value)
      : "memory");
}

/// Adds without waiting for a result (`red`: about 25 cycles; an atomic with a result takes about 490 on an H200).
__device__ __forceinline__ void add_and_forget(u64 address, u32 value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Both clocks, with nothing between the two reads (4 cycles apart on an H200, up to 19 when 16 warps start together).
__device__ __forceinline__ clock_pair read_clock_pair() {
  clock_pair pair;
  asm volatile(IKET_DETAIL_HOLD "mov.u64 %0, %%clock64;\n\tmov.u64 %1, %%globaltimer;"
               : "=l"(pair.cycles), "=l"(pair.globaltimer_ns)::"memory");
  return pair;
}

__device__ __forceinline__ u32 read_sm_id() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// True on one of the active lanes, the same on every call with the same lanes.
__device__ __forceinline__ bool elect_leader() {
#if __CUDA_ARCH__ >= 900
  u32 elected;
  asm volatile(
      "{\n\t"
      ".reg .pred is_leader;\n\t"
      "elect.sync _|is_leader, %1;\n\t"
      "selp.u32 %0, 1, 0, is_leader;\n\t"
      "}"
      : "=r"(elected)
      : "r"(__activemask()));
  return elected != 0;
#else
  u32 lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return static_cast<int>(lane) == __ffs(static_cast<int>(__activemask())) - 1;
#endif
}

/// This CTA's rank in its cluster, and the cluster's size as `warp_header::cluster_dims` has it.
struct cluster_place {
  u32 rank;
  u32 dims;
};

__device__ __forceinline__ cluster_place read_cluster_place() {
#if __CUDA_ARCH__ >= 900
  u32 rank, x, y, z;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(x));
  asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(y));
  asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(z));
  return {rank, x | (y << 8) | (z << 16)};
#else
  return {0, 0x010101};
#endif
}

#endif  // __CUDA_ARCH__

}  // namespace detail
}  // namespace abi_1
}  // namespace iket

#undef IKET_DETAIL_HOLD
