// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Launches of one replayable tracer are told apart, in whatever order their warps took regions.
#include <iket/detail/replays.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "catch.hpp"

using namespace iket;

namespace {

struct opening {
  std::uint64_t grid_id;
  std::uint64_t open_ns;
  std::size_t launch;  // the true one
  std::uint64_t close_ns = 0;
};

detail::device_header header_of(const opening& from) {
  detail::device_header header{};
  header.grid_id = from.grid_id;
  header.open.globaltimer_ns = from.open_ns;
  header.close.globaltimer_ns = from.close_ns;
  return header;
}

// Launches of `executables` executables of one graph, each one after another within its executable, all executables at
// once; per slot, in the order in which its warp opened them.
std::vector<std::vector<opening>> simulate(std::mt19937& random, std::size_t slots, std::size_t executables,
                                           std::size_t replays) {
  std::vector<std::vector<opening>> by_slot(slots);
  std::size_t launch = 0;
  for (std::size_t executable = 0; executable < executables; ++executable) {
    std::uint64_t begin = 1000 + random() % 500;
    for (std::size_t replay = 0; replay < replays; ++replay, ++launch) {
      std::uint64_t last = begin;
      for (std::vector<opening>& slot : by_slot) {
        const std::uint64_t open = begin + random() % 300;
        slot.push_back({executable * 7 + 3, open, launch, open + random() % 100});
        last = std::max(last, slot.back().close_ns);
      }
      begin = last + 1 + random() % 200;
    }
  }
  for (std::vector<opening>& slot : by_slot)
    std::stable_sort(slot.begin(), slot.end(),
                     [](const opening& a, const opening& b) { return a.open_ns < b.open_ns; });
  return by_slot;
}

}  // namespace

TEST_CASE("openings are put into the launches that they were of, in the order in which those began") {
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t slots = 1 + random() % 9, executables = 1 + random() % 3, replays = 1 + random() % 8;
    const auto by_slot = simulate(random, slots, executables, replays);
    detail::replay_catalog catalog(slots);
    std::map<std::size_t, std::set<std::size_t>> found_of;  // by true launch
    std::map<std::size_t, std::uint64_t> first_open;        // by found launch
    for (std::size_t region = 0; region < executables * replays; ++region)
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const opening& at = by_slot[slot][region];
        const std::size_t found = catalog.launch_of(region * slots + slot, header_of(at));
        found_of[at.launch].insert(found);
        const auto [known, is_new] = first_open.try_emplace(found, at.open_ns);
        if (!is_new) known->second = std::min(known->second, at.open_ns);
      }
    REQUIRE(catalog.launches() == executables * replays);
    REQUIRE_FALSE(catalog.is_doubtful());
    REQUIRE(found_of.size() == executables * replays);
    for (const auto& [launch, found] : found_of) REQUIRE(found.size() == 1);

    const std::vector<std::size_t> places = catalog.places();
    std::vector<std::uint64_t> in_order(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) in_order.at(places[i]) = first_open.at(i);
    REQUIRE(std::is_sorted(in_order.begin(), in_order.end()));
    REQUIRE(std::set<std::size_t>(places.begin(), places.end()).size() == places.size());
  }
}

TEST_CASE("launches that a stream orders have grid ids of their own") {
  detail::replay_catalog catalog(2);
  CHECK(catalog.launch_of(0, header_of({5, 100, 0})) == 0);
  CHECK(catalog.launch_of(1, header_of({6, 90, 0})) == 1);
  CHECK(catalog.launch_of(2, header_of({6, 120, 0})) == 1);
  CHECK(catalog.launch_of(3, header_of({5, 110, 0})) == 0);
  CHECK(catalog.launches() == 2);
  CHECK(catalog.places() == std::vector<std::size_t>{1, 0});
}

TEST_CASE("a warp that skipped a launch, or made two recorders in one, shows") {
  detail::replay_catalog skipped(2);
  (void)skipped.launch_of(0, header_of({5, 100, 0, 110}));
  (void)skipped.launch_of(1, header_of({5, 205, 1, 220}));  // its first, in the second launch
  CHECK_FALSE(skipped.is_doubtful());
  (void)skipped.launch_of(2, header_of({5, 200, 1, 210}));
  CHECK(skipped.is_doubtful());

  detail::replay_catalog twice(2);
  (void)twice.launch_of(0, header_of({5, 100, 0, 110}));
  (void)twice.launch_of(1, header_of({5, 100, 0, 150}));
  (void)twice.launch_of(2, header_of({5, 120, 0, 130}));
  CHECK(twice.is_doubtful());

  // Under other ids, launches may be at once.
  detail::replay_catalog apart(2);
  (void)apart.launch_of(0, header_of({5, 100, 0, 150}));
  (void)apart.launch_of(1, header_of({6, 120, 1, 130}));
  CHECK_FALSE(apart.is_doubtful());
}
