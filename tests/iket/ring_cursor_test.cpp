// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The code that places records in a kernel, run here against a plain list of everything that was ever written.
#include <iket/detail/ring_cursor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace iket;

namespace {

bool same(const record& a, const record& b) { return a.value == b.value && a.tag == b.tag; }

/// A ring in host memory, of a store that keeps the newest records or the first ones; its clock counts its own reads,
/// and its timer is a function of the clock.
struct memory_store {
  std::vector<record> ring;
  bool keeps_first;
  std::uint32_t now = 1000;

  static detail::u64 timer_at(std::uint32_t clock) { return detail::u64{clock} << 33 | clock; }

  void clock(bool condition, std::uint32_t last, std::uint32_t bytes, std::uint32_t mask, std::uint32_t tag) {
    word(condition, last, bytes, mask, now++, tag);
  }
  void clock_pair(bool condition, std::uint32_t last, std::uint32_t bytes, std::uint32_t mask, std::uint32_t tag,
                  detail::u64& timer_ns) {
    timer_ns = timer_at(now);
    word(condition, last, bytes, mask, now++, tag);
  }
  void word(bool condition, std::uint32_t last, std::uint32_t bytes, std::uint32_t mask, std::uint32_t value,
            std::uint32_t tag) {
    REQUIRE((bytes & mask) % sizeof(record) == 0);
    const bool goes_in = condition && (!keeps_first || last < ring.size() * sizeof(record));
    if (goes_in) ring.at((bytes & mask) / sizeof(record)) = {value, tag};
  }
};

/// Writes random events through a cursor that starts at `first` records, beside a list of what they should come to.
struct scenario {
  memory_store store;
  detail::ring_cursor cursor;
  std::vector<record> expected;  ///< the ring
  std::uint32_t first;
  std::uint32_t written = 0;  ///< of all events whose condition held

  explicit scenario(std::uint32_t capacity, bool keeps_first, std::uint32_t first_record = 0)
      : store{std::vector<record>(capacity), keeps_first},
        cursor{8 * capacity - 1, 8 * first_record},
        expected(capacity),
        first(first_record) {}

  /// What an event should do: the newest stay, or an event goes in whole or not at all.
  void expect(bool condition, const std::vector<record>& event) {
    if (!condition) return;
    const auto capacity = static_cast<std::uint32_t>(expected.size());
    const bool goes_in = !store.keeps_first || written + event.size() <= capacity;
    for (const record& part : event) {
      if (goes_in) expected[(first + written) % capacity] = part;
      ++written;
    }
  }

  void write(std::mt19937& random) {
    const std::uint32_t tag = event_tag(static_cast<std::uint32_t>(random()) & ~15u, record_kind::range_begin);
    const bool condition = random() % 4 != 0;
    const auto word = static_cast<std::uint32_t>(random());
    const record event{store.now, tag};
    switch (random() % 4) {
      case 0:
        expect(condition, {event});
        cursor.event(store, condition, tag);
        break;
      case 1:
        expect(condition, {event, {word, payload_tag(payload_type::f32, 0)}});
        cursor.event(store, condition, tag, detail::payload32{payload_type::f32, word});
        break;
      case 2:
        expect(condition, {event, {word, payload_tag(payload_type::i64, 0)}, {7, payload_tag(payload_type::i64, 1)}});
        cursor.event(store, condition, tag, detail::payload64{payload_type::i64, word, 7});
        break;
      default: {
        const detail::u64 timer = memory_store::timer_at(store.now);
        expect(condition, {event,
                           {static_cast<std::uint32_t>(timer), payload_tag(payload_type::u64, 0)},
                           {static_cast<std::uint32_t>(timer >> 32), payload_tag(payload_type::u64, 1)}});
        cursor.clock_pair(store, condition, tag);
      }
    }
  }

  [[nodiscard]] bool is_right() const {
    return std::equal(expected.begin(), expected.end(), store.ring.begin(), same) &&
           cursor.count() == (first + written) % (1u << 29);
  }
};

void check_laps(bool keeps_first) {
  std::mt19937 random(2);
  for (const std::uint32_t capacity : {1u, 2u, 4u, 8u, 16u, 64u}) {
    scenario run(capacity, keeps_first);
    while (run.written < 5 * capacity + 16) {
      run.write(random);
      REQUIRE(run.is_right());
    }
  }
}

}  // namespace

TEST_CASE("a ring keeps the newest records through every length up to several laps") { check_laps(false); }

TEST_CASE("a ring that keeps the first takes events whole until one does not fit, and then smaller ones that do") {
  check_laps(true);
}

TEST_CASE("a ring that keeps the first has no hole where an event did not fit") {
  scenario run(4, true);
  run.cursor.event(run.store, true, 1);
  run.cursor.event(run.store, true, 1, detail::payload64{payload_type::u64, 1, 2});
  CHECK(kind_of(run.store.ring[3].tag) == record_kind::payload);
  CHECK(run.cursor.count() == 4);
  run.cursor.event(run.store, true, 2);
  CHECK(run.store.ring[0].tag == 1);
  CHECK(run.cursor.count() == 5);
}

TEST_CASE("the count goes on across the end of 32 bits of bytes and the ring stays in order") {
  std::mt19937 random(3);
  for (const std::uint32_t capacity : {1u, 4u, 32u}) {
    scenario run(capacity, false, (1u << 29) - 1 - capacity);
    while (run.written < 4 * capacity + 8) {
      run.write(random);
      REQUIRE(run.is_right());
    }
  }
}

TEST_CASE("the largest ring's last records lie where its mask says") {
  constexpr std::uint32_t capacity = 1u << 27;
  struct last_place {
    std::uint32_t at = 0;
    void clock(bool, std::uint32_t, std::uint32_t bytes, std::uint32_t mask, std::uint32_t) { at = bytes & mask; }
  } store;
  detail::ring_cursor cursor{8 * capacity - 1, 8 * (capacity - 1)};
  cursor.event(store, true, 1);
  CHECK(store.at == 8 * (capacity - 1));
  cursor.event(store, true, 1);
  CHECK(store.at == 0);
}
