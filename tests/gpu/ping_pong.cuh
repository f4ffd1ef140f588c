// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A kernel in which every SM passes messages to every other, while the SMs' other warps make load. Its traced times
/// say how well the time line puts SMs together; its own clock reads say which SMs share a counter.
#pragma once

#include <cstdint>

#include <iket/iket.cuh>

namespace ping_pong {

/// In the kernel: a CTA that sits a round out.
constexpr std::uint32_t no_partner = 0xFFFFFFFFu;
/// Each flag has a line of L2 for itself.
constexpr std::uint32_t flag_words = 128 / sizeof(std::uint32_t);
/// How long a burst and the pause behind it last [ns].
constexpr unsigned long long burst_ns = 250'000;

enum class load : int { steady, bursty };

/// What the CTAs share. The arrays of messages are by [CTA][round][message of the pair].
struct table {
  const std::uint32_t* partners = nullptr;  ///< [round][CTA]
  std::uint32_t* flags = nullptr;           ///< [round][lower CTA of the pair][flag_words], all 0
  unsigned long long* raw = nullptr;        ///< clock64 of a pair's last `raw_messages` on this side
  std::uint32_t* sms = nullptr;             ///< [CTA]: where it runs
  std::uint32_t* unanswered = nullptr;      ///< CTAs that gave up waiting
  std::uint32_t* finished = nullptr;        ///< CTAs whose messages are done, 0 at first
  float* sink = nullptr;                    ///< never written; keeps the load
  std::uint32_t rounds = 0;
  std::uint32_t messages = 0;  ///< of a pair, both ways together: the first from the lower CTA, then in turn
  std::uint32_t raw_messages = 0;
  std::uint32_t pair_period_ns;  // how long each of the other warps goes without a clock pair
};

__device__ __forceinline__ unsigned long long global_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

/// Relaxed: a release would wait for the records before it, and the time between the record and the store is part of
/// the message's.
__device__ __forceinline__ void raise(std::uint32_t* flag, std::uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/// False where the patience for the whole kernel [polls of about 0.3 us] is at its end.
__device__ __forceinline__ bool await(const std::uint32_t* flag, std::uint32_t value, std::uint32_t& patience) {
  std::uint32_t seen;
  do {
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen != value && --patience != 0);
  return seen == value;
}

/// Waits for a random number of cycles below 2^`bits`.
__device__ __forceinline__ void dawdle(std::uint32_t& seed, int bits) {
  seed = seed * 1664525u + 1013904223u;
  const long long begin = clock64();
  while (clock64() - begin < (seed >> (32 - bits))) {
  }
}

/// One round with one partner. False where the partner does not answer.
__device__ __forceinline__ bool play(const table& in, std::uint32_t round, std::uint32_t partner,
                                     std::uint32_t& patience, std::uint32_t& seed, iket::recorder& rec) {
  const bool lower = blockIdx.x < partner;
  const std::uint32_t pair = round * gridDim.x + (lower ? blockIdx.x : partner);
  std::uint32_t* const flag = in.flags + std::uint64_t{pair} * flag_words;
  const std::uint32_t unkept = in.messages - in.raw_messages;
  unsigned long long* const raw = in.raw + (std::uint64_t{blockIdx.x} * in.rounds + round) * in.raw_messages;
  for (std::uint32_t i = 0; i < in.messages; ++i) {
    const std::uint32_t message = round * in.messages + i;
    long long cycles = 0;
    if ((i % 2 == 0) == lower) {
      // More than a poll takes: else a pair could fall into step, its messages always come at the same time between two
      // polls, and the shortest way never be seen.
      dawdle(seed, 10);
      cycles = clock64();
      IKET_MARK(rec, "sent", message);
      raise(flag, i + 1);
    } else {
      if (!await(flag, i + 1, patience)) return false;
      IKET_MARK(rec, "received", message);
      cycles = clock64();
    }
    if (i >= unkept) raw[i - unkept] = static_cast<unsigned long long>(cycles);
  }
  return true;
}

/// One lane of each CTA.
__device__ __forceinline__ void play_all(const table& in, const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "player");
  std::uint32_t sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  in.sms[blockIdx.x] = sm;
  std::uint32_t patience = 1u << 24;  // some 5 s
  std::uint32_t seed = blockIdx.x;
  for (std::uint32_t round = 0; round < in.rounds; ++round) {
    const std::uint32_t partner = in.partners[std::uint64_t{round} * gridDim.x + blockIdx.x];
    if (partner == no_partner || play(in, round, partner, patience, seed, rec)) continue;
    atomicAdd(in.unanswered, 1u);
    return;
  }
}

/// The load goes on until every player is done.
__device__ __forceinline__ void await_all(const table& in) {
  atomicAdd(in.finished, 1u);
  std::uint32_t patience = 1u << 24;
  while (*static_cast<volatile std::uint32_t*>(in.finished) != gridDim.x && --patience != 0) __nanosleep(100);
}

/// About 0.3 us with 16 warps on an SM: FMAs that fill the pipes.
__device__ __forceinline__ float burn(float x) {
  float a = x, b = x + 1, c = x + 2, d = x + 3;
#pragma unroll 8
  for (int i = 0; i < 32; ++i) {
    a = fmaf(a, 0.999f, 0.5f);
    b = fmaf(b, 0.998f, 0.5f);
    c = fmaf(c, 0.997f, 0.5f);
    d = fmaf(d, 0.996f, 0.5f);
  }
  return a + b + c + d;
}

/// The other warps of each CTA, until all players are done. Bursts keep the same time on all SMs; the clock pairs of
/// the warps, and of SMs beside each other, are spread evenly over the period.
__device__ __forceinline__ void make_load(const table& in, load kind, const volatile int& done,
                                          const iket::tracer& tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "load");
  const unsigned warp = threadIdx.x / 32;
  const unsigned place = warp * 16 + blockIdx.x * 7 % 16;
  unsigned long long pair_at = global_ns() + in.pair_period_ns * place / (blockDim.x / 2);
  std::uint32_t seed = blockIdx.x * 16 + warp;
  float x = static_cast<float>(threadIdx.x);
  while (__shfl_sync(0xFFFFFFFFu, done, 0) == 0) {
    const unsigned long long now = __shfl_sync(0xFFFFFFFFu, global_ns(), 0);
    if (now >= pair_at) {
      // Two ticks: the timer wakes those that sleep, and what they read at once would always lie at the begin of one.
      dawdle(seed, 7);
      IKET_SYNC(rec);
      pair_at += in.pair_period_ns;
    }
    if (kind == load::bursty && now / burst_ns % 2 != 0)
      __nanosleep(500);
    else
      x = burn(x);
  }
  if (x == -1) *in.sink = x;
}

/// One CTA per SM, all at once, warps whole.
static __global__ void everyone(table in, load kind, iket::tracer tracer) {
  __shared__ volatile int done;
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    play_all(in, tracer);
    await_all(in);
    done = 1;
  }
  if (threadIdx.x >= 32) make_load(in, kind, done, tracer);
}

}  // namespace ping_pong
