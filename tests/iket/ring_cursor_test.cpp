// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The code that places records in a kernel, run here against a plain list of everything that was ever written.
#include <iket/detail/ring_cursor.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace iket;

namespace {

/// A ring in host memory, whose clock counts its own reads.
struct memory_store {
  std::vector<record>* ring;
  std::uint32_t* now;
  void clock(std::uint32_t index, std::uint32_t tag) const { ring->at(index) = {(*now)++, tag}; }
  void word(std::uint32_t index, std::uint32_t value, std::uint32_t tag) const { ring->at(index) = {value, tag}; }
};

bool same(const record& a, const record& b) { return a.value == b.value && a.tag == b.tag; }

/// Writes random events through a cursor that starts at `count`, and notes every record in plain order.
struct scenario {
  std::vector<record> ring;
  std::vector<record> everything;
  detail::ring_cursor cursor;
  std::uint32_t now = 1000;

  explicit scenario(std::uint32_t capacity, std::uint32_t count = 0) : ring(capacity), cursor{capacity - 1, count} {}

  void write(std::mt19937& random) {
    const std::uint32_t tag = event_tag(static_cast<std::uint32_t>(random()) & ~15u, record_kind::range_begin);
    const memory_store store{&ring, &now};
    everything.push_back({now, tag});
    switch (random() % 3) {
      case 0:
        cursor.event(store, tag);
        break;
      case 1: {
        const detail::payload32 payload{payload_type::f32, static_cast<std::uint32_t>(random())};
        everything.push_back({payload.word, payload_tag(payload.type, 0)});
        cursor.event(store, tag, payload);
        break;
      }
      default: {
        const detail::payload64 payload{payload_type::u64, static_cast<std::uint32_t>(random()), 7};
        everything.push_back({payload.low, payload_tag(payload.type, 0)});
        everything.push_back({payload.high, payload_tag(payload.type, 1)});
        cursor.event(store, tag, payload);
      }
    }
  }

  /// The ring holds exactly the newest records, the oldest at `count % capacity`, and nothing where none was written.
  [[nodiscard]] bool ring_is_right(std::uint32_t first_count) const {
    const std::size_t capacity = ring.size();
    const std::size_t kept = std::min(capacity, everything.size());
    for (std::size_t age = 0; age < kept; ++age) {
      const std::size_t position = everything.size() - 1 - age;
      if (!same(ring[(first_count + position) % capacity], everything[position])) return false;
    }
    for (std::size_t index = everything.size(); first_count == 0 && index < capacity; ++index)
      if (kind_of(ring[index].tag) != record_kind::none) return false;
    return true;
  }
};

}  // namespace

TEST_CASE("a ring keeps the newest records through every length up to several laps") {
  std::mt19937 random(2);
  for (const std::uint32_t capacity : {1u, 2u, 4u, 8u, 16u, 64u}) {
    scenario run(capacity);
    CHECK(run.ring_is_right(0));
    while (run.everything.size() < 5 * capacity + 8) {
      run.write(random);
      REQUIRE(run.ring_is_right(0));
      REQUIRE(run.cursor.count == run.everything.size());
    }
  }
}

TEST_CASE("the count goes on across the end of 32 bits and the ring stays in order") {
  std::mt19937 random(3);
  for (const std::uint32_t capacity : {1u, 4u, 32u}) {
    const std::uint32_t first = 0xFFFFFFFFu - capacity;
    scenario run(capacity, first);
    while (run.everything.size() < 4 * capacity + 8) {
      run.write(random);
      REQUIRE(run.ring_is_right(first));
    }
    CHECK(run.cursor.count == static_cast<std::uint32_t>(first + run.everything.size()));
  }
}
