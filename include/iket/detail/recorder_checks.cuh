// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a recorder looks at in a build with IKET_CHECKED, and the place where it notes what it finds.
#pragma once

#include <iket/config.hpp>
#include <iket/detail/device_store.cuh>
#include <iket/detail/types.hpp>
#include <iket/site.hpp>
#include <iket/token.hpp>
#include <iket/trace_file.hpp>
#include <iket/tracer.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Without the switch: nothing, in no space.
template <int Checked>  // IKET_DETAIL_CHECKED
class recorder_checks {
 public:
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void opened(u64, bool, u32, const site_reference*) {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void closing() {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void event(bool, u32) {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void push(bool) {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void pop(bool, u32) {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void start(token) {}
  IKET_DETAIL_HOST_DEVICE IKET_DETAIL_INLINE void end(bool, token) {}

#if defined(__CUDA_ARCH__)
  /// Counts a recorder in the warp's header, without waiting; who looks at the count is the host.
  __device__ __forceinline__ static u32 count_opening(u64 address) {
    add_and_forget(address, 1);
    return 0;
  }
#endif
};

/// With it: every event compares, branches, and reports by atomics. Faults of one kind at one site are one entry.
template <>
class recorder_checks<1> {
 public:
#if defined(__CUDA_ARCH__)
  __device__ __forceinline__ static u32 count_opening(u64 address) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(address) : "memory");
    return before;
  }

  /// Called by all lanes that made the recorder; `leader` on one of them if the warp is traced.
  __device__ __forceinline__ void opened(u64 head, bool leader, u32 opened_before, const site_reference* anchor) {
    const u32 lanes = __activemask();
    leader_ = __ballot_sync(lanes, leader);
    head_ = leader_ != 0 ? head : 0;
    second_ = __any_sync(lanes, opened_before != 0);
    bank_ = bank_address(anchor);
    self_ = this;
    if (leader) store_word_if(1, head + head_checked, 1);
  }

  __device__ __forceinline__ void closing() {
    if (second_) report(file::fault_kind::second_recorder, 0);
    second_ = false;
    head_ = 0;
  }

  __device__ __forceinline__ void event(bool condition, u32 site_bits) {
    if (!condition || head_ == 0) return;
    if (second_) report(file::fault_kind::second_recorder, site_bits | 1);
    second_ = false;
    if (self_ != this) report(file::fault_kind::recorder_copied, site_bits | 1);
    if ((__activemask() & leader_) == 0) report(file::fault_kind::leader_absent, site_bits | 1);
  }

  __device__ __forceinline__ void push(bool condition) { pushed_ += condition ? 1 : 0; }

  __device__ __forceinline__ void pop(bool condition, u32 site_bits) {
    if (!condition) return;
    if (pushed_ == 0) {
      report(file::fault_kind::pop_without_push, site_bits | 1);
    } else {
      --pushed_;
    }
  }

  __device__ __forceinline__ void start(token started) {
    if (started.begin_tag == 0) return;
    if (open_count_ < open_capacity) open_[open_count_] = started.begin_count;
    ++open_count_;
  }

  __device__ __forceinline__ void end(bool condition, token started) {
    if (!condition || open_count_ > open_capacity) return;  // which it stays then
    for (u32 i = 0; i < open_count_; ++i) {
      if (open_[i] != started.begin_count) continue;
      open_[i] = open_[--open_count_];
      return;
    }
    report(file::fault_kind::end_without_start, site_bits_of(started.begin_tag) | 1);
  }
#endif

 private:
  // Tokens open at a time; with more of them no end is judged.
  static constexpr u32 open_capacity = 32;

#if defined(__CUDA_ARCH__)
  /// Called by lanes that run together; one of them notes the fault. `site`: the bits of its tag, or'ed with 1; 0:
  /// none.
  __device__ __noinline__ void report(file::fault_kind kind, u32 site) const {
    if (head_ == 0) return;
    const u32 lanes = __activemask();
    u32 lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    if (static_cast<int>(lane) == __ffs(static_cast<int>(lanes)) - 1) note(kind, site);
    // The lanes go on together: the next event looks at which of them are active.
    __syncwarp(lanes);
  }

  __device__ __forceinline__ void note(file::fault_kind kind, u32 site) const {
    const u64 address = site == 0 ? 0 : bank_ + site_bits_of(site);
    const u64 key = address | static_cast<u64>(kind);
    auto* const faults = reinterpret_cast<fault_entry*>(head_ + head_faults);
    u32 at = static_cast<u32>((key * 0x9E3779B97F4A7C15u) >> 58);
    for (u32 tries = 0; tries < launch_head::fault_capacity; ++tries, at = (at + 1) % launch_head::fault_capacity) {
      fault_entry& entry = faults[at];
      const u64 found = atomicCAS(&entry.key, u64{0}, key);
      if (found != 0 && found != key) continue;
      if (atomicAdd(&entry.count, 1u) == 0) {
        entry.warp = warp_in_cta();
        entry.cta[0] = blockIdx.x;
        entry.cta[1] = blockIdx.y;
        entry.cta[2] = blockIdx.z;
      }
      return;
    }
    atomicAdd(reinterpret_cast<u32*>(head_ + head_dropped), 1u);
  }
#endif

  [[maybe_unused]] u64 head_ = 0;
  [[maybe_unused]] u64 bank_ = 0;  // address of the module's constant bank
  [[maybe_unused]] const void* self_ = nullptr;
  [[maybe_unused]] u32 leader_ = 0;  // one bit
  [[maybe_unused]] u32 pushed_ = 0;
  [[maybe_unused]] u32 open_count_ = 0;
  [[maybe_unused]] u32 open_[open_capacity] = {};  // begin counts
  [[maybe_unused]] bool second_ = false;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
