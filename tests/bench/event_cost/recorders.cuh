// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The floor and the library's recorder, each as a policy of the loops: `step(work, payload)` does the work and
/// records. Each warp has a ring of `ring_entries`. The policies to compare them with are in rivals.cuh.
#pragma once

#include <cuda_runtime.h>

#include <iket/iket.cuh>

namespace event_cost {

constexpr unsigned ring_entries = 1024;  // the library's default

/// Memory for the recorders that are not the library's, which has its session's.
struct ring_memory {
  void* base;
  unsigned entries;  ///< a ring's; an argument, so that no check of it folds
};

__device__ __forceinline__ unsigned warp_in_grid() { return (blockIdx.x * blockDim.x + threadIdx.x) / 32; }
__device__ __forceinline__ unsigned warps_in_grid() { return gridDim.x * blockDim.x / 32; }
__device__ __forceinline__ bool is_leader() { return threadIdx.x % 32 == 0; }

__device__ __forceinline__ unsigned read_clock() {
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned long long read_globaltimer() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ unsigned read_globaltimer_low() {
  unsigned now;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now)::"memory");
  return now;
}

/// Makes the value opaque, so that it stays in its register.
template <class Value>
__device__ __forceinline__ void keep(Value& value) {
  if constexpr (sizeof(Value) == 8)
    asm volatile("" : "+l"(value));
  else
    asm volatile("" : "+r"(value));
}

/// The same for a pointer to global memory, which stays known as one.
template <class Value>
__device__ __forceinline__ void keep(Value*& pointer) {
  asm volatile("" : "+l"(pointer));
  __builtin_assume(__isGlobal(pointer));
}

// What the library puts before the clock, so that it is not read ahead of a barrier: a NOP from sm_90 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define EVENT_COST_HOLD "fence.mbarrier_init.release.cluster;\n\t"
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define EVENT_COST_HOLD "{\n\t.reg .u32 lanes;\n\tactivemask.b32 lanes;\n\tbar.warp.sync lanes;\n\t}\n\t"
#else
#define EVENT_COST_HOLD ""
#endif

/// The loop alone.
class no_recorder {
 public:
  static constexpr unsigned events = 1, words_per_warp = 0;
  static constexpr bool is_library = false;

  __device__ __forceinline__ no_recorder(const ring_memory&, const iket::tracer&) {}
  __device__ __forceinline__ void rewind() {}
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, unsigned) {
    work();
  }
};

/// The least that leaves a time in memory: one read of the clock and one predicated 8-byte store, always to the same
/// address of the warp. With `Hold`, the library's NOP before them.
template <bool Hold>
class floor_recorder {
 public:
  static constexpr unsigned events = 1, words_per_warp = 1;
  static constexpr bool is_library = false;

  __device__ __forceinline__ floor_recorder(const ring_memory& memory, const iket::tracer&)
      : address_(static_cast<unsigned long long*>(memory.base) + warp_in_grid()), enabled_(is_leader() ? 1 : 0) {
    keep(address_);
    keep(tag_);
  }
  __device__ __forceinline__ void rewind() {}
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, unsigned) {
    work();
#define EVENT_COST_FLOOR(hold)                           \
  asm volatile(                                          \
      "{\n\t"                                            \
      ".reg .pred on;\n\t"                               \
      ".reg .u32 now;\n\t"                               \
      "setp.ne.u32 on, %0, 0;\n\t" hold                  \
      "mov.u32 now, %%clock;\n\t"                        \
      "@on st.global.v2.u32 [%1], {now, %2};\n\t"        \
      "}" ::"r"(enabled_),                               \
      "l"(__cvta_generic_to_global(address_)), "r"(tag_) \
      : "memory")
    if constexpr (Hold)
      EVENT_COST_FLOOR(EVENT_COST_HOLD);
    else
      EVENT_COST_FLOOR("");
#undef EVENT_COST_FLOOR
  }

 private:
  unsigned long long* address_;
  unsigned enabled_;
  unsigned tag_ = warp_in_grid() << 8 | 1;
};

/// What a step of the library's row records.
enum class library_step { mark, range, payload32, payload64, sync };

template <library_step What>
class iket_recorder {
 public:
  static constexpr unsigned events = What == library_step::range ? 2 : 1, words_per_warp = 0;
  static constexpr bool is_library = true;

  __device__ __forceinline__ iket_recorder(const ring_memory&, const iket::tracer& tracer) : recorder_(tracer) {}
  __device__ __forceinline__ void rewind() {}
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, [[maybe_unused]] unsigned payload) {
    if constexpr (What == library_step::range) {
      IKET_RANGE(recorder_, "step");
      work();
    } else {
      work();
      if constexpr (What == library_step::mark) IKET_MARK(recorder_, "step");
      if constexpr (What == library_step::payload32) IKET_MARK(recorder_, "step", payload);
      if constexpr (What == library_step::payload64)
        IKET_MARK(recorder_, "step", static_cast<unsigned long long>(payload));
      if constexpr (What == library_step::sync) IKET_SYNC(recorder_);
    }
  }

 private:
  iket::recorder recorder_;
};

}  // namespace event_cost

#undef EVENT_COST_HOLD
