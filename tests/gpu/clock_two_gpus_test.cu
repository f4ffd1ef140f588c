// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Whether two GPUs, traced by a session each and merged from two files, stand on one time line: one lane on each passes
// messages to the other. Ends with 77 where there is one GPU.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "clock_agreement/clock_agreement.hpp"
#include "device_values.hpp"
#include "merge_timelines.hpp"
#include "support.hpp"

using namespace iket::analysis;
using clock_agreement::shortest_times;

namespace {

// At some 2 us each over NVLink, 4 us over PCIe: 10 ms or more.
constexpr std::uint32_t messages = 6000;
// Of these an offset is found by itself, some 1 ms: the GPUs' timers drift, and the time line has to follow.
constexpr std::uint32_t window_messages = 600;
// A clock pair about every 100 us.
constexpr std::uint32_t pair_messages = 60;
// One flag, 128 bytes from the next.
constexpr std::size_t flag_words = 128 / sizeof(std::uint32_t);

__device__ __forceinline__ void raise(std::uint32_t* flag, std::uint32_t value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

// False where the patience [polls] is at its end.
__device__ __forceinline__ bool await(const std::uint32_t* flag, std::uint32_t value, std::uint32_t& patience) {
  std::uint32_t seen;
  do {
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (seen != value && --patience != 0);
  return seen == value;
}

// Waits for up to 2047 cycles, so that the two fall into no step.
__device__ __forceinline__ void dawdle(std::uint32_t& seed) {
  seed = seed * 1664525u + 1013904223u;
  const long long begin = clock64();
  while (clock64() - begin < (seed >> 21)) {
  }
}

// One lane. Device 0 sends the even messages. `mine` is where the other's messages arrive.
__global__ void pass(const std::uint32_t* mine, std::uint32_t* others, unsigned device, std::uint32_t count,
                     std::uint32_t* unanswered, iket::tracer tracer) {
  iket::recorder rec(tracer);
  std::uint32_t patience = 1u << 23;  // some 10 s
  std::uint32_t seed = device;
  for (std::uint32_t i = 0; i < count; ++i) {
    IKET_SYNC_IF(rec, i % pair_messages == 0);
    if (i % 2 == device) {
      dawdle(seed);
      IKET_MARK(rec, "sent", i);
      raise(others, i + 1);
    } else {
      if (!await(mine, i + 1, patience)) {
        *unanswered = 1;
        return;
      }
      IKET_MARK(rec, "received", i);
    }
  }
}

void use(int device) { REQUIRE(cudaSetDevice(device) == cudaSuccess); }

/// Two flags, each in its receiver's memory, so that both ways are alike; in the host's where GPUs cannot reach each
/// other's.
class flags {
 public:
  flags() {
    int there = 0, back = 0;
    REQUIRE(cudaDeviceCanAccessPeer(&there, 0, 1) == cudaSuccess);
    REQUIRE(cudaDeviceCanAccessPeer(&back, 1, 0) == cudaSuccess);
    in_peers_ = there != 0 && back != 0;
    for (int device = 0; device < 2; ++device) {
      use(device);
      make(device);
    }
  }
  flags(const flags&) = delete;
  flags& operator=(const flags&) = delete;
  ~flags() {
    for (std::uint32_t* flag : of_) (void)(in_peers_ ? cudaFree(flag) : cudaFreeHost(flag));
  }
  [[nodiscard]] std::uint32_t* of(int device) const { return of_[device]; }
  [[nodiscard]] const char* place() const { return in_peers_ ? "the receiver's memory" : "mapped host memory"; }

 private:
  void make(int device) {
    constexpr std::size_t bytes = flag_words * sizeof(std::uint32_t);
    if (in_peers_) {
      const cudaError_t enabled = cudaDeviceEnablePeerAccess(1 - device, 0);
      REQUIRE((enabled == cudaSuccess || enabled == cudaErrorPeerAccessAlreadyEnabled));
      (void)cudaGetLastError();
      REQUIRE(cudaMalloc(&of_[device], bytes) == cudaSuccess);
      REQUIRE(cudaMemset(of_[device], 0, bytes) == cudaSuccess);
      REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    } else {
      REQUIRE(cudaHostAlloc(&of_[device], bytes, cudaHostAllocPortable | cudaHostAllocMapped) == cudaSuccess);
      std::fill_n(of_[device], flag_words, 0u);
    }
  }

  bool in_peers_ = false;
  std::uint32_t* of_[2] = {};
};

/// The launches of all files on one time line.
timeline merged(const std::vector<std::string>& paths) {
  std::vector<timeline> files;
  for (const std::string& path : paths) {
    load_result loaded = load_timeline(path);
    REQUIRE(loaded.trace.has_value());
    files.push_back(std::move(*loaded.trace));
  }
  return merge_timelines(std::move(files));
}

/// How far a device may be off the common time line, as the analyzer states it [ns].
double stated_alignment_ns(const device& of) {
  REQUIRE(of.alignment_error_ns.has_value());
  return *of.alignment_error_ns;
}

/// Times of one device's messages by number.
std::vector<picoseconds> message_times(const launch& of) {
  std::vector<picoseconds> times(messages, std::numeric_limits<picoseconds>::min());
  for (const warp_timeline& warp : of.warps)
    for (const point& point : warp.points) times.at(point.payload().bits) = point.time;
  return times;
}

/// How far device 1 is ahead of device 0, by messages [first, first + count) [ns].
double ahead_ns(const std::vector<picoseconds> (&times)[2], std::uint32_t first, std::uint32_t count,
                shortest_times& all) {
  shortest_times seen(2);
  for (std::uint32_t i = first; i < first + count; ++i) {
    const std::uint32_t from = i % 2, to = 1 - from;
    const double ns = static_cast<double>(times[to][i] - times[from][i]) / 1000;
    seen.add(from, to, ns);
    all.add(from, to, ns);
  }
  return seen.ahead(0, 1).value();
}

void judge(const timeline& trace, const char* place) {
  REQUIRE(trace.devices.size() == 2);
  REQUIRE(trace.launches.size() == 2);
  // Launches may come in any order of their files.
  std::vector<picoseconds> times[2];
  double allowed_ns = 0;
  for (const launch& launch : trace.launches) {
    times[launch.kernel == "pass 0" ? 0 : 1] = message_times(launch);
    allowed_ns += stated_alignment_ns(trace.devices.at(launch.device));
  }
  shortest_times all(2);
  std::vector<double> ahead;
  for (std::uint32_t first = 0; first + window_messages <= messages; first += window_messages)
    ahead.push_back(ahead_ns(times, first, window_messages, all));
  std::printf("two GPUs, flags in %s: shortest ways %.1f and %.1f ns, so device 1 is %+.1f ns ahead; stated: %.1f ns\n",
              place, all.shortest(0, 1), all.shortest(1, 0), all.ahead(0, 1).value(), allowed_ns);
  std::printf("  by windows of %u messages:", window_messages);
  for (const double ns : ahead) std::printf(" %+.1f", ns);
  std::printf(" ns\n");
  std::fflush(stdout);
  CHECK(allowed_ns > 0);
  CHECK(allowed_ns < 20'000);
  CHECK(std::abs(all.ahead(0, 1).value()) <= allowed_ns);
  for (const double ns : ahead) CHECK(std::abs(ns) <= allowed_ns);
}

}  // namespace

TEST_CASE("two GPUs are on one time line within the stated error", "[no sanitizer]") {
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  if (devices < 2) {
    std::printf("skipped: there is one GPU, and this takes two\n");
    std::fflush(stdout);
    std::exit(77);  // Catch2 2 cannot skip
  }
  const flags flags;
  iket::session_options options = gpu_test::small_session();
  options.host_clock = true;
  options.records_per_warp = 4 * messages;
  use(0);
  iket::session first(options);
  gpu_test::device_values<std::uint32_t> unanswered_first(1);
  use(1);
  iket::session second(options);
  gpu_test::device_values<std::uint32_t> unanswered_second(1);
  const auto launch_on = [&](int device, std::uint32_t count, iket::tracer tracer) {
    use(device);
    pass<<<1, 1>>>(flags.of(device), flags.of(1 - device), static_cast<unsigned>(device), count,
                   device == 0 ? unanswered_first.get() : unanswered_second.get(), tracer);
    REQUIRE(cudaGetLastError() == cudaSuccess);
  };
  for (int device = 0; device < 2; ++device) {  // loads the kernel, which may wait until no other runs
    launch_on(device, 0, iket::tracer{});
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  launch_on(0, messages, first.trace("pass 0", 1, 1));
  launch_on(1, messages, second.trace("pass 1", 1, 1));
  const gpu_test::dump_path paths[2];
  for (int device = 0; device < 2; ++device) {
    use(device);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    (device == 0 ? first : second).write(paths[device].string());
  }
  CHECK(unanswered_first.copy().at(0) == 0);
  CHECK(unanswered_second.copy().at(0) == 0);
  judge(merged({paths[0].string(), paths[1].string()}), flags.place());
  use(0);
}
