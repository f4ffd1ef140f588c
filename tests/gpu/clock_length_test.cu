// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Durations from a microsecond to seconds against what the kernel read itself, also across wraps of the 32-bit clock.
// Prints what it finds before it checks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "clock_agreement/clock_agreement.hpp"
#include "device_values.hpp"
#include "support.hpp"

using namespace iket::analysis;

namespace {

// A read of a clock, and an event where the session did not measure one, back to back on an H200 [cycles].
constexpr double read_cycles = 24;
constexpr double event_cycles = 23;

/// What a kernel read around a spin: the cycles directly inside the range, the time directly inside these.
struct truth {
  unsigned long long cycles = 0;
  unsigned long long ns = 0;
};

__device__ __forceinline__ unsigned long long global_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__device__ __forceinline__ truth spin_for(long long cycles) {
  const long long begin = clock64();
  const unsigned long long begin_ns = global_ns();
  while (clock64() - begin < cycles) {
  }
  const unsigned long long end_ns = global_ns();
  const long long end = clock64();
  return {static_cast<unsigned long long>(end - begin), end_ns - begin_ns};
}

// The first turn fetches the instructions; the second counts.
__global__ void spin(long long cycles, truth* found, iket::tracer tracer) {
  iket::recorder rec(tracer);
  truth read;
#pragma unroll 1
  for (int turn = 0; turn < 2; ++turn) {
    IKET_RANGE(rec, "spin", turn);
    read = spin_for(turn == 0 ? 1000 : cycles);
  }
  if (threadIdx.x == 0) found[blockIdx.x] = read;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  REQUIRE(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
  return value;
}

/// What stands between a range and the clock reads inside it: both events and both reads.
double allowed_cycles(const timeline& trace, const launch& of) {
  const auto& calibration = trace.devices.at(of.device).calibration;
  return 2 * (calibration ? std::max(calibration->event_burst_cycles, event_cycles) : event_cycles) + 2 * read_cycles;
}

/// How far the time of a duration may be off: both its ends, and the timer's step. The ends are within a microsecond of
/// a pair, where no time is off by more than a step, however far it may be in between.
double slack_ns(const clock_summary& clock) {
  const double tick_ns = std::max(clock.tick_ns, 32.0);
  return 2 * std::min(clock.uncertainty_ns, tick_ns) + tick_ns;
}

double length_ns(const range& of) { return static_cast<double>(of.end - of.begin) / 1000; }
double beyond_cycles(const range& of, const truth& read) {
  return static_cast<double>(of.cycles) - static_cast<double>(read.cycles);
}
/// By how much time and cycles beyond the kernel's own tell different things. The timer is read inside the clock.
double off_ns(const clock_summary& clock, const range& of, const truth& read) {
  const double inside = static_cast<double>(read.ns) + 2 * read_cycles / clock.sm_ghz;
  return length_ns(of) - inside - beyond_cycles(of, read) / clock.sm_ghz;
}

void check_spins(const timeline& trace, const launch& launch, const std::vector<truth>& read) {
  std::vector<double> cycles, ns;
  for (const warp_timeline& warp : launch.warps) {
    REQUIRE(warp.ranges.size() == 2);
    cycles.push_back(beyond_cycles(warp.ranges[1], read.at(warp.cta_linear)));
    ns.push_back(off_ns(launch.clock, warp.ranges[1], read.at(warp.cta_linear)));
  }
  REQUIRE(cycles.size() == read.size());
  const auto [least_cycles, most_cycles] = std::minmax_element(cycles.begin(), cycles.end());
  const double events = allowed_cycles(trace, launch), length = static_cast<double>(read[0].cycles);
  const double slack = slack_ns(launch.clock);
  const clock_agreement::distribution of_ns = clock_agreement::sizes_of(ns);
  std::printf(
      "spin of %.1f us: cycles %+.0f to %+.0f, median %.0f, beyond the kernel's own (allowed %.0f); "
      "time off by %.1f ns at the median, %.1f at worst (allowed %.1f)\n",
      static_cast<double>(read[0].ns) / 1000, *least_cycles, *most_cycles, clock_agreement::sizes_of(cycles).median,
      events, of_ns.median, of_ns.worst, slack);
  std::fflush(stdout);
  CHECK(*least_cycles >= 0);
  // Cycles are exact: of a long spin, half a percent would say nothing.
  CHECK(*most_cycles <= events + std::clamp(0.005 * length, 2.0, 1000.0));
  CHECK(of_ns.worst <= slack);
}

/// Where a kernel that waits for more than 2^32 cycles takes clock pairs.
enum class pairs : int {
  around,           ///< between the wait and either event
  behind,           ///< right behind the event that follows the wait
  at_close,         ///< by closing, right behind that event
  behind_unclosed,  ///< as `behind`, and the warp never closes
  none,             ///< by closing, behind another gap that may as well hold the wraps
  none_unclosed,    ///< the warp never closes; another one does
};

constexpr long long second_gap_cycles = 700'000'000;

// Warp 1, where there is one, closes, takes pairs around the wait, and so shows how long the launch was.
__global__ void wait_long(long long cycles, pairs where, truth* found, iket::tracer tracer) {
  iket::recorder rec(tracer);
  const unsigned warp = threadIdx.x / 32;
  const bool around = where == pairs::around || warp == 1;
  IKET_MARK(rec, "before");
  IKET_PUSH_WAIT(rec, "long wait");
  if (around) IKET_SYNC(rec);
  const truth read = spin_for(cycles);
  if (around) IKET_SYNC(rec);
  IKET_POP(rec);
  if (where == pairs::behind || where == pairs::behind_unclosed) IKET_SYNC(rec);
  if (threadIdx.x % 32 == 0) found[warp] = read;
  if (where == pairs::none) {
    (void)spin_for(second_gap_cycles);
    IKET_MARK(rec, "after a second gap");
  }
  if (warp == 0 && (where == pairs::behind_unclosed || where == pairs::none_unclosed)) asm volatile("exit;");
  rec.close();
}

struct long_wait {
  const char* name;
  pairs where;
  long long cycles;
  bool located;  // whether a pair tells between which events the wraps are
};

constexpr long long wrap_cycles = 1LL << 32;
// At 1.98 GHz 2.6 s and 4.9 s. What is left without the wraps is less than 2^31 and looks like a wait of its own.
constexpr long long one_wrap = wrap_cycles + 850'000'000;
constexpr long long two_wraps = 2 * wrap_cycles + 1'200'000'000;

// Where a pair is right behind, the other gaps between it and the pair before are of some tens of cycles: a wrap in one
// of these would make it one of 2^32 to that many cycles, which is no reading that anybody could believe.
const std::vector<long_wait> long_waits = {
    {"one wrap, pairs around the wait", pairs::around, one_wrap, true},
    {"two wraps, pairs around the wait", pairs::around, two_wraps, true},
    {"one wrap, IKET_SYNC right behind", pairs::behind, one_wrap, true},
    {"two wraps, IKET_SYNC right behind", pairs::behind, two_wraps, true},
    {"one wrap, closed right behind", pairs::at_close, one_wrap, true},
    {"two wraps, closed right behind", pairs::at_close, two_wraps, true},
    {"one wrap, IKET_SYNC right behind, never closed", pairs::behind_unclosed, one_wrap, true},
    {"one wrap, two gaps before the close", pairs::none, one_wrap, false},
    {"one wrap, never closed", pairs::none_unclosed, one_wrap, false},
};

/// A launch with a file of its own, so that what the analyzer warns of is about it alone.
struct waiting {
  explicit waiting(const long_wait& of) : what(of), session(gpu_test::small_session()), found(2) {
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  }
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  ~waiting() { (void)cudaStreamDestroy(stream); }

  void start() {
    iket::trace_options options;
    options.stream = stream;
    const unsigned block = what.where == pairs::none_unclosed ? 64 : 32;
    wait_long<<<1, block, 0, stream>>>(what.cycles, what.where, found.get(),
                                       session.trace("wait_long", 1, block, options));
    REQUIRE(cudaGetLastError() == cudaSuccess);
  }

  long_wait what;
  iket::session session;
  gpu_test::device_values<truth> found;
  cudaStream_t stream = nullptr;
};

/// Whether the file's warnings tell that wraps of warp 0's clock could not be placed.
bool says_ambiguous(const timeline& trace) {
  return std::any_of(trace.warnings.begin(), trace.warnings.end(), [](const std::string& warning) {
    const auto says = [&](const char* words) { return warning.find(words) != std::string::npos; };
    return says("warp 0") && (says("ambiguous") || says("2^32"));
  });
}

bool is_right(const clock_summary& clock, const range& of, const truth& read) {
  constexpr double most_cycles = 4000;  // the instructions behind the wait come from memory
  const double cycles = beyond_cycles(of, read);
  return cycles >= 0 && cycles <= most_cycles && std::abs(off_ns(clock, of, read)) <= slack_ns(clock);
}

void judge(const long_wait& what, const timeline& trace, const truth& read) {
  INFO(what.name);
  const launch& launch = trace.launches.at(0);
  const warp_timeline& warp = launch.warps.at(0);
  REQUIRE(warp.ranges.size() == 1);
  const range& wait = warp.ranges[0];
  const bool right = is_right(launch.clock, wait, read), said = says_ambiguous(trace);
  const bool whole = wait.state == range_state::whole;
  std::printf("%s: waited %.6f s, %llu cycles; reported %.6f s, %llu cycles: %s, %s, %s\n", what.name,
              static_cast<double>(read.ns) / 1e9, read.cycles, length_ns(wait) / 1e9,
              static_cast<unsigned long long>(wait.cycles), right ? "right" : "wrong",
              whole ? "a whole range" : "no whole range", said ? "said to be ambiguous" : "no word of ambiguity");
  for (const std::string& warning : trace.warnings) std::printf("  warning: %s\n", warning.c_str());
  std::fflush(stdout);
  if (what.located) {
    CHECK(right);
    CHECK(whole);
    CHECK_FALSE(said);
  } else {
    CHECK(said);
  }
}

}  // namespace

TEST_CASE("spins of 1 us to 1 s are reported as long as they were", "[no sanitizer]") {
  const auto sms = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
  const double khz = attribute(cudaDevAttrClockRate);
  const std::vector<double> lengths_us = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
  gpu_test::device_values<truth> found(sms * lengths_us.size());
  iket::session session;
  for (std::size_t i = 0; i < lengths_us.size(); ++i)
    spin<<<sms, 32>>>(static_cast<long long>(lengths_us[i] * khz / 1000), found.get() + i * sms,
                      session.trace("spin", sms, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const std::vector<truth> read = found.copy();
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == lengths_us.size());
  for (std::size_t i = 0; i < lengths_us.size(); ++i) {
    const auto first = read.begin() + static_cast<std::ptrdiff_t>(i * sms);
    check_spins(trace, trace.launches[i], std::vector<truth>(first, first + sms));
  }
}

TEST_CASE("a wait across wraps of the clock is right where a pair locates it, and else said to be ambiguous",
          "[no sanitizer]") {
  gpu_test::device_values<truth> ignored(2);
  wait_long<<<1, 32>>>(1000, pairs::around, ignored.get(), iket::tracer{});  // loads the kernel
  REQUIRE(gpu_test::finish() == cudaSuccess);
  // Beside each other: five seconds in all.
  std::vector<std::unique_ptr<waiting>> all;
  for (const long_wait& what : long_waits) all.push_back(std::make_unique<waiting>(what));
  for (const auto& one : all) one->start();
  REQUIRE(gpu_test::finish() == cudaSuccess);
  for (const auto& one : all) judge(one->what, gpu_test::written_by(one->session), one->found.copy().at(0));
}
