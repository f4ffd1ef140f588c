// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Other recorders as policies of the loops, written as open tracers write theirs.
///
/// Those that stop when their memory is full are rewound between passes of that many events, so that none of theirs is
/// dropped and made to look cheap.
#pragma once

#include <cuda_runtime.h>

#include <iket/iket.cuh>

#include "recorders.cuh"

namespace event_cost {

/// How a recorder's own state is compiled. From plain source, the compiler mostly computes ring address and tag anew
/// behind each branch, from the CTA's index on, and the branch stays one. Kept in registers, the body is so short that
/// ptxas makes predicates of its branches: the best that such a recorder can come to.
enum class state { plain, kept };

/// A ring of 8-byte records as the library's, but with a branch around the event instead of a predicate on the store.
template <state State>
class branching_ring {
 public:
  static constexpr unsigned events = 1, words_per_warp = ring_entries;
  static constexpr bool is_library = false;

  __device__ __forceinline__ branching_ring(const ring_memory& memory, const iket::tracer&)
      : ring_(static_cast<uint2*>(memory.base) + warp_in_grid() * memory.entries),
        mask_(memory.entries - 1),
        leader_(is_leader()) {
    if constexpr (State == state::kept) {
      keep(ring_);
      keep(tag_);
    }
  }
  __device__ __forceinline__ void rewind() {}
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, unsigned) {
    work();
    if (leader_) ring_[count_ & mask_] = make_uint2(read_clock(), tag_);
    count_ += 1;
  }

 private:
  uint2* ring_;
  unsigned mask_;
  unsigned count_ = 0;
  unsigned tag_ = warp_in_grid() << 8 | 1;
  bool leader_;
};

/// Rival 1, as many open tracers do it: a leader's branch, a check against the end of the buffer, and one 16-byte
/// streaming store of {global timer, tag, extra}.
template <state State>
class wide_globaltimer {
 public:
  static constexpr unsigned events = 1, words_per_warp = 2 * ring_entries;
  static constexpr bool is_library = false;

  __device__ __forceinline__ wide_globaltimer(const ring_memory& memory, const iket::tracer&)
      : entries_(static_cast<uint4*>(memory.base) + warp_in_grid() * memory.entries),
        capacity_(memory.entries),
        leader_(is_leader()) {
    if constexpr (State == state::kept) {
      keep(entries_);
      keep(tag_);
    }
  }
  __device__ __forceinline__ void rewind() { index_ = 0; }
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, unsigned extra) {
    work();
    if (leader_) {
      if (index_ < capacity_) {
        const unsigned long long now = read_globaltimer();
        __stcs(entries_ + index_,
               make_uint4(static_cast<unsigned>(now), static_cast<unsigned>(now >> 32), tag_, extra));
        index_ += 1;
      }
    }
  }

 private:
  uint4* entries_;
  unsigned capacity_;
  unsigned tag_ = warp_in_grid() << 8 | 1;
  unsigned index_ = 0;
  bool leader_;
};

/// Rival 2, as other open tracers do it: {low half of the global timer, tag} in 8 bytes behind a leader's branch,
/// between fences of the block, the entries of all warps interleaved: a pointer that goes on by their number.
template <state State>
class fenced_globaltimer {
 public:
  static constexpr unsigned events = 1, words_per_warp = ring_entries;
  static constexpr bool is_library = false;

  __device__ __forceinline__ fenced_globaltimer(const ring_memory& memory, const iket::tracer&)
      : first_(static_cast<unsigned long long*>(memory.base) + warp_in_grid()),
        stride_(warps_in_grid()),
        leader_(is_leader()) {
    if constexpr (State == state::kept) {
      keep(first_);
      keep(stride_);
      keep(tag_);
    }
    rewind();
  }
  __device__ __forceinline__ void rewind() { write_ = first_; }
  template <class Work>
  __device__ __forceinline__ void step(const Work& work, unsigned) {
    work();
    __threadfence_block();
    if (leader_) {
      *write_ = static_cast<unsigned long long>(read_globaltimer_low()) << 32 | tag_;
      write_ += stride_;
    }
    __threadfence_block();
  }

 private:
  unsigned long long* first_;
  unsigned long long* write_ = nullptr;
  unsigned stride_;
  unsigned tag_ = warp_in_grid() << 8 | 1;
  bool leader_;
};

}  // namespace event_cost
