// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The hand-over of slots between producer and consumers: two mbarriers a slot, one for "full", one for "empty".
#pragma once

#include <cstdint>

namespace ws_gemm {

constexpr int max_depth = 4;

/// In the kernels that hang, the tile of k behind which one consumer warp forgets to release its slot.
constexpr int hang_tile = 5;

/// Whether a consumer warp releases the slot of tile `t`. Of the kernels that hang, the first one does not once.
template <bool hangs>
__device__ __forceinline__ bool is_released(int t, int warp) {
  return !hangs || t != hang_tile || warp != 0;
}

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Which slot is next, and the parity of the phase in which its barriers are. A barrier that was just made is in phase
/// 0, so a consumer's first wait, for parity 0, blocks until the slot is full, and a producer's, for the parity before
/// it, does not block.
struct slot_cursor {
  int index = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ void advance(int depth) {
    if (++index == depth) {
      index = 0;
      parity ^= 1;
    }
  }
};

/// One lane calls it; the CTA must synchronise before anyone uses the barrier.
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/// One arrival, where `condition` holds. Predicated, not branched around.
__device__ __forceinline__ void barrier_arrive_if(bool condition, std::uint64_t* barrier) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      ".reg .b64 state;\n"
      "setp.ne.u32 p, %1, 0;\n"
      "@p mbarrier.arrive.shared::cta.b64 state, [%0];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(static_cast<std::uint32_t>(condition))
      : "memory");
}

/// True once the phase of this parity is over. From sm_90 the hardware may suspend the thread for a while.
__device__ __forceinline__ bool barrier_try_wait(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t done;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
#if __CUDA_ARCH__ >= 900
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
#else
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n"
#endif
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}

/// Waits until the phase of this parity is over. A hand-over that never comes ends in a trap after some seconds, so
/// that a mistake here is an error on the host and not a GPU that hangs. Lanes may return apart.
__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  constexpr long long limit_cycles = 1LL << 33;
  if (barrier_try_wait(barrier, parity)) return;
  const long long begin = clock64();
  while (!barrier_try_wait(barrier, parity)) {
    if (clock64() - begin > limit_cycles) __trap();
  }
}

/// Makes barriers that were just initialised known to the copy engine too. The lane that initialised them calls it.
__device__ __forceinline__ void barrier_init_fence() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// In static shared memory, for as many slots as there can be.
struct slot_barriers {
  std::uint64_t full[max_depth];
  std::uint64_t empty[max_depth];

  /// One lane calls it, and the CTA synchronises after it. Arrivals per phase: `fills` on full, `releases` on empty.
  __device__ __forceinline__ void init(std::uint32_t fills, std::uint32_t releases) {
#pragma unroll
    for (int slot = 0; slot < max_depth; ++slot) {
      barrier_init(&full[slot], fills);
      barrier_init(&empty[slot], releases);
    }
    barrier_init_fence();
  }
};

}  // namespace ws_gemm
