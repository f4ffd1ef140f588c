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

/// Some warps of some clusters, rings that keep the first records, polls shorter than events.
inline void add_chosen(hand_made& to, picoseconds start) {
  to.launch("chosen part", 64, 12);
  launch& one = to.last_launch();
  one.ctas_traced = 16;
  one.cta_stride = 4;
  one.cluster = {2, 1, 1};
  one.warp_mask = 0x111;
  to.warp(0, 0, "poller", start, start + 5'000'000);
  for (picoseconds i = 0; i < 8; ++i) to.wait("poll", start + i * 200'000, start + i * 200'000 + 40'000);
  to.add(stage_kind::work, "tile", start + 1'700'000, start + 2'000'000, {}, range_state::cut);
  to.lost_newest(30, start + 2'000'000);
}

inline void add_checked(hand_made& to, picoseconds start) {
  to.launch("checked build").warp(0, 0, "", start, start + 1'000'000).work("tile", start, start + 500'000);
  launch& one = to.last_launch();
  one.checked = true;
  one.faults = {{file::fault_kind::leader_absent, 12, "wait for data", {"gemm.cu", 57}, {3, 0, 0}, 2},
                {file::fault_kind::pop_without_push, 1, "", {}, {0, 0, 0}, 0}};
  one.faults_dropped = 5;
}

inline timeline sample_timeline() {
  hand_made made;
  made.with_sources();
  made.result.devices[0].calibration = {10.4, 19.6, 32, 1.98};
  made.result.devices[0].host_clock = {
      123'456'789'012'345, 1'764'000'000'000'000'000, 7.25, 1.5, 1080, 0, "f0efeeed-eceb-eae9-e8e7-e6e5e4e3e2e1"};
  made.result.files[0].host_clock = made.result.devices[0].host_clock;
  made.launch("pipeline", 2);
  made.last_launch().event_time_ns = 12'345;
  made.last_launch().host_begin_ns = 1'764'123'456'789'012'345;
  made.last_launch().host_begin_error_ns = 1080;
  add_pipeline(made, 2, 0);

  made.launch("odd things", 4, 3);
  launch& odd = made.last_launch();
  odd.host_begin_ns = 1'764'123'456'789'100'000;
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
  add_chosen(made, 30'000'000);
  add_checked(made, 40'000'000);
  made.result.warnings.push_back("truncated at offset 4096: expected 88 more bytes");
  return made.take();
}

}  // namespace iket::test
