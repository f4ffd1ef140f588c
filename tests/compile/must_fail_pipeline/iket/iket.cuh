// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Stands in for the library, with recorders as they must not be, to show that the checks of wgmma_sequence refuse
/// them. One of BRANCHES, CALLS and WAITS says what is wrong with it.
#pragma once

#include <iket/config.hpp>

namespace iket {

struct tracer {
  uint2* ring;
};

class recorder {
 public:
  __device__ __forceinline__ explicit recorder(const tracer& from)
      : begin_(from.ring), end_(from.ring + 1024), next_(from.ring), leader_(threadIdx.x % 32 == 0) {}

#if defined(CALLS)
  __device__ __noinline__ void event(unsigned tag) {
#else
  __device__ __forceinline__ void event(unsigned tag) {
#endif
#if defined(WAITS)
    // As if it ordered its store after the work that it records.
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    unsigned now;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(now)::"memory");
#if defined(BRANCHES)
    // Enough behind the branch that ptxas does not turn it into predicates.
    if (leader_) {
      unsigned long long globaltimer_ns;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(globaltimer_ns)::"memory");
      *next_++ = make_uint2(now, tag);
      *next_++ = make_uint2(globaltimer_ns, globaltimer_ns >> 32);
      if (next_ == end_) next_ = begin_;
    }
#else
    if (leader_) *next_++ = make_uint2(now, tag);
#endif
  }

 private:
  uint2* begin_;
  uint2* end_;
  uint2* next_;
  bool leader_;
};

struct range {
  recorder& rec;
  __device__ __forceinline__ ~range() { rec.event(0); }
};

}  // namespace iket

#if IKET_ENABLED
#define STAND_IN_NAME_(line) range_of_line_##line
#define STAND_IN_NAME(line) STAND_IN_NAME_(line)
#define IKET_PUSH(rec, ...) (rec).event(__LINE__)
#define IKET_RANGE(rec, ...)   \
  IKET_PUSH(rec, __VA_ARGS__); \
  const ::iket::range STAND_IN_NAME(__LINE__) { rec }
#define IKET_POP(rec) (rec).event(0)
#else
#define IKET_PUSH(rec, ...) static_cast<void>(rec)
#define IKET_RANGE(rec, ...) static_cast<void>(rec)
#define IKET_POP(rec) static_cast<void>(rec)
#endif
#define IKET_WAIT(rec, ...) IKET_RANGE(rec, __VA_ARGS__)
#define IKET_ROLE(rec, ...) static_cast<void>(rec)
