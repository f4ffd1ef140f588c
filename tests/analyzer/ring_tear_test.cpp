// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Rings that were copied while their warp wrote: what comes out is true, and what is missing is counted.
#include "ring_tear.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "pairing.hpp"
#include "ring_decoder.hpp"
#include "synthetic.hpp"

using namespace iket::analysis;
using iket::payload_type;
using iket::record;
using iket::record_kind;
using synthetic::random_numbers;

namespace {

struct written_event {
  record_kind kind = record_kind::none;
  std::uint32_t site = 0;
  std::uint64_t cycles = 0;
  auto operator<=>(const written_event&) const = default;
};

/// A warp that never stops: nested ranges over and over, some with payloads.
class endless_warp {
 public:
  explicit endless_warp(random_numbers& random) : random_(random) {}

  /// Writes one event into memory, whole.
  void write(std::vector<record>& memory) {
    const std::uint32_t outer = synthetic::site_bits(1);
    const std::uint32_t inner = synthetic::site_bits(2 + static_cast<std::uint32_t>(step_ / 4 % 3));
    cycles_ += 50 + random_.below(100);
    switch (step_++ % 4) {
      case 0:
        add(record_kind::range_begin, outer, memory);
        break;
      case 1:
        add(record_kind::range_begin, inner, memory);
        put({static_cast<std::uint32_t>(step_), static_cast<std::uint32_t>(payload_type::i32) * 16 + 15}, memory);
        break;
      case 2:
        add(record_kind::range_end, inner, memory);
        break;
      default:
        add(record_kind::range_end, outer, memory);
        break;
    }
  }

  [[nodiscard]] const std::vector<written_event>& events() const { return events_; }
  [[nodiscard]] std::uint64_t written() const { return written_; }
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  void add(record_kind kind, std::uint32_t site, std::vector<record>& memory) {
    events_.push_back({kind, site, cycles_});
    put({static_cast<std::uint32_t>(cycles_), site | static_cast<std::uint32_t>(kind)}, memory);
  }
  void put(record one, std::vector<record>& memory) { memory[written_++ % memory.size()] = one; }

  random_numbers& random_;
  std::uint64_t step_ = 0;
  std::uint64_t cycles_ = 0xFFFF'0000;  // the low half wraps soon
  std::uint64_t written_ = 0;
  std::vector<written_event> events_;
};

/// What a copy from the first record to the last saw, the warp writing meanwhile, less than a turn.
struct torn_copy {
  std::vector<record> ring;
  std::uint64_t seen_at_begin = 0;  // records written when it began
};

torn_copy copy_of(endless_warp& warp, std::vector<record>& memory, random_numbers& random) {
  torn_copy to;
  to.seen_at_begin = warp.written();
  const std::uint64_t most = to.seen_at_begin + memory.size() - 4;
  const std::uint64_t stalls = 1 + random.below(8);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    // It stands still now and then, at the seam above all: there the two pass each other.
    const std::size_t seam = warp.written() % memory.size();
    const bool is_near = i + 2 >= seam && i <= seam + 2;
    if (random.below(memory.size()) < stalls || (is_near && random.below(2) == 0))
      for (std::uint64_t n = random.below(random.below(4) == 0 ? memory.size() : 8); n != 0 && warp.written() < most;
           --n)
        warp.write(memory);
    to.ring.push_back(memory[i]);
  }
  return to;
}

/// `closed_cycles`: when the header says that it was closed, behind `closed_written` records.
decoded_ring decode(const std::vector<record>& ring, std::uint32_t closed_written = 0,
                    std::uint64_t closed_cycles = 0) {
  iket::warp_header header{};
  header.open.cycles = 0xFFFF'0000;
  header.anchor = synthetic::module_address;
  header.kept = static_cast<std::uint32_t>(ring.size());
  header.closed = closed_written != 0;
  header.written = closed_written;
  header.close.cycles = closed_cycles;
  decoded_ring to;
  decode_ring(header, record_view(reinterpret_cast<const std::byte*>(ring.data()), ring.size()),
              {static_cast<std::uint32_t>(ring.size()), false, true}, {}, to);
  return to;
}

/// Where the decoded events stand among those written: they have to be a part of them in one piece.
std::size_t place_of(const decoded_ring& found, const std::vector<written_event>& written) {
  REQUIRE(!found.events.empty());
  const auto low = [](std::uint64_t cycles) { return cycles & 0xFFFFFFFFu; };
  std::size_t place = 0;
  while (place < written.size() &&
         (low(written[place].cycles) != low(found.events[0].cycles) || written[place].kind != found.events[0].kind))
    ++place;
  REQUIRE(place + found.events.size() <= written.size());
  for (std::size_t i = 0; i < found.events.size(); ++i) {
    REQUIRE(low(found.events[i].cycles) == low(written[place + i].cycles));
    REQUIRE(found.events[i].kind == written[place + i].kind);
    REQUIRE(found.events[i].site_bits == written[place + i].site);
  }
  return place;
}

}  // namespace

TEST_CASE("of a ring that was copied while its warp wrote, a part in one piece comes out") {
  std::size_t torn = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    random_numbers random(seed);
    std::vector<record> memory(std::size_t{32} << random.below(3), record{0, 0});
    endless_warp warp(random);
    for (std::uint64_t n = memory.size() + random.below(3 * memory.size()); n != 0; --n) warp.write(memory);
    const torn_copy copy = copy_of(warp, memory, random);
    INFO(seed);
    const decoded_ring found = decode(copy.ring);
    const std::size_t place = place_of(found, warp.events());
    torn += found.torn != 0;

    // The newest event that was copied is there: where the warp stood.
    std::set<std::uint32_t> copied;
    for (const record& one : copy.ring)
      if (has_clock(iket::kind_of(one.tag))) copied.insert(one.value);
    std::size_t newest = warp.events().size() - 1;
    while (copied.count(static_cast<std::uint32_t>(warp.events()[newest].cycles)) == 0) --newest;
    REQUIRE(place + found.events.size() - 1 == newest);

    // Each record is kept, or counted as lost.
    REQUIRE(found.kept + found.torn == copy.ring.size());
    REQUIRE(found.written == found.kept + found.lost);
    REQUIRE(found.lost >= found.torn);
    REQUIRE(found.written <= warp.written());
    REQUIRE(found.may_lack_oldest());
  }
  CHECK(torn > 2000);
}

TEST_CASE("no range is invented from a torn ring") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    random_numbers random(seed);
    std::vector<record> memory(64, record{0, 0});
    endless_warp warp(random);
    for (std::uint64_t n = 64 + random.below(200); n != 0; --n) warp.write(memory);
    const torn_copy copy = copy_of(warp, memory, random);
    std::set<std::tuple<std::uint32_t, std::uint32_t>> ranges;
    std::vector<std::uint32_t> open;
    for (const written_event& e : warp.events()) {
      if (e.kind == record_kind::range_begin) {
        open.push_back(static_cast<std::uint32_t>(e.cycles));
        continue;
      }
      ranges.emplace(open.back(), static_cast<std::uint32_t>(e.cycles));
      open.pop_back();
    }
    decoded_ring found = decode(copy.ring);
    for (event& e : found.events) e.site = e.site_bits >> 10 & 7;
    range_pairing pairing;
    pairing.pair(found, 8);
    INFO(seed);
    for (const paired_range& one : pairing.ranges()) {
      if (one.state != range_state::whole) continue;
      REQUIRE(ranges.count({static_cast<std::uint32_t>(found.events[one.begin].cycles),
                            static_cast<std::uint32_t>(found.events[one.end].cycles)}) == 1);
    }
  }
}

TEST_CASE("a ring that nobody wrote to meanwhile is whole") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_numbers random(seed);
    std::vector<record> memory(64, record{0, 0});
    endless_warp warp(random);
    for (std::uint64_t n = random.below(300); n != 0; --n) warp.write(memory);
    if (warp.written() < 64) continue;
    INFO(seed);
    const decoded_ring found = decode(memory);
    CHECK(found.torn == 0);
    CHECK(found.kept == 64);
    CHECK(place_of(found, warp.events()) + found.events.size() == warp.events().size());
  }
}

TEST_CASE("a close that was seen behind the ring is none of the ring's") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    random_numbers random(seed);
    std::vector<record> memory(64, record{0, 0});
    endless_warp warp(random);
    for (std::uint64_t n = 100 + random.below(200); n != 0; --n) warp.write(memory);
    const std::vector<record> seen = memory;
    for (std::uint64_t n = 1 + random.below(20); n != 0; --n) warp.write(memory);
    INFO(seed);
    // Also of a warp that had been at it for long: its clock's upper half has gone on by this since the opening.
    const std::uint64_t age = seed % 3 << 33;
    const decoded_ring late = decode(seen, static_cast<std::uint32_t>(warp.written()), age + warp.cycles() + 20);
    CHECK(!late.closed);
    (void)place_of(late, warp.events());
    const decoded_ring right = decode(memory, static_cast<std::uint32_t>(warp.written()), age + warp.cycles() + 20);
    CHECK(right.closed);
    CHECK(place_of(right, warp.events()) + right.events.size() == warp.events().size());
  }
}

TEST_CASE("a closed ring with a pause of 2^31 cycles or more is whole, also of a launch that runs") {
  // Wherever the pause lies, and however long the others are: between opening and close there is room for it.
  for (const std::uint64_t pause :
       {0x7FFF'0000u, 0x8000'0000u, 0x9000'0000u, 0xC000'0000u, 0xFFFE'0000u, 0xFFFF'F000u}) {
    for (const std::size_t place : {1, 31, 62}) {
      std::vector<record> memory(64, record{0, 0});
      std::uint64_t cycles = 0xFFFF'0000;
      constexpr std::uint32_t written = 150;
      for (std::uint32_t i = 0; i < written; ++i) {
        cycles += i == written - 64 + place ? pause : 100;
        const record_kind kind = i % 2 == 0 ? record_kind::range_begin : record_kind::range_end;
        memory[i % 64] = {static_cast<std::uint32_t>(cycles),
                          synthetic::site_bits(1) | static_cast<std::uint32_t>(kind)};
      }
      INFO(pause << " cycles before record " << place);
      const decoded_ring found = decode(memory, written, cycles + 50);
      CHECK(found.closed);
      CHECK(found.torn == 0);
      REQUIRE(found.kept == 64);
      CHECK(found.lost == written - 64);
      CHECK(found.events.back().cycles == cycles);
      CHECK(found.events[place].cycles - found.events[place - 1].cycles == pause);
      CHECK(found.doubts.backward_steps == 0);
    }
  }
}
