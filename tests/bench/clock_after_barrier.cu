// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Does a clock that is read behind a barrier show when the barrier let the warp go, or an earlier time? ptxas makes
// BAR.SYNC.DEFER_BLOCKING of bar.sync; behind it a warp issues on until it comes to memory or control flow.
//
// Warp 1 comes to the barrier at once, warp 0 `delay` cycles later. A row for each thing that may stand between barrier
// and clock: what warp 1 sees pass. Less than the delay is too early.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int rounds = 32;
constexpr long long delay = 20000;

enum class between { nothing, clock, vote, warp_barrier, fence, store, load, membar, count };

constexpr const char* names[] = {"nothing",
                                 "another read of the clock",
                                 "activemask (VOTE)",
                                 "__syncwarp of the active lanes (NOP)",
                                 "fence.mbarrier_init (NOP)",
                                 "a store to global memory",
                                 "a load from shared memory",
                                 "membar.cta"};

__device__ __forceinline__ unsigned read_clock() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

template <between What>
__device__ __forceinline__ unsigned do_it(unsigned* scratch) {
  unsigned result = 0;
  if constexpr (What == between::clock) result = read_clock();
  if constexpr (What == between::vote) asm volatile("activemask.b32 %0;" : "=r"(result)::"memory");
  if constexpr (What == between::warp_barrier)
    asm volatile("{.reg .u32 lanes; activemask.b32 lanes; bar.warp.sync lanes;}" ::: "memory");
#if __CUDA_ARCH__ >= 900
  if constexpr (What == between::fence) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  if constexpr (What == between::store) asm volatile("st.global.u32 [%0], 1;" ::"l"(scratch + threadIdx.x) : "memory");
  if constexpr (What == between::load) {
    __shared__ unsigned shared[64];
    asm volatile("ld.shared.u32 %0, [%1];"
                 : "=r"(result)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared + threadIdx.x)))
                 : "memory");
  }
  if constexpr (What == between::membar) asm volatile("membar.cta;" ::: "memory");
  return result;
}

template <between What>
__global__ void measure(unsigned* out, unsigned* scratch) {
  for (int round = 0; round < rounds; ++round) {
    if (threadIdx.x < 32) {
      const long long begin = clock64();
      while (clock64() - begin < delay) {
      }
    }
    const unsigned before = read_clock();
    asm volatile("bar.sync 0;" ::: "memory");
    const unsigned result = do_it<What>(scratch);
    const unsigned after = read_clock();
    if (threadIdx.x == 32) {
      out[round] = after - before;
      scratch[64] = result;
    }
    __syncthreads();
  }
}

template <int Index>
bool print_rows(unsigned* out, unsigned* scratch) {
  if constexpr (Index < static_cast<int>(between::count)) {
    measure<static_cast<between>(Index)><<<1, 64>>>(out, scratch);
    std::vector<unsigned> cycles(rounds);
    if (cudaMemcpy(cycles.data(), out, rounds * sizeof(unsigned), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    std::sort(cycles.begin() + 1, cycles.end());  // the first round loads the code
    std::printf("%-38s %8u %8u %8u  %s\n", names[Index], cycles[1], cycles[rounds / 2], cycles[rounds - 1],
                cycles[1] + 200 >= delay ? "" : "too early");
    return print_rows<Index + 1>(out, scratch);
  }
  return true;
}

int main() {
  unsigned *out = nullptr, *scratch = nullptr;
  if (cudaMalloc(&out, rounds * sizeof(unsigned)) != cudaSuccess || cudaMalloc(&scratch, 512) != cudaSuccess) {
    std::printf("skipped: no usable GPU\n");
    return 77;
  }
  std::printf("cycles that pass at a barrier to which another warp comes %lld cycles later\n\n", delay);
  std::printf("%-38s %8s %8s %8s\n", "between the barrier and the clock", "min", "median", "max");
  return print_rows<0>(out, scratch) ? 0 : 1;
}
