// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Timelines at random, small and dense: of all that can meet in a trace, much meets in each of them.
#pragma once

#include <random>

#include "../hand_made.hpp"

namespace iket::test {

/// All times are multiples of it [ps]. Waits longer than ten of them have releasers, and five are their slack.
inline constexpr picoseconds tick = 10'000;

/// One to three launches of one to four CTAs, on few SMs, with or without clusters; one to 32 warps a CTA, some of them
/// empty, some with lost records, some never closed; nested ranges, tokens, ranges that are open, cut or unmatched;
/// payloads that warps have in common; everything on few different times.
class random_launches {
 public:
  explicit random_launches(std::uint32_t seed) : random_(seed) {}

  timeline make() {
    hand_made made;
    for (auto launches = between(1, 3); launches > 0; --launches) add_launch(made);
    return made.take();
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <class Value>
  Value any_of(std::initializer_list<Value> values) {
    return values.begin()[between(0, static_cast<std::int64_t>(values.size()) - 1)];
  }
  stage_kind any_kind() { return chance(50) ? stage_kind::wait : stage_kind::work; }

  payload any_payload() {
    const auto value = static_cast<std::uint64_t>(between(0, 3));
    switch (between(0, 7)) {
      case 0:
        return {};
      case 1:
        return {payload_type::u64, value};
      case 2:
        return {payload_type::f32, value};
      case 3:
        return i32(-1);
      case 4:
        return {payload_type::i64, ~std::uint64_t{0}};
      case 5:
        return {payload_type::u32, value == 0 ? 0xFFFFFFFFu : value};
      default:
        return i32(static_cast<std::int32_t>(value));
    }
  }

  void add_launch(hand_made& to) {
    const auto ctas = static_cast<std::uint32_t>(between(1, 4));
    const bool many = chance(5);
    const auto warps = static_cast<std::uint32_t>(many ? between(9, 32) : between(1, 6));
    to.launch(any_of({"kernel", "kernel", "other"}), ctas, warps);
    launch& of = to.last_launch();
    if (chance(40)) of.cluster = {2, 1, 1};
    of.clock.uncertainty_ns = any_of({0.0, 20.0, 35.5});
    const bool in_turn = chance(40);
    const auto sms = between(1, 3);
    bool any = false;
    picoseconds start = between(0, 9);
    for (std::uint32_t cta = 0; cta < ctas; ++cta) {
      const auto sm = static_cast<std::uint32_t>(between(1, sms));
      picoseconds end = start;
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        if (chance(10) && (any || warp + 1 < warps)) continue;  // made no recorder
        any = true;
        end = std::max(end, add_warp(to, cta, warp, start, many ? 20 : 60));
        to.last_warp().sm = sm;
      }
      if (in_turn) start = end + (chance(10) ? between(490, 510) : between(0, 4));
    }
  }

  picoseconds add_warp(hand_made& to, std::uint32_t cta, std::uint32_t warp, picoseconds start, picoseconds length) {
    const picoseconds open = start + (chance(50) ? 0 : between(0, 5));
    const picoseconds close = open + (chance(5) ? 0 : between(length / 2, length));
    const bool loses = chance(15);
    const picoseconds observed = loses ? between(open, close) : open;
    const picoseconds until = !loses && chance(10) ? between(open, close) : close;
    to.warp(cta, warp, any_of({"producer", "consumer", "consumer", ""}), open * tick, close * tick);
    if (observed != open) to.lost(17, observed * tick);
    if (until != close) to.lost_newest(13, until * tick);
    to.last_warp().closed = !chance(5);
    at_end_ = until != close ? range_state::cut : range_state::open;
    if (chance(5)) return close;
    if (chance(40))
      add_loop(to, observed, until);
    else
      add_nested(to, observed, until, until, 0);
    for (auto i = between(0, 3); i > 0; --i) add_token(to, observed, until);
    return close;
  }

  /// Waits and works in turn, by payload: what pipelines look like.
  void add_loop(hand_made& to, picoseconds begin, picoseconds end) {
    const bool produces = chance(50);
    const std::string wait = produces ? "slot" : "data", work = produces ? "load" : "a";
    const payload_type type = any_of({payload_type::i32, payload_type::u32});
    const std::int64_t items = between(1, 8);
    picoseconds now = begin;
    for (std::int64_t i = 0; now < end && i < 20; ++i) {
      const payload item{type, static_cast<std::uint64_t>(i % items)};
      const picoseconds waited = std::min(now + between(0, 14), end);
      to.wait(wait, now * tick, waited * tick, item);
      now = std::min(waited + between(0, 5), end);
      to.work(work, waited * tick, now * tick, chance(90) ? item : payload{});
    }
  }

  void add_nested(hand_made& to, picoseconds begin, picoseconds end, picoseconds close, int depth) {
    picoseconds now = begin;
    while (now < end && !chance(20)) {
      const picoseconds from = chance(50) ? now : between(now, end);
      const picoseconds until = between(from, end);
      // Only what reaches its warp's end can be open there, or cut.
      const range_state state = until == close && chance(50) ? at_end_
                                : chance(5)                  ? range_state::unmatched
                                                             : range_state::whole;
      to.add(any_kind(), any_of({"a", "b", "load"}), from * tick, until * tick, any_payload(), state);
      // A range of no length around another one of no length has no order with it.
      if (depth < 3 && until > from) add_nested(to, from, until, close, depth + 1);
      now = until + (chance(50) ? 0 : 1);
      if (until == from) ++now;
    }
  }

  void add_token(hand_made& to, picoseconds observed, picoseconds close) {
    const picoseconds from = between(observed, close);
    const bool open = chance(20);
    to.token(any_kind(), any_of({"a", "t"}), from * tick, (open ? close : between(from, close)) * tick, any_payload(),
             open ? at_end_ : range_state::whole);
  }

  std::mt19937 random_;
  range_state at_end_ = range_state::open;
};

}  // namespace iket::test
