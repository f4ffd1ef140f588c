// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pairing.hpp"

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::record_kind;
using iket::analysis::decoded_ring;
using iket::analysis::none;
using iket::analysis::orphan_end;
using iket::analysis::paired_range;
using iket::analysis::range_pairing;
using iket::analysis::range_state;
using synthetic::warp_log;

namespace {

constexpr std::uint32_t site_count = 8;

/// The ring of a warp that wrote `log`; the site of bits 16 * n has number n.
decoded_ring decoded(const warp_log& log, std::uint32_t capacity, bool keeps_first = false) {
  synthetic::warp warp;
  warp.log = log;
  warp.close.cycles = warp.open.cycles + 10 * log.records.size() + 10;
  const synthetic::drained from = synthetic::drain(warp, capacity, keeps_first);
  decoded_ring ring;
  decode_ring(from.header,
              iket::analysis::record_view(reinterpret_cast<const std::byte*>(from.ring.data()), from.ring.size()),
              {capacity, keeps_first}, {}, ring);
  for (iket::analysis::event& e : ring.events) e.site = e.site_bits / 16;
  return ring;
}

/// Writes a log from letters: "A" begins a scoped range of site A and "a" ends it; "[A" pushes, "]" pops; "<A" begins
/// token number 0, 1, ... in turn, ">0" ends it; "." is a mark.
warp_log log_of(const std::string& text) {
  warp_log log;
  std::vector<std::uint32_t> tokens;
  std::uint64_t cycles = 1000;
  const auto site = [](char letter) { return static_cast<std::uint32_t>((letter | 32) - 'a' + 1) * 16; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    cycles += 10;
    const char c = text[i];
    if (c == '[')
      log.event(record_kind::push, site(text[++i]), cycles);
    else if (c == ']')
      log.event(record_kind::pop, 0, cycles);
    else if (c == '<')
      tokens.push_back(log.event(record_kind::token_begin, site(text[++i]), cycles));
    else if (c == '>')
      log.end_token(tokens.at(static_cast<std::size_t>(text[++i] - '0')), cycles);
    else if (c == '.')
      log.event(record_kind::mark, 16, cycles);
    else if (c >= 'A' && c <= 'Z')
      log.event(record_kind::range_begin, site(c), cycles);
    else if (c >= 'a' && c <= 'z')
      log.event(record_kind::range_end, site(c), cycles);
  }
  return log;
}

char state_letter(range_state state) {
  switch (state) {
    case range_state::whole:
      return 'w';
    case range_state::open:
      return 'o';
    case range_state::cut:
      return 'c';
    default:
      return 'u';
  }
}

std::string text_of(const range_pairing& pairing) {
  std::string text;
  for (const paired_range& range : pairing.ranges()) {
    text += std::to_string(range.begin) + "-" + (range.end == none ? "" : std::to_string(range.end));
    text += state_letter(range.state);
    text += range.token ? "t" : std::to_string(range.depth);
    if (range.parent != none) text += "^" + std::to_string(range.parent);
    text += ' ';
  }
  for (const orphan_end& orphan : pairing.orphans())
    text += std::to_string(orphan.event) + (orphan.cut ? "cut " : "unmatched ");
  if (!text.empty()) text.pop_back();
  return text;
}

/// Pairs what is left of `text` in a ring of `capacity`.
std::string pair(const std::string& text, std::uint32_t capacity = 64, bool keeps_first = false) {
  const decoded_ring ring = decoded(log_of(text), capacity, keeps_first);
  range_pairing pairing;
  pairing.pair(ring, site_count);
  return text_of(pairing);
}

}  // namespace

TEST_CASE("ranges nest and pair by site") {
  CHECK(pair("") == "");
  CHECK(pair("Aa") == "0-1w0");
  CHECK(pair("ABbCca") == "0-5w0 1-2w1^0 3-4w1^0");
  CHECK(pair("AABbaa") == "0-5w0 1-4w1^0 2-3w2^1");
  CHECK(pair(".A.a.") == "1-3w0");
}

TEST_CASE("a scoped end closes the nearest range of its own site, and what it skips is unmatched") {
  CHECK(pair("ABa") == "0-2w0 1-2u1^0");
  CHECK(pair("ABCa") == "0-3w0 1-3u1^0 2-3u2^1");
  CHECK(pair("ABab") == "0-2w0 1-2u1^0 3unmatched");
  CHECK(pair("AB[Ab") == "0-o0 1-3w1^0 2-3u2^1");
  CHECK(pair("[Aa") == "0-o0 1unmatched");
}

TEST_CASE("a pop closes the innermost pushed range") {
  CHECK(pair("[A[B]]") == "0-3w0 1-2w1^0");
  CHECK(pair("A[Bb]a") == "0-4w0 1-3w1^0 2unmatched");
  CHECK(pair("[AB]b") == "0-2w0 1-2u1^0 3unmatched");
  CHECK(pair("A]a") == "0-2w0 1unmatched");
  CHECK(pair("A[Ba]") == "0-2w0 1-2u1^0 3unmatched");
}

TEST_CASE("a token's end closes the begin whose count it carries, and tokens are in no stack") {
  CHECK(pair("<A<B>0>1") == "0-2wt 1-3wt");
  CHECK(pair("A<Ba>0") == "0-2w0 1-3wt");
  CHECK(pair("<AB>0b") == "0-2wt 1-3w0");
  CHECK(pair("<A>0>0") == "0-1wt 2unmatched");
  CHECK(pair("<A.") == "0-ot");
}

TEST_CASE("a token's end that carries no begin's count is unmatched") {
  warp_log log = log_of("A<B");
  log.end_token(0, 2000);    // that is no token
  log.end_token(500, 2010);  // nor is this
  log.event(record_kind::token_end, 0, 2020);
  range_pairing pairing;
  pairing.pair(decoded(log, 64), site_count);
  CHECK(text_of(pairing) == "0-o0 1-ot 2unmatched 3unmatched 4unmatched");
}

TEST_CASE("a token pairs also where the count has wrapped at 2^29") {
  warp_log log;
  for (int i = 0; i < 9; ++i) log.event(record_kind::mark, 16, 1000);
  log.event(record_kind::token_begin, 16, 1010);
  log.event(record_kind::mark, 16, 1020);
  log.end_token(1, 1030);
  log.event(record_kind::mark, 16, 1040);
  synthetic::warp warp;
  warp.log = log;
  synthetic::drained from = synthetic::drain(warp, 8);
  from.header.written = 6;  // of 2^29 + 6, the fifth from the end is the begin: it counts as 1
  decoded_ring ring;
  decode_ring(from.header,
              iket::analysis::record_view(reinterpret_cast<const std::byte*>(from.ring.data()), from.ring.size()),
              {8, false}, {}, ring);
  range_pairing pairing;
  pairing.pair(ring, site_count);
  INFO(text_of(pairing));
  std::size_t whole = 0;
  for (const paired_range& range : pairing.ranges()) whole += range.state == range_state::whole;
  CHECK(whole == 1);
}

TEST_CASE("ranges without an end are open") { CHECK(pair("A[BC") == "0-o0 1-o1^0 2-o2^1"); }

TEST_CASE("begins whose end was lost are cut, where the newest records are the lost ones") {
  CHECK(pair("A[B<C]a>0", 4, true) == "0-c0 1-3w1^0 2-ct");
  CHECK(pair("A[B<C", 4, true) == "0-o0 1-o1^0 2-ot");
  CHECK(pair("ABa.", 2, true) == "0-c0 1-c1^0");
}

TEST_CASE("an end never lacks its begin, where the newest records are the lost ones") {
  CHECK(pair("a]A.", 2, true) == "0unmatched 1unmatched");
  warp_log log;
  log.end_token(7, 1000);
  log.event(record_kind::mark, 16, 1010);
  range_pairing pairing;
  pairing.pair(decoded(log, 2, true), site_count);
  CHECK(text_of(pairing) == "0unmatched");
}

TEST_CASE("ends whose begin was lost are cut") {
  CHECK(pair("ABba", 2) == "0cut 1cut");
  CHECK(pair("ABb..a", 4) == "0cut 3cut");
  CHECK(pair("[A..]", 2) == "1cut");
  CHECK(pair("<A...>0", 4) == "2cut");
}

TEST_CASE("an end whose begin was lost skips what stands open, as it would with nothing lost") {
  CHECK(pair("A[Ba") == "0-2w0 1-2u1^0");
  CHECK(pair("A[Ba", 2) == "0-1u0 1cut");
  CHECK(pair("A..[Ba]", 4) == "1-2u0 2cut 3unmatched");
}

TEST_CASE("memory of one warp does not reach the next") {
  range_pairing pairing;
  pairing.pair(decoded(log_of("AB[C<Aa<B"), 64), site_count);
  pairing.pair(decoded(log_of("b]a"), 64), site_count);
  CHECK(text_of(pairing) == "0unmatched 1unmatched 2unmatched");
  warp_log log = log_of(".....");
  log.end_token(4, 5000);
  pairing.pair(decoded(log, 64), site_count);
  CHECK(text_of(pairing) == "5unmatched");
}

namespace {

/// The rules, written down without a thought for speed.
std::string pair_slowly(const decoded_ring& ring) {
  struct open_range {
    std::uint32_t event;
    std::uint32_t range;
  };
  std::vector<paired_range> ranges;
  std::vector<orphan_end> orphans;
  std::vector<open_range> stack;
  std::map<std::pair<record_kind, std::uint32_t>, int> skipped;  // by kind of begin, and site for scoped ones
  const auto& events = ring.events;
  const auto key = [&](std::uint32_t begin) {
    const bool scoped = events[begin].kind == record_kind::range_begin;
    return std::pair(events[begin].kind, scoped ? events[begin].site : 0);
  };
  const auto skip = [&](std::uint32_t end) {
    ranges[stack.back().range].end = end;
    ranges[stack.back().range].state = range_state::unmatched;
    ++skipped[key(stack.back().event)];
    stack.pop_back();
  };
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    const record_kind kind = events[i].kind;
    if (kind == record_kind::range_begin || kind == record_kind::push) {
      ranges.push_back({i, none, stack.empty() ? none : stack.back().range, static_cast<std::uint32_t>(stack.size()),
                        false, range_state::open});
      stack.push_back({i, static_cast<std::uint32_t>(ranges.size() - 1)});
    } else if (kind == record_kind::token_begin) {
      ranges.push_back({i, none, none, 0, true, range_state::open});
    } else if (kind == record_kind::range_end || kind == record_kind::pop) {
      const bool scoped = kind == record_kind::range_end;
      const auto wanted =
          scoped ? std::pair(record_kind::range_begin, events[i].site) : std::pair(record_kind::push, 0u);
      std::size_t found = stack.size();
      while (found != 0 && key(stack[found - 1].event) != wanted) --found;
      if (found != 0) {
        while (stack.size() != found) skip(i);
        ranges[stack.back().range].end = i;
        ranges[stack.back().range].state = range_state::whole;
        stack.pop_back();
      } else if (skipped[wanted] != 0) {
        --skipped[wanted];
        orphans.push_back({i, false});
      } else {
        orphans.push_back({i, ring.may_lack_oldest()});
        while (ring.may_lack_oldest() && !stack.empty()) skip(i);
      }
    } else if (kind == record_kind::token_end) {
      bool found = false;
      for (paired_range& range : ranges) {
        if (!range.token || range.state != range_state::open || events[range.begin].count != events[i].payload_bits)
          continue;
        range.end = i;
        range.state = range_state::whole;
        found = true;
      }
      if (!found) orphans.push_back({i, events[i].payload_bits < ring.first_count});
    }
  }
  for (paired_range& range : ranges)
    if (range.state == range_state::open && ring.may_lack_newest()) range.state = range_state::cut;
  std::string text;
  for (const paired_range& range : ranges) {
    text += std::to_string(range.begin) + "-" + (range.end == none ? "" : std::to_string(range.end));
    text += state_letter(range.state);
    text += range.token ? "t" : std::to_string(range.depth);
    if (range.parent != none) text += "^" + std::to_string(range.parent);
    text += ' ';
  }
  for (const orphan_end& orphan : orphans) text += std::to_string(orphan.event) + (orphan.cut ? "cut " : "unmatched ");
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

TEST_CASE("any sequence of events is paired as the slow rules say") {
  range_pairing pairing;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    synthetic::random_numbers random(seed);
    warp_log log;
    std::vector<std::uint32_t> tokens;
    std::uint64_t cycles = 1000;
    for (std::uint64_t i = random.below(60); i != 0; --i) {
      const auto site = static_cast<std::uint32_t>(1 + random.below(3)) * 16;
      cycles += 10;
      switch (random.below(8)) {
        case 0:
        case 1:
          log.event(record_kind::range_begin, site, cycles);
          break;
        case 2:
        case 3:
          log.event(record_kind::range_end, site, cycles);
          break;
        case 4:
          log.event(record_kind::push, site, cycles);
          break;
        case 5:
          log.event(record_kind::pop, 0, cycles);
          break;
        case 6:
          tokens.push_back(log.event(record_kind::token_begin, site, cycles));
          break;
        default:
          if (!tokens.empty()) log.end_token(tokens[random.below(tokens.size())], cycles);
          break;
      }
    }
    const decoded_ring ring = decoded(log, random.below(2) == 0 ? 128 : 16, random.below(3) == 0);
    pairing.pair(ring, site_count);
    CAPTURE(seed);
    REQUIRE(text_of(pairing) == pair_slowly(ring));
  }
}

TEST_CASE("with nothing misused, a ring that lost records pairs as the whole log does") {
  range_pairing of_all;
  range_pairing of_rest;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    synthetic::random_numbers random(seed);
    std::string text;
    std::string ends;
    int tokens = 0;
    for (int i = 0; i < 60; ++i) {
      const char site = static_cast<char>('A' + random.below(3));
      const std::uint64_t what = random.below(6);
      if (what <= 1 && !ends.empty()) {
        text += ends.back();
        ends.pop_back();
      } else if (what == 2) {
        text += std::string("[") + site;
        ends += ']';
      } else if (what == 3 && tokens < 9) {
        text += std::string("<") + site + "." + ">" + static_cast<char>('0' + tokens++);
      } else {
        text += site;
        ends += static_cast<char>(site | 32);
      }
    }
    const warp_log log = log_of(text);
    const decoded_ring all = decoded(log, 256);
    const decoded_ring rest = decoded(log, 32);
    of_all.pair(all, site_count);
    of_rest.pair(rest, site_count);
    const auto lost = static_cast<std::uint32_t>(all.events.size() - rest.events.size());

    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;  // begin and end among the kept events
    std::size_t cut = 0;
    for (const paired_range& range : of_all.ranges()) {
      const std::uint32_t end = range.end == none ? none : range.end - lost;
      if (range.begin >= lost)
        expected.emplace_back(range.begin - lost, end);
      else if (range.end != none && range.end >= lost)
        ++cut;
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const paired_range& range : of_rest.ranges()) found.emplace_back(range.begin, range.end);
    CAPTURE(seed, text);
    REQUIRE(found == expected);
    REQUIRE(of_rest.orphans().size() == cut);
    for (const orphan_end& orphan : of_rest.orphans()) REQUIRE(orphan.cut);

    // The same from the other side: the first records are kept.
    const decoded_ring first = decoded(log, 32, true);
    of_rest.pair(first, site_count);
    const auto kept = static_cast<std::uint32_t>(first.events.size());
    expected.clear();
    for (const paired_range& range : of_all.ranges())
      if (range.begin < kept) expected.emplace_back(range.begin, range.end < kept ? range.end : none);
    found.clear();
    for (const paired_range& range : of_rest.ranges()) {
      found.emplace_back(range.begin, range.end);
      if (range.end == none)
        REQUIRE(range.state == (first.lost == 0 ? range_state::open : range_state::cut));
      else
        REQUIRE(range.state == range_state::whole);
    }
    REQUIRE(found == expected);
    REQUIRE(of_rest.orphans().empty());
  }
}

TEST_CASE("events made to take long are paired in linear time") {
  warp_log log;
  std::uint64_t cycles = 1000;
  constexpr int count = 300000;
  for (int i = 0; i < count; ++i) log.event(record_kind::range_begin, 16, ++cycles);
  for (int i = 0; i < count; ++i) log.event(record_kind::range_end, 32, ++cycles);
  range_pairing pairing;
  pairing.pair(decoded(log, 1u << 20), site_count);
  CHECK(pairing.ranges().size() == count);
  CHECK(pairing.orphans().size() == count);
}
