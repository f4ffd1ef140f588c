// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Pairs of kernels of which one has one event more in its loop, for event_cost: what else is in them is the same.
#include <iket/iket.cuh>

// Eight steps that depend on one another, so that events have something to stand between.
__device__ __forceinline__ void work(float& x) {
#pragma unroll
  for (int i = 0; i < 8; ++i) x = fmaf(x, x, 1.0F);
}

// Three events, or pairs of them, that are always there: the addresses of rings and sites are in registers by then. In
// the loop, since what the cursor is must not be known to the compiler.
#define EVENT_COST_PAIR(name, event)                                                   \
  template <bool one_more>                                                             \
  __global__ void name(float* data, int rounds, long long wide, iket::tracer tracer) { \
    iket::recorder rec(tracer);                                                        \
    float x = data[threadIdx.x];                                                       \
    _Pragma("unroll 1") for (int i = 0; i < rounds; ++i, wide += rounds) {             \
      work(x);                                                                         \
      { event; }                                                                       \
      work(x);                                                                         \
      { event; }                                                                       \
      work(x);                                                                         \
      if constexpr (one_more) {                                                        \
        event;                                                                         \
      }                                                                                \
      work(x);                                                                         \
      { event; }                                                                       \
    }                                                                                  \
    data[threadIdx.x] = x + static_cast<float>(wide);                                  \
  }                                                                                    \
  template __global__ void name<false>(float*, int, long long, iket::tracer);          \
  template __global__ void name<true>(float*, int, long long, iket::tracer);

EVENT_COST_PAIR(mark, IKET_MARK(rec, "mark"))
EVENT_COST_PAIR(mark_payload_32, IKET_MARK(rec, "mark", i))
EVENT_COST_PAIR(mark_payload_64, IKET_MARK(rec, "mark", wide))
EVENT_COST_PAIR(mark_if, IKET_MARK_IF(rec, (i & 3) == 0, "mark"))
EVENT_COST_PAIR(counter, IKET_COUNTER(rec, "counter", i))
EVENT_COST_PAIR(range, IKET_RANGE(rec, "range"))
EVENT_COST_PAIR(push_pop, IKET_PUSH(rec, "push"); IKET_POP(rec))
EVENT_COST_PAIR(start_end, const iket::token started = IKET_START(rec, "token"); IKET_END(rec, started))
EVENT_COST_PAIR(sync, IKET_SYNC(rec))
