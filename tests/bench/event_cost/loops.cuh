// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The loops, one source for all recorders, and the list of what runs in them.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include <iket/iket.cuh>

#include "recorders.cuh"
#include "rivals.cuh"

namespace event_cost {

enum class loop_kind { back_to_back, among_work, count };

constexpr unsigned steps_per_trip = 8;    // unrolled
constexpr unsigned trips_per_pass = 128;  // 1024 steps: what the rivals' buffers hold
constexpr unsigned fmas_per_step = 64;    // in the loop among work, each dependent on the one before
constexpr unsigned timed_passes = 16;     // after one that warms caches and pages
constexpr unsigned steps_per_pass = steps_per_trip * trips_per_pass;
constexpr unsigned most_warps = 16;
static_assert(steps_per_pass <= ring_entries, "the rivals would drop events");

/// What one warp measured.
struct warp_result {
  long long loop_cycles;   ///< in the loops of all timed passes
  long long whole_cycles;  ///< from the first pass to the end of the last
  long long whole_ns;      ///< the same by the global timer
  unsigned sm;
  float sink;  ///< keeps the arithmetic alive
};

struct loop_arguments {
  ring_memory rings;
  warp_result* results;
  unsigned passes;  ///< the first is not timed
  unsigned trips;
  unsigned seed;
  float factor;
  float addend;
};

// Volatile, so that the chain stays whole and in its place between two events.
template <loop_kind Loop>
__device__ __forceinline__ void work(float& x, float factor, float addend) {
  asm volatile("" ::: "memory");  // else the compiler makes one branch of those around eight events back to back
  if constexpr (Loop == loop_kind::among_work) {
#pragma unroll
    for (unsigned i = 0; i < fmas_per_step; ++i)
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(factor), "f"(addend));
  }
}

template <class Recorder, loop_kind Loop>
__global__ void __launch_bounds__(32 * most_warps)
    loop_kernel(const loop_arguments arguments, const iket::tracer tracer) {
  Recorder recorder(arguments.rings, tracer);
  float x = arguments.addend;
  unsigned seed = arguments.seed;
  long long loop_cycles = 0;
  const long long first_ns = static_cast<long long>(read_globaltimer());
  const long long first_cycles = clock64();
#pragma unroll 1
  for (unsigned pass = 0; pass < arguments.passes; ++pass) {
    recorder.rewind();
    __syncthreads();
    __threadfence_block();  // without a memory operation, the clock is read before the barrier lets the warp go
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned trip = 0; trip < arguments.trips; ++trip) {
      seed = seed * 1664525u + 1013904223u;  // an empty loop would be removed
#pragma unroll
      for (unsigned step = 0; step < steps_per_trip; ++step)
        recorder.step([&] { work<Loop>(x, arguments.factor, arguments.addend); }, trip);
    }
    const long long end = clock64();
    if (pass > 0) loop_cycles += end - begin;
  }
  const long long whole_cycles = clock64() - first_cycles;
  const long long whole_ns = static_cast<long long>(read_globaltimer()) - first_ns;
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (is_leader())
    arguments.results[warp_in_grid()] = {loop_cycles, whole_cycles, whole_ns, sm, x + static_cast<float>(seed)};
}

/// One row of the tables.
struct variant {
  using kernel = void (*)(loop_arguments, iket::tracer);

  const char* name;
  unsigned events_per_step;
  unsigned words_per_warp;  ///< 8-byte words that a warp has filled after a pass, in memory that is not the library's
  bool is_library;
  kernel kernels[static_cast<int>(loop_kind::count)];
};

template <class Recorder>
variant make_variant(const char* name) {
  return {name,
          Recorder::events,
          Recorder::words_per_warp,
          Recorder::is_library,
          {loop_kernel<Recorder, loop_kind::back_to_back>, loop_kernel<Recorder, loop_kind::among_work>}};
}

/// Indices into `all_variants`.
enum row : int {
  none,
  floor_row,
  held_floor,
  mark,
  range,
  payload32,
  payload64,
  sync,
  branch,
  wide,
  fenced,
  kept_branch,
  kept_wide,
  kept_fenced,
  rows
};

inline std::vector<variant> all_variants() {
  return {make_variant<no_recorder>("none: the loop alone"),
          make_variant<floor_recorder<false>>("floor: clock + store, no ring"),
          make_variant<floor_recorder<true>>("floor + hold (NOP before the clock)"),
          make_variant<iket_recorder<library_step::mark>>("IKET mark"),
          make_variant<iket_recorder<library_step::range>>("IKET range, 2 events a step"),
          make_variant<iket_recorder<library_step::payload32>>("IKET mark, 32-bit payload"),
          make_variant<iket_recorder<library_step::payload64>>("IKET mark, 64-bit payload"),
          make_variant<iket_recorder<library_step::sync>>("IKET_SYNC"),
          make_variant<branching_ring<state::plain>>("8-byte ring, if (leader) {...}"),
          make_variant<wide_globaltimer<state::plain>>("rival 1: 16 bytes, two branches"),
          make_variant<fenced_globaltimer<state::plain>>("rival 2: 8 bytes, block fences"),
          make_variant<branching_ring<state::kept>>("8-byte ring, if; in registers (*)"),
          make_variant<wide_globaltimer<state::kept>>("rival 1, in registers (*)"),
          make_variant<fenced_globaltimer<state::kept>>("rival 2, in registers (*)")};
}

}  // namespace event_cost
