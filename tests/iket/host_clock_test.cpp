// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The host's half of reading a device's timer, against a thread in the kernel's place. ptxas and a GPU try the kernel:
// tests/compile/host_clock_sass, tests/gpu/host_clock_test.cu.
#include <iket/detail/host_clock_burst.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace iket::detail;
using iket::file::host_clock_pair;

namespace {

constexpr u64 long_ns = 10'000'000'000;
constexpr u64 device_epoch_ns = 1'700'000'000'000'000'000;

/// What the kernel does, with a timer that is the host's clock plus an epoch.
class device {
 public:
  struct habits {
    u32 rounds = host_clock_rounds;  ///< so many are answered
    u32 slow_every = 0;              ///< every how many-th answer comes late
    std::chrono::milliseconds starts_after{0};
  };
  device(host_clock_mailbox& mailbox, habits has) : thread_([&mailbox, has, this] { run(mailbox, has); }) {}
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  ~device() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] bool was_cancelled() const { return cancelled_; }

 private:
  void run(host_clock_mailbox& mailbox, const habits& has) {
    std::this_thread::sleep_for(has.starts_after);
    for (u32 round = 1; round <= host_clock_rounds; ++round) {
      u32 asked = 0;
      while ((asked = mailbox.question.load()) != round || round > has.rounds) {
        if (asked == host_clock_cancel) {
          cancelled_ = true;
          return;
        }
        std::this_thread::yield();
      }
      const bool is_slow = has.slow_every != 0 && round % has.slow_every == 0;
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      mailbox.answers[round - 1].store(device_epoch_ns + host_clock_ns());
      if (is_slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }

  std::atomic<bool> cancelled_ = false;
  std::thread thread_;
};

std::vector<host_clock_pair> numbered(u64 first, std::size_t count) {
  std::vector<host_clock_pair> pairs(count);
  for (std::size_t i = 0; i < count; ++i) pairs[i].host_before_ns = first + i;
  return pairs;
}

}  // namespace

TEST_CASE("each answer was read between the clocks around it") {
  for (const u32 slow_every : {0u, 5u}) {
    host_clock_mailbox mailbox;
    device other(mailbox, {host_clock_rounds, slow_every, {}});
    const host_clock_burst burst = ask(mailbox, long_ns);
    REQUIRE(burst.answered == host_clock_rounds);
    for (u32 i = 0; i < burst.answered; ++i) {
      const host_clock_pair& pair = burst.pairs[i];
      CHECK(pair.host_before_ns <= pair.globaltimer_ns - device_epoch_ns);
      CHECK(pair.globaltimer_ns - device_epoch_ns <= pair.host_after_ns);
      if (i != 0) CHECK(burst.pairs[i - 1].host_after_ns <= pair.host_before_ns);
    }
    CHECK(mailbox.question == host_clock_cancel);
  }
}

TEST_CASE("a device that stops answering costs the rest of the burst, and the host's patience") {
  for (const u32 rounds : {0u, 3u, 9u}) {
    host_clock_mailbox mailbox;
    device other(mailbox, {rounds, 0, {}});
    // Where both threads share a core, a turn of each takes some milliseconds.
    const u64 patience_ns = rounds == 0 ? 30'000'000 : 700'000'000;
    const u64 begin_ns = host_clock_ns();
    const host_clock_burst burst = ask(mailbox, patience_ns);
    CHECK(host_clock_ns() - begin_ns >= patience_ns);
    CHECK(host_clock_ns() - begin_ns < 100 * patience_ns);
    other.join();
    CHECK(burst.answered == rounds);
    CHECK(other.was_cancelled());
    CHECK(tightest(burst).size() == std::min(rounds, host_clock_kept));
  }
}

TEST_CASE("a device that comes too late finds that it is not wanted any more") {
  host_clock_mailbox mailbox;
  device other(mailbox, {host_clock_rounds, 0, std::chrono::milliseconds(100)});
  CHECK(ask(mailbox, 1'000'000).answered == 0);
  other.join();
  CHECK(other.was_cancelled());
  for (const auto& answer : mailbox.answers) CHECK(answer == 0);
  // And the next one is.
  mailbox.clear();
  device next(mailbox, {});
  CHECK(ask(mailbox, long_ns).answered == host_clock_rounds);
}

TEST_CASE("what a run before answered is no answer") {
  host_clock_mailbox mailbox;
  {
    device first(mailbox, {});
    REQUIRE(ask(mailbox, long_ns).answered == host_clock_rounds);
  }
  mailbox.clear();
  CHECK(mailbox.question == 0);
  CHECK(ask(mailbox, 1'000'000).answered == 0);
}

TEST_CASE("of each quarter of a burst the shortest bracket is kept") {
  host_clock_burst burst;
  burst.answered = host_clock_rounds;
  for (u32 i = 0; i < host_clock_rounds; ++i) {
    burst.pairs[i].host_before_ns = 10'000 * u64{i};
    burst.pairs[i].host_after_ns = burst.pairs[i].host_before_ns + 5000 - (i % 16 == 7 ? 100 * (4 - i / 16) : 0);
    burst.pairs[i].globaltimer_ns = i;
  }
  std::vector<u64> kept;
  for (const host_clock_pair& pair : tightest(burst)) kept.push_back(pair.globaltimer_ns);
  CHECK(kept == std::vector<u64>{7, 23, 39, 55});
  burst.answered = 3;
  CHECK(tightest(burst).size() == 3);
  burst.answered = 0;
  CHECK(tightest(burst).empty());
}

TEST_CASE("readings of a long session are thinned out: the first and the newest bursts stay") {
  std::vector<host_clock_pair> pairs;
  constexpr std::size_t at_most = 64;
  for (u64 burst = 0; burst < 1000; ++burst) {
    append(pairs, numbered(burst * 100, host_clock_kept), at_most);
    REQUIRE(pairs.size() <= at_most);
    REQUIRE(pairs.size() >= std::min<std::size_t>(at_most / 2, (burst + 1) * host_clock_kept));
    REQUIRE(pairs.front().host_before_ns == 0);
    REQUIRE(pairs.back().host_before_ns == burst * 100 + host_clock_kept - 1);
    for (std::size_t i = 1; i < pairs.size(); ++i) REQUIRE(pairs[i - 1].host_before_ns < pairs[i].host_before_ns);
  }
  pairs.clear();
  for (u64 burst = 0; burst < 2000; ++burst) append(pairs, numbered(burst * 100, host_clock_kept));
  CHECK(pairs.size() <= host_clock_pairs_at_most);
}

TEST_CASE("the boot's identity is 16 bytes of hexadecimal digits, or unknown") {
  const std::array<u8, 16> expected = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                       0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  CHECK(uuid_bytes("01234567-89ab-cdef-fedc-ba9876543210") == expected);
  CHECK(uuid_bytes("01234567-89ab-cdef-fedc-ba9876543210\n") == expected);
  const std::array<u8, 16> unknown{};
  CHECK(uuid_bytes("") == unknown);
  CHECK(uuid_bytes("01234567-89ab-cdef-fedc-ba987654321") == unknown);
  CHECK(uuid_bytes("01234567-89ab-cdef-fedc-ba98765432100") == unknown);
  CHECK(uuid_bytes("01234567-89ab-cdef-fedc-ba987654321g") == unknown);
  CHECK(boot_id() == boot_id());
}

TEST_CASE("the host's clocks are those that C++ has") {
  using namespace std::chrono;
  const auto monotonic = [] {
    return static_cast<u64>(duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
  };
  const u64 before = monotonic();
  const u64 now = host_clock_ns();
  CHECK(before <= now);
  CHECK(now <= monotonic());
  const auto realtime = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  CHECK(std::abs(realtime - static_cast<i64>(host_clock_ns()) - realtime_offset_ns()) < 1'000'000'000);
}
