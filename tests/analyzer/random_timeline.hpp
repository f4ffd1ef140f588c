// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Timelines at random that keep every promise of the model.
#pragma once

#include <random>

#include "hand_made.hpp"

namespace iket::test {

/// Times of warps lie within [0, length); one unit of time is `unit` picoseconds.
class random_timeline {
 public:
  random_timeline(std::uint32_t seed, picoseconds length, picoseconds unit = 1)
      : random_(seed), length_(length), unit_(unit) {}

  timeline make() {
    hand_made made;
    made.with_sources();
    for (int i = 0; i < 3; ++i) {
      made.launch(i == 1 ? "other" : "kernel", 3, 4);
      for (std::uint32_t cta = 0; cta < 3; ++cta)
        for (std::uint32_t warp = 0; warp < 4; ++warp) add_warp(made, cta, warp);
    }
    return made.take();
  }

 private:
  picoseconds between(picoseconds low, picoseconds high) {
    return std::uniform_int_distribution<picoseconds>(low, high)(random_);
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  std::string any_of(std::initializer_list<const char*> names) {
    return names.begin()[between(0, static_cast<picoseconds>(names.size()) - 1)];
  }
  stage_kind any_kind() { return chance(50) ? stage_kind::wait : stage_kind::work; }

  void add_warp(hand_made& to, std::uint32_t cta, std::uint32_t warp) {
    const picoseconds open = between(0, length_ / 4);
    const picoseconds close = between(open, length_ - 1);
    const picoseconds observed = chance(30) ? between(open, close) : open;
    const picoseconds until = observed == open && chance(30) ? between(open, close) : close;
    to.warp(cta, warp, any_of({"producer", "consumer", "", "writer"}), open * unit_, close * unit_);
    if (observed != open) to.lost(17, observed * unit_);
    if (until != close) to.lost_newest(13, until * unit_);
    at_end_ = until != close ? range_state::cut : range_state::open;
    add_nested(to, observed, until, until, 0);
    for (picoseconds i = between(0, 4); i > 0; --i) add_token(to, observed, until);
    for (picoseconds i = between(0, 4); i > 0; --i)
      to.add_point(any_of({"mark", "count"}), between(observed, until) * unit_, i32(7), chance(50));
  }

  void add_nested(hand_made& to, picoseconds begin, picoseconds end, picoseconds close, int depth) {
    picoseconds now = begin;
    while (now < end && !chance(20)) {
      const picoseconds from = between(now, end);
      const picoseconds until = between(from, end);
      // Only what reaches its warp's end can be open there, or cut.
      const range_state state = until == close && chance(50) ? at_end_
                                : chance(5)                  ? range_state::unmatched
                                                             : range_state::whole;
      to.add(any_kind(), any_of({"a", "b", "c"}), from * unit_, until * unit_, i32(static_cast<int>(now)), state);
      // A range of no length around another one of no length has no order with it.
      if (depth < 4 && until > from) add_nested(to, from, until, close, depth + 1);
      now = until + 1;
    }
  }

  void add_token(hand_made& to, picoseconds observed, picoseconds close) {
    const picoseconds from = between(observed, close);
    const bool open = chance(20);
    to.token(any_kind(), any_of({"a", "in flight"}), from * unit_, (open ? close : between(from, close)) * unit_, {},
             open ? at_end_ : range_state::whole);
  }

  std::mt19937 random_;
  picoseconds length_;
  picoseconds unit_;
  range_state at_end_ = range_state::open;
};

}  // namespace iket::test
