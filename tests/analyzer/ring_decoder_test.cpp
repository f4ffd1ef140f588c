// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ring_decoder.hpp"

#include <deque>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::payload_type;
using iket::record;
using iket::record_kind;
using iket::analysis::decoded_ring;
using iket::analysis::event;
using iket::analysis::record_view;
using synthetic::warp_log;

namespace {

decoded_ring decode(const synthetic::drained& from, std::uint32_t capacity, bool keeps_first = false) {
  decoded_ring ring;
  decode_ring(from.header, record_view(reinterpret_cast<const std::byte*>(from.ring.data()), from.ring.size()),
              {capacity, keeps_first}, {}, ring);
  return ring;
}

/// An event as it was written: what the decoder has to give back.
struct written_event {
  record_kind kind;
  std::uint32_t site;
  std::uint64_t cycles;
  payload_type type;
  std::uint64_t bits;
  std::uint32_t count;
};

/// Writes events of all shapes, and remembers them.
struct event_stream {
  explicit event_stream(std::uint64_t seed) : random(seed) {}

  void write_one() {
    cycles += 1 + random.below(5000);
    written_event e{record_kind::range_begin,
                    synthetic::site_bits(static_cast<std::uint32_t>(random.below(5))),
                    cycles,
                    payload_type::none,
                    0,
                    0};
    // The site decides the payload, as in kernels.
    switch (e.site >> 10 & 3u) {
      case 0:
        e.kind = random.below(2) == 0 ? record_kind::range_end : record_kind::push;
        break;
      case 1:
        e.kind = record_kind::mark;
        e.type = payload_type::f32;
        break;
      case 2:
        e.kind = record_kind::counter;
        e.type = payload_type::f64;
        break;
      default:
        e.kind = record_kind::range_begin;
        e.type = payload_type::u64;
        break;
    }
    if (random.below(8) == 0) {
      e.kind = record_kind::sync;
      e.site = 0;
      e.type = payload_type::u64;
    }
    if (e.type != payload_type::none) {
      e.bits = random.next();
      if (e.type == payload_type::f32) e.bits &= 0xFFFFFFFFu;
      e.count = log.event(e.kind, e.site, e.cycles, e.type, e.bits);
    } else {
      e.count = log.event(e.kind, e.site, e.cycles);
    }
    events.push_back(e);
  }

  synthetic::random_numbers random;
  std::uint64_t cycles = 0x1'FFFF'0000;  // the low half wraps soon
  warp_log log;
  std::vector<written_event> events;
};

synthetic::warp warp_of(const event_stream& stream) {
  synthetic::warp warp;
  warp.open.cycles = 0x1'FFFF'0000;
  warp.close.cycles = stream.cycles + 100;
  warp.log = stream.log;
  return warp;
}

/// The events whose event record is among the last `kept` records. Whole: their payload stands behind it.
std::vector<written_event> kept_events(const event_stream& stream, std::size_t kept) {
  std::vector<written_event> events;
  for (const written_event& e : stream.events)
    if (e.count >= stream.log.records.size() - kept) events.push_back(e);
  return events;
}

void require_same(const decoded_ring& ring, const std::vector<written_event>& expected) {
  REQUIRE(ring.events.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const event& found = ring.events[i];
    const bool same = found.kind == expected[i].kind && found.site_bits == expected[i].site &&
                      found.cycles == expected[i].cycles && found.payload_type == expected[i].type &&
                      found.payload_bits == expected[i].bits && found.count == expected[i].count;
    CAPTURE(i, found.cycles, expected[i].cycles, found.count, expected[i].count);
    REQUIRE(same);
  }
}

}  // namespace

TEST_CASE("a closed ring gives back what a plain model says must remain") {
  for (std::uint32_t capacity = 1; capacity <= 64; capacity *= 2)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      event_stream stream(seed);
      while (stream.log.records.size() <= capacity * 4 + 3) {
        const synthetic::warp warp = warp_of(stream);
        const std::size_t written = stream.log.records.size();
        CAPTURE(capacity, seed, written);
        const decoded_ring ring = decode(synthetic::drain(warp, capacity), capacity);

        const std::size_t kept = std::min<std::size_t>(written, capacity);
        const std::vector<written_event> expected = kept_events(stream, kept);
        require_same(ring, expected);
        REQUIRE(ring.closed);
        REQUIRE(ring.written == written);
        REQUIRE(ring.kept == kept);
        REQUIRE(ring.lost == written - kept);
        REQUIRE(ring.may_have_lost == (written > capacity));
        REQUIRE(ring.first_count == written - kept);
        REQUIRE_FALSE(ring.doubts.any());
        std::size_t own = 0;
        for (const written_event& e : expected) own += 1 + iket::payload_records(e.type);
        REQUIRE(ring.headless == kept - own);
        stream.write_one();
      }
    }
}

TEST_CASE("a ring that was never closed is put in order by its clocks") {
  for (std::uint32_t capacity = 16; capacity <= 128; capacity *= 2)
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      event_stream stream(seed);
      while (stream.log.records.size() <= capacity * 4) {
        synthetic::warp warp = warp_of(stream);
        warp.closed = false;
        const std::size_t written = stream.log.records.size();
        CAPTURE(capacity, seed, written);
        const decoded_ring ring = decode(synthetic::drain(warp, capacity), capacity);

        const std::size_t kept = std::min<std::size_t>(written, capacity);
        std::vector<written_event> expected = kept_events(stream, kept);
        // Where the newest event is the only one of its kind and site, nothing tells whose the payload behind it is.
        if (written >= capacity && !expected.empty()) {
          written_event& newest = expected.back();
          const auto same = [&](const written_event& e) { return e.kind == newest.kind && e.site == newest.site; };
          if (newest.type != payload_type::none && newest.kind != record_kind::counter &&
              newest.kind != record_kind::sync && std::count_if(expected.begin(), expected.end(), same) == 1) {
            newest.type = payload_type::none;
            newest.bits = 0;
          }
        }
        // Counts are known modulo the capacity.
        for (written_event& e : expected) e.count = static_cast<std::uint32_t>(e.count % capacity);
        decoded_ring modulo = ring;
        for (event& e : modulo.events) e.count %= capacity;
        require_same(modulo, expected);
        REQUIRE_FALSE(ring.closed);
        REQUIRE(ring.kept == kept);
        REQUIRE(ring.may_have_lost == (written >= capacity));
        REQUIRE(ring.written <= written);
        if (written < capacity) REQUIRE(ring.written == written);
        REQUIRE(ring.doubts.unanchored == (written >= capacity));
        REQUIRE(ring.doubts.unconfirmed_gaps == 0);
        stream.write_one();
      }
    }
}

TEST_CASE("a ring that keeps the first records gives back what a plain model says must remain") {
  for (std::uint32_t capacity = 1; capacity <= 64; capacity *= 2)
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      event_stream stream(seed);
      while (stream.log.records.size() <= capacity * 3 + 3) {
        const std::size_t written = stream.log.records.size();
        // The model: events until one does not fit whole.
        std::vector<written_event> expected;
        std::size_t kept = 0;
        for (const written_event& e : stream.events) {
          const std::size_t size = 1 + iket::payload_records(e.type);
          if (kept + size > capacity) break;
          kept += size;
          expected.push_back(e);
        }
        for (const bool closed : {true, false}) {
          CAPTURE(capacity, seed, written, closed);
          synthetic::warp warp = warp_of(stream);
          warp.closed = closed;
          const decoded_ring ring = decode(synthetic::drain(warp, capacity, true), capacity, true);
          require_same(ring, expected);
          REQUIRE(ring.kept == kept);
          REQUIRE(ring.written == (closed ? written : kept));
          REQUIRE(ring.lost == ring.written - kept);
          REQUIRE(ring.first_count == 0);
          REQUIRE(ring.headless == 0);
          REQUIRE_FALSE(ring.count_disagrees);
          REQUIRE_FALSE(ring.may_lack_oldest());
          // What lost nothing but might have: a ring that was never closed, without room for the largest event.
          REQUIRE(ring.may_lack_newest() == (closed ? written > kept : capacity - kept < 3));
          REQUIRE_FALSE(ring.doubts.any());
        }
        stream.write_one();
      }
    }
}

TEST_CASE("behind the last record that a ring kept, any time may have passed") {
  synthetic::warp warp;
  const std::uint64_t late = warp.open.cycles + (std::uint64_t{7} << 32) + 5000;
  warp.close.cycles = late + 100;
  for (const std::uint64_t at : {std::uint64_t{2000}, std::uint64_t{2100}, late})
    warp.log.event(record_kind::mark, 16, at);
  const decoded_ring lossy = decode(synthetic::drain(warp, 2, true), 2, true);
  REQUIRE(lossy.events.size() == 2);
  CHECK(lossy.events[1].cycles == 2100);
  CHECK_FALSE(lossy.doubts.any());
  const decoded_ring whole = decode(synthetic::drain(warp, 8, true), 8, true);
  CHECK(whole.doubts.missing_wraps == 7);
}

TEST_CASE("counts that do not fit a ring that keeps the first records are reported") {
  event_stream stream(4);
  while (stream.log.records.size() < 20) stream.write_one();
  synthetic::drained from = synthetic::drain(warp_of(stream), 64, true);
  CHECK_FALSE(decode(from, 64, true).count_disagrees);
  from.header.written += 5;  // there was room for those
  CHECK(decode(from, 64, true).count_disagrees);
  CHECK(decode(from, 64, true).may_lack_newest());
  from.header.written = 3;
  CHECK(decode(from, 64, true).count_disagrees);
  CHECK(decode(from, 64, true).written == from.ring.size());
  // A full ring and a smaller count: the count has wrapped.
  from = synthetic::drain(warp_of(stream), 16, true);
  from.header.written = 3;
  CHECK_FALSE(decode(from, 16, true).count_disagrees);
  CHECK(decode(from, 16, true).written == (std::uint64_t{1} << 29) + 3);
}

TEST_CASE("without its launch, a ring that lost records without being full is one that keeps the first") {
  synthetic::warp warp;
  warp.log.event(record_kind::mark, 16, 2000);
  for (unsigned i = 0; i < 3; ++i) warp.log.event(record_kind::counter, 32, 2001 + i, payload_type::u32, i);
  const decoded_ring ring = decode(synthetic::drain(warp, 4, true), 0);
  REQUIRE(ring.kept == 3);
  CHECK(ring.may_lack_newest());
  CHECK(ring.lost == 4);
  CHECK_FALSE(ring.count_disagrees);
  CHECK(ring.events[1].cycles == 2001);
}

TEST_CASE("a clock pair is an event with the global timer as its payload, also the newest of a hung warp") {
  constexpr std::uint64_t globaltimer = 1'700'000'000'123'456'789;
  warp_log log;
  log.event(record_kind::mark, 16, 2000);
  log.event(record_kind::mark, 16, 2100);
  log.event(record_kind::mark, 16, 2150);
  log.sync(2200, globaltimer);
  const decoded_ring whole = decode(synthetic::drain({.log = log}, 8), 8);
  REQUIRE(whole.events.size() == 4);
  CHECK(whole.events[3].kind == record_kind::sync);
  CHECK(whole.events[3].payload_bits == globaltimer);
  CHECK(whole.headless == 0);
  CHECK(whole.unknown == 0);
  CHECK_FALSE(whole.doubts.any());
  const decoded_ring hung = decode(synthetic::drain({.closed = false, .log = log}, 4), 4);
  REQUIRE(hung.events.size() == 2);
  CHECK(hung.events[1].payload_bits == globaltimer);
  CHECK(hung.headless == 0);
}

TEST_CASE("trailing memory that was never written is no part of a ring that was never closed") {
  warp_log log;
  log.event(record_kind::mark, synthetic::site_bits(1), 2000);
  log.event(record_kind::counter, synthetic::site_bits(2), 3000, payload_type::i32, 7);
  synthetic::drained from = synthetic::drain({.closed = false, .log = log}, 8);
  from.ring.resize(8);
  from.header.kept = 8;
  const decoded_ring ring = decode(from, 8);
  CHECK(ring.events.size() == 2);
  CHECK(ring.written == 3);
  CHECK(ring.kept == 3);
  CHECK(ring.lost == 0);
  CHECK_FALSE(ring.may_have_lost);
}

TEST_CASE("records that never arrived are counted") {
  warp_log log;
  for (int i = 0; i < 6; ++i) log.event(record_kind::mark, 16, 2000u + static_cast<unsigned>(i));
  synthetic::drained from = synthetic::drain({.log = log}, 8);
  from.ring[2] = {0, 0};
  for (const bool closed : {true, false}) {
    from.header.closed = closed ? 1 : 0;
    const decoded_ring ring = decode(from, 8);
    CHECK(ring.events.size() == 5);
    CHECK(ring.never_written == 1);
    CHECK(ring.kept == 5);
    CHECK(ring.written == 6);
    CHECK(ring.events[2].count == 3);
  }
}

TEST_CASE("kinds of a newer version are passed over with their payload") {
  warp_log log;
  log.event(record_kind::mark, 16, 2000);
  log.event(static_cast<record_kind>(12), 32, 5, payload_type::u64, 1);
  log.event(record_kind::mark, 16, 2100);
  const decoded_ring ring = decode(synthetic::drain({.log = log}, 8), 8);
  REQUIRE(ring.events.size() == 2);
  CHECK(ring.events[1].cycles == 2100);
  CHECK(ring.unknown == 3);
  CHECK(ring.headless == 0);
  CHECK_FALSE(ring.doubts.any());
}

TEST_CASE("payload records that fit no event are counted") {
  synthetic::warp warp;
  warp.log.event(record_kind::mark, 16, 2000, payload_type::i32, 1);
  warp.log.records.push_back({2, iket::payload_tag(payload_type::i32, 0)});  // a second low part
  warp.log.records.push_back({2, iket::payload_tag(payload_type::i32, 1)});  // a high part of a short type
  warp.log.event(record_kind::mark, 16, 2001);
  warp.log.records.push_back({2, iket::payload_tag(payload_type::u64, 1)});  // a high part alone
  warp.log.event(record_kind::mark, 16, 2002);
  warp.log.records.push_back({2, iket::payload_tag(payload_type::u64, 0)});  // a low part alone
  const decoded_ring ring = decode(synthetic::drain(warp, 16), 16);
  REQUIRE(ring.events.size() == 3);
  CHECK(ring.events[0].payload_bits == 1);
  CHECK(ring.events[1].payload_type == payload_type::none);
  CHECK(ring.events[2].payload_type == payload_type::none);
  CHECK(ring.headless == 4);
}

TEST_CASE("a token's end tells how far a ring that was never closed has come") {
  warp_log log;
  std::uint64_t cycles = 5000;
  for (int i = 0; i < 40; ++i) {
    const std::uint32_t begin = log.event(record_kind::token_begin, 16, cycles += 10);
    log.event(record_kind::mark, 32, cycles += 10);
    log.end_token(begin, cycles += 10);
  }
  const decoded_ring ring = decode(synthetic::drain({.closed = false, .log = log}, 16), 16);
  CHECK(ring.written == log.records.size());
  CHECK(ring.lost == log.records.size() - 16);
  CHECK(ring.events.back().count == log.records.size() - 2);
  CHECK(ring.events.back().payload_bits == log.records.size() - 4);
}

TEST_CASE("a ring whose capacity is unknown is decoded by what is in it") {
  event_stream stream(3);
  while (stream.log.records.size() < 100) stream.write_one();
  const synthetic::drained from = synthetic::drain(warp_of(stream), 32);
  const decoded_ring ring = decode(from, 0);
  require_same(ring, kept_events(stream, 32));
  CHECK(ring.lost == stream.log.records.size() - 32);
}

TEST_CASE("a written count that does not fit the records is reported") {
  event_stream stream(4);
  while (stream.log.records.size() < 20) stream.write_one();
  synthetic::drained from = synthetic::drain(warp_of(stream), 64);
  from.header.written += 5;
  CHECK(decode(from, 64).count_disagrees);
  CHECK(decode(from, 64).may_have_lost);
  from.header.written = 3;
  CHECK(decode(from, 64).count_disagrees);
  CHECK(decode(from, 64).written == from.ring.size());
}

TEST_CASE("a count that wrapped at 2^29 still names the oldest record") {
  warp_log log;
  for (unsigned i = 0; i < 8 + 3; ++i) log.event(record_kind::mark, 16, 2000 + i);
  synthetic::drained from = synthetic::drain({.log = log}, 8);
  from.header.written = 3;
  const decoded_ring ring = decode(from, 8);
  CHECK(ring.written == (std::uint64_t{1} << 29) + 3);
  CHECK(ring.events.front().cycles == 2003);
  CHECK(ring.events.front().count == (1u << 29) + 3 - 8);
  CHECK(ring.events.back().cycles == 2010);
}

TEST_CASE("an empty ring decodes to nothing") {
  for (const bool closed : {true, false}) {
    const decoded_ring ring = decode(synthetic::drain({.closed = closed}, 4), 4);
    CHECK(ring.events.empty());
    CHECK(ring.written == 0);
    CHECK_FALSE(ring.may_have_lost);
    CHECK_FALSE(ring.doubts.any());
  }
}

namespace {

/// Marks at these cycles, of a warp that was open from `open` to `close`.
synthetic::warp marks_at(std::uint64_t open, std::vector<std::uint64_t> cycles, std::uint64_t close) {
  synthetic::warp warp;
  warp.open.cycles = open;
  warp.close.cycles = close;
  for (const std::uint64_t at : cycles) warp.log.event(record_kind::mark, 16, at);
  return warp;
}

}  // namespace

TEST_CASE("a gap of more than 2^31 cycles is taken for what the close pair confirms") {
  const std::uint64_t open = 0xFFFF'0000;
  const synthetic::warp warp = marks_at(open, {open + 10, open + 0xF000'0000, open + 0xF000'0010}, open + 0xF000'0020);
  const decoded_ring ring = decode(synthetic::drain(warp, 8), 8);
  CHECK(ring.events[1].cycles == open + 0xF000'0000);
  CHECK_FALSE(ring.doubts.any());
}

TEST_CASE("a gap of more than 2^32 cycles is reported, not guessed") {
  const std::uint64_t open = 1000;
  const std::uint64_t gap = std::uint64_t{3} << 32;
  const synthetic::warp warp = marks_at(open, {open + 10, open + 20 + gap}, open + 30 + gap);
  const decoded_ring ring = decode(synthetic::drain(warp, 8), 8);
  CHECK(ring.doubts.missing_wraps == 3);
  CHECK(ring.doubts.ambiguous_events == 2);
  CHECK(ring.events[0].cycles == open + 10);
  CHECK(ring.events[1].cycles == open + 20);  // or 3 * 2^32 later
}

TEST_CASE("after a loss clocks go backward from the close, over a gap before the oldest record") {
  const std::uint64_t open = 1000;
  const std::uint64_t late = open + (std::uint64_t{5} << 32);
  const synthetic::warp warp = marks_at(open, {open + 1, open + 2, late, late + 7}, late + 9);
  const decoded_ring ring = decode(synthetic::drain(warp, 2), 2);
  CHECK(ring.events[0].cycles == late);
  CHECK(ring.events[1].cycles == late + 7);
  // Nothing says that the gap is not behind the oldest record.
  CHECK(ring.doubts.unseen_wraps == 5);
  CHECK(ring.doubts.missing_wraps == 0);
}

TEST_CASE("a clock that steps back is counted and does not cost a wrap") {
  const std::uint64_t open = (std::uint64_t{1} << 40) + 5;
  const std::vector<std::uint64_t> cycles{open + 100, open + 200, open + 150, open + 300};
  const synthetic::warp warp = marks_at(open, cycles, open + 400);
  for (const std::uint32_t capacity : {8u, 4u}) {
    const decoded_ring ring = decode(synthetic::drain(warp, capacity), capacity);
    CHECK(ring.doubts.backward_steps == 1);
    CHECK(ring.events[1].cycles == open + 200);
    CHECK(ring.events[2].cycles == open + 200);
    CHECK(ring.events[3].cycles == open + 300);
  }
  synthetic::warp longer = warp;
  longer.log.event(record_kind::mark, 16, open + 350);
  const decoded_ring wrapped = decode(synthetic::drain(longer, 4), 4);
  CHECK(wrapped.may_have_lost);
  CHECK(wrapped.doubts.backward_steps == 1);
  CHECK(wrapped.events[0].cycles == open + 200);
  CHECK(wrapped.events[1].cycles == open + 200);
  CHECK(wrapped.events[3].cycles == open + 350);
}

TEST_CASE("a warp that changed its SM is reported") {
  synthetic::drained from = synthetic::drain(marks_at(1000, {1100, 1200}, 1300), 8);
  from.header.close_sm = 7;
  const decoded_ring ring = decode(from, 8);
  CHECK(ring.doubts.sm_changed);
  CHECK(ring.clock_sm == from.header.open_sm);
  CHECK(ring.events[1].cycles == 1200);
}

TEST_CASE("a close before the opening is reported") {
  const decoded_ring ring = decode(synthetic::drain(marks_at(5000, {5100, 5200}, 4000), 8), 8);
  CHECK(ring.doubts.pairs_disagree);
  CHECK(ring.events[1].cycles == 5200);
}

TEST_CASE("a long gap in a ring that was never closed is reported") {
  synthetic::warp warp = marks_at(1000, {1100, 1100 + 0x9000'0000u}, 0);
  warp.closed = false;
  const decoded_ring ring = decode(synthetic::drain(warp, 8), 8);
  CHECK(ring.doubts.unconfirmed_gaps == 1);
  CHECK(ring.events[1].cycles == 1100 + 0x9000'0000u);
}

TEST_CASE("any records decode to events in order, within the ring's bounds") {
  synthetic::random_numbers random(11);
  for (int round = 0; round < 20000; ++round) {
    const auto capacity = static_cast<std::uint32_t>(1u << random.below(6));
    synthetic::drained from;
    const bool small_clocks = random.below(2) == 0;
    for (std::uint64_t i = random.below(capacity + 1); i != 0; --i) {
      const std::uint64_t value = small_clocks ? random.below(1000) : random.next();
      from.ring.push_back({static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(random.below(1024))});
    }
    from.header.open.cycles = random.below(3) == 0 ? random.next() : random.below(2000);
    from.header.close.cycles = random.below(3) == 0 ? random.next() : random.below(4000);
    from.header.closed = static_cast<std::uint32_t>(random.below(2));
    from.header.close_sm = static_cast<std::uint32_t>(random.below(2));
    from.header.written =
        static_cast<std::uint32_t>(random.below(2) == 0 ? random.next() : random.below(3) + from.ring.size());
    const bool keeps_first = random.below(3) == 0;
    const decoded_ring ring = decode(from, random.below(4) == 0 ? 0 : capacity, keeps_first);
    std::uint64_t records = ring.never_written + ring.headless + ring.unknown;
    for (std::size_t i = 0; i < ring.events.size(); ++i) {
      const event& e = ring.events[i];
      records += 1 + iket::payload_records(e.payload_type);
      if (e.payload_type > payload_type::boolean) records = 0;
      REQUIRE(e.count - ring.first_count < capacity);
      if (i != 0) REQUIRE(e.cycles >= ring.events[i - 1].cycles);
    }
    REQUIRE(ring.kept + ring.never_written <= from.ring.size());
    REQUIRE(ring.written == ring.kept + ring.never_written + ring.lost);
  }
}
