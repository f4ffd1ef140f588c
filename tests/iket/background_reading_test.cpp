// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Readings in a thread of their own, of which nobody knows when they end.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include <unistd.h>

#include <iket/detail/background_reading.hpp>
#include <iket/detail/quiet_thread.hpp>

#include "catch.hpp"
#include "child_process.hpp"

namespace {

using namespace std::chrono_literals;
using iket::detail::background_reading;
using iket::detail::site_content;

site_content site_at(iket::detail::u64 address) {
  site_content site;
  site.address = address;
  return site;
}

auto in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

/// Addresses of the sites that were read since this was asked last.
std::string taken(background_reading& from) {
  std::string text;
  for (const site_content& site : from.take().sites) text += std::to_string(site.address) + " ";
  return text;
}

}  // namespace

TEST_CASE("what was read can be taken while the rest is waited for") {
  background_reading reading;
  CHECK(reading.wait_until(in(0ms)));
  std::promise<void> goes_on;
  std::atomic<bool> has_read{false};
  REQUIRE(reading.start([&](background_reading& to) {
    to.add(site_at(1));
    to.add({{10, 20, 15, 0}, {30, 40, 35, 0}});
    has_read = true;
    goes_on.get_future().wait();
    to.add(site_at(2));
  }));
  while (!has_read) std::this_thread::yield();
  CHECK_FALSE(reading.wait_until(in(5ms)));
  background_reading::findings found = reading.take();
  CHECK(found.sites.size() == 1);
  CHECK(found.clock_pairs.size() == 2);
  CHECK(taken(reading).empty());
  goes_on.set_value();
  CHECK(reading.wait_until(in(10s)));
  CHECK(taken(reading) == "2 ");
  REQUIRE(reading.start([](background_reading& to) { to.add(site_at(3)); }));
  reading.wait();
  CHECK(reading.wait_until(in(0ms)));
  CHECK(taken(reading) == "3 ");
}

TEST_CASE("a reading for which memory is short ends with what it has") {
  background_reading reading;
  REQUIRE(reading.start([](background_reading& to) {
    to.add(site_at(1));
    throw std::bad_alloc();
  }));
  CHECK(reading.wait_until(in(10s)));
  CHECK(taken(reading) == "1 ");
}

#if FORKS_BESIDE_THREADS
TEST_CASE("the end waits for what is under way, but not in a process that was forked") {
  std::promise<void> goes_on;
  std::atomic<bool> is_read{false};
  {
    auto reading = std::make_unique<background_reading>();
    REQUIRE(reading->start([&](background_reading&) {
      goes_on.get_future().wait();
      is_read = true;
    }));
    std::thread waiting([&] { (void)reading->wait_until(in(1h)); });
    std::this_thread::sleep_for(50ms);
    const pid_t child = in_child([&] {
      alarm(10);
      reading->wait();
      if (!reading->wait_until(in(1h)) || reading->start([](background_reading&) {})) _exit(1);
      reading.reset();
      // Another program: valgrind would miss in this one what its thread, which is not there, would have freed.
      execl("/bin/true", "true", nullptr);
    });
    CHECK(status_of(child) == 0);
    goes_on.set_value();
    waiting.join();
  }
  CHECK(is_read);
}

TEST_CASE("a thread of a process that was forked is not taken for the one that had its handle before") {
  std::promise<void> goes_on;
  iket::detail::quiet_thread thread;
  thread.start([&]() noexcept { goes_on.get_future().wait(); });
  const pid_t child = in_child([&] {
    std::thread own([] {});  // where the other one was
    thread.join();
    own.join();  // throws if it was detached
    execl("/bin/true", "true", nullptr);
  });
  CHECK(status_of(child) == 0);
  goes_on.set_value();
}
#endif
