// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// One timeline with a little of everything: what the recorded outputs in golden/ are made from.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "hand_made.hpp"

namespace iket::test {

/// A pipeline that starves its consumers: loads take 900 ns, the multiplication 400 ns.
inline void add_pipeline(hand_made& to, std::uint32_t ctas, picoseconds start) {
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    const picoseconds open = start + 37'500 * cta;
    to.warp(cta, 0, "producer", open, open + 9'700'000);
    picoseconds now = open + 120'505;
    for (std::int32_t tile = 0; tile < 8; ++tile, now += 1'150'250) {
      to.wait("wait for free slot", now, now + 180'250);
      to.work("load tile", now + 190'000, now + 1'090'000 + 3'000 * tile, i32(tile));
    }
    to.warp(cta, 1, "consumer", open + 2'000, open + 9'950'400);
    now = open + 60'000;
    for (std::int32_t tile = 0; tile < 8; ++tile, now += 1'210'750) {
      to.wait("wait for data", now, now + 760'500 - 20'000 * tile, i32(tile));
      to.work("compute", now + 770'000, now + 1'190'000, i32(tile));
      to.work("mma", now + 790'000, now + 1'100'000);
      to.add_point("tiles done", now + 1'190'000, i32(tile + 1), true);
    }
  }
}

inline timeline sample_timeline() {
  hand_made made;
  made.with_sources();
  made.launch("pipeline", 2);
  add_pipeline(made, 2, 0);

  made.launch("odd things", 4, 3);
  launch& odd = made.last_launch();
  odd.ctas_traced = 2;
  odd.cta_stride = 2;
  odd.over_limit = true;
  odd.bytes_needed = std::uint64_t{3} << 29;
  odd.bytes_limit = std::uint64_t{256} << 20;
  odd.recorders_refused = 12;
  odd.refused_grid = {8, 1, 1};
  odd.refused_block = {96, 1, 1};
  made.warp(0, 0, "producer", 20'000'000, 24'000'000).lost(500, 21'000'000);
  made.work("load tile", 21'100'000, 22'000'000, i32(-1));
  made.add(stage_kind::work, "skipped", 22'100'000, 22'500'000, {}, range_state::unmatched);
  made.add(stage_kind::wait, "wait for free slot", 22'600'000, 24'000'000, {}, range_state::open);
  made.cut(stage_kind::work, "load tile", 3);
  made.last_warp().closed = false;
  made.warp(0, 1, "", 20'100'000, 23'000'000);
  made.token(stage_kind::work, "copy in flight", 20'200'000, 21'500'000,
             {payload_type::u64, std::numeric_limits<std::uint64_t>::max()});
  made.token(stage_kind::work, "copy in flight", 20'300'000, 21'400'000, {payload_type::f32, 0x7FC00000u});
  made.token(stage_kind::wait, "barrier", 21'000'000, 22'000'000, {payload_type::boolean, 1});
  made.add_point("start \"quoted\"\n", 20'150'000, {payload_type::f64, std::bit_cast<std::uint64_t>(0.1)}, false);
  made.add_point("temperature", 20'160'000, {payload_type::f64, std::bit_cast<std::uint64_t>(36.6)}, true);
  made.add_point("temperature", 20'170'000, {payload_type::f64, std::bit_cast<std::uint64_t>(std::nan(""))}, true);
  made.result.warnings.push_back("truncated at offset 4096: expected 88 more bytes");
  return made.take();
}

}  // namespace iket::test
