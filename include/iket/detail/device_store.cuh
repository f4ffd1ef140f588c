// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The device's side of `ring_cursor`: the instructions of an event, and what the recorder reads and writes besides.
///
/// Events are branch-free: a branch around a store costs two to three times the event, and between wgmma operations
/// it makes ptxas insert extra waits.
///
/// All stores are st.relaxed.sys: the trace memory may be the host's (`storage::host`), and what a warp has stored has
/// to come there before its kernel ends, because it may fail. A plain store owes that to nobody, and the GPU's cache
/// may keep it. It is the same one instruction with another modifier.
#pragma once

#include <iket/config.hpp>
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

// What keeps the compiler from moving memory operations across an event; ptxas keeps loads and stores of memory that
// may be the same in order by itself, and may move all else.
#if IKET_DETAIL_RELAXED
#define IKET_DETAIL_ORDER
#else
#define IKET_DETAIL_ORDER : "memory"
#endif

// The address of the record at `bytes & mask`: the ring is aligned to its size, so the low bits are the place in it and
// the rest is what it was before. One LOP3 on half of a register pair that is there already. `%0` is the address.
#define IKET_DETAIL_PLACE(bytes, mask)  \
  "mov.b64 {low, high}, %0;\n\t"        \
  "lop3.b32 low, " bytes ", low, " mask \
  ", 0xe4;\n\t"                         \
  "mov.b64 %0, {low, high};\n\t"

/// Stores into one ring. Clock, predicate and store stand in one asm block, so that the compiler puts nothing between
/// them. The parameters are IKET_DETAIL_RELAXED, which keeps units built with different ones apart, and
/// IKET_DETAIL_KEEP_FIRST.
template <int Relaxed, int KeepFirst>
struct device_store {
  u64 at;     ///< address of some record of the ring; 0 on lanes that do not record
  u32 limit;  ///< to keep the first: bytes of the ring, or 0 on lanes that do not record; else not used

#if defined(__CUDA_ARCH__)
  /// Not zero on the lane that records. An address in device memory has a high half, which serves as the flag, so that
  /// none takes a register.
  __device__ __forceinline__ u32 on() const { return static_cast<u32>(at >> 32); }

  /// Not zero where an event stores.
  __device__ __forceinline__ u32 gate(bool condition, u32 last) const {
    if constexpr (KeepFirst != 0)
      return condition && last < limit ? 1 : 0;
    else
      return condition ? on() : 0;
  }

  /// What does not fit keeps out all that comes behind it, also where the count of bytes begins again.
  __device__ __forceinline__ void shut(bool condition, u32 last) {
    if constexpr (KeepFirst != 0) limit = condition && last >= limit ? 0 : limit;
  }

  __device__ __forceinline__ void clock(bool condition, u32 last, u32 bytes, u32 mask, u32 tag) {
    shut(condition, last);
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        ".reg .u32 now, low, high;\n\t"
        "setp.ne.u32 on, %1, 0;\n\t" IKET_DETAIL_PLACE("%2", "%3") IKET_DETAIL_HOLD
        "mov.u32 now, %%clock;\n\t"
        "@on st.relaxed.sys.global.v2.u32 [%0], {now, %4};\n\t"
        "}"
        : "+l"(at)
        : "r"(gate(condition, last)), "r"(bytes), "r"(mask), "r"(tag)IKET_DETAIL_ORDER);
  }

  __device__ __forceinline__ void word(bool condition, u32 last, u32 bytes, u32 mask, u32 value, u32 tag) {
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        ".reg .u32 low, high;\n\t"
        "setp.ne.u32 on, %1, 0;\n\t" IKET_DETAIL_PLACE("%2", "%3")
        "@on st.relaxed.sys.global.v2.u32 [%0], {%4, %5};\n\t"
        "}"
        : "+l"(at)
        : "r"(gate(condition, last)), "r"(bytes), "r"(mask), "r"(value), "r"(tag)IKET_DETAIL_ORDER);
  }

  __device__ __forceinline__ void clock_pair(bool condition, u32 last, u32 bytes, u32 mask, u32 tag, u64& timer_ns) {
    shut(condition, last);
    asm volatile(
        "{\n\t"
        ".reg .pred on;\n\t"
        ".reg .u32 now, low, high;\n\t"
        "setp.ne.u32 on, %2, 0;\n\t" IKET_DETAIL_PLACE("%3", "%4") IKET_DETAIL_HOLD
        "mov.u32 now, %%clock;\n\t"
        "mov.u64 %1, %%globaltimer;\n\t"
        "@on st.relaxed.sys.global.v2.u32 [%0], {now, %5};\n\t"
        "}"
        : "+l"(at), "=l"(timer_ns)
        : "r"(gate(condition, last)), "r"(bytes), "r"(mask), "r"(tag)IKET_DETAIL_ORDER);
  }
#endif
};

#if defined(__CUDA_ARCH__)

/// Four words to `address`, a multiple of 16.
__device__ __forceinline__ void store_words(u64 address, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

/// Two double words to `address`, a multiple of 16.
__device__ __forceinline__ void store_double_words(u64 address, u64 a, u64 b) {
  asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(address), "l"(a), "l"(b) : "memory");
}

__device__ __forceinline__ void store_word_if(u32 condition, u64 address, u32 value) {
  asm volatile(
      "{\n\t"
      ".reg .pred on;\n\t"
      "setp.ne.u32 on, %0, 0;\n\t"
      "@on st.relaxed.sys.global.u32 [%1], %2;\n\t"
      "}"
      :
      : "r"(condition), "l"(address), "r"(value)
      : "memory");
}

/// Adds without waiting for a result. In memory of the host this is atomic among the GPU's own threads, as all of them
/// that add there are; when the sum comes there is not told, so the host does not rely on it behind a failed kernel.
/// A `red` takes about 25 cycles, an atomic with a result about 490 on an H200.
__device__ __forceinline__ void add_and_forget(u64 address, u32 value) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

/// Adds, and gives what was there before.
__device__ __forceinline__ u32 add(u64 address, u32 value) {
  u32 before;
  asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(address), "r"(value) : "memory");
  return before;
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

/// Of the grid: each launch of a stream has another, each launch of one node of one executable graph the same.
__device__ __forceinline__ u64 read_grid_id() {
  u64 id;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
  return id;
}

/// Warp in CTA: linear thread / 32.
__device__ __forceinline__ u32 warp_in_cta() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
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
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
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
#undef IKET_DETAIL_ORDER
#undef IKET_DETAIL_PLACE
