// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A trace of a kernel that hangs, as a snapshot beside it has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "synthetic.hpp"

namespace iket::test {

/// A matrix multiply of one producer and four consumer warps a CTA, whose tile 17 never arrives. The GPU runs at 1.98
/// GHz, all CTAs begin within 2 us, a tile takes 1.5 us. Times in ns are from the launch's begin.
class hang_trace {
 public:
  static constexpr std::uint32_t missing_tile = 17;
  static constexpr std::uint64_t tile_ns = 1500;
  static constexpr std::uint64_t looked_ns = 5'000'000'000;
  static constexpr std::uint32_t consumers = 4;

  synthetic::trace trace;
  std::uint32_t producer_role = trace.site(iket::site_kind::role, "producer", "src/ws_gemm.cu", 60);
  std::uint32_t consumer_role = trace.site(iket::site_kind::role, "consumer", "src/ws_gemm.cu", 80);
  std::uint32_t wait_slot = trace.site(iket::site_kind::wait, "wait for free slot", "src/ws_gemm.cu", 65);
  std::uint32_t load = trace.site(iket::site_kind::work, "load tile", "src/ws_gemm.cu", 68);
  std::uint32_t wait_data = trace.site(iket::site_kind::wait, "wait for data", "src/ws_gemm.cu", 88);
  std::uint32_t compute = trace.site(iket::site_kind::work, "compute", "src/ws_gemm.cu", 92);

  hang_trace() { trace.calibrate(); }

  static iket::clock_pair pair_at(std::uint64_t ns) {
    return {1'000'000 + ns * 198 / 100, synthetic::trace::timer_epoch_ns + ns / 32 * 32};
  }

  synthetic::warp warp_at(std::uint32_t cta, std::uint32_t number) const {
    synthetic::warp warp;
    warp.cta = cta;
    warp.number = number;
    warp.sm = cta % 132;
    warp.role = number == 0 ? producer_role : consumer_role;
    warp.open = pair_at(begin_ns(cta));
    warp.closed = false;
    return warp;
  }

  static std::uint64_t begin_ns(std::uint32_t cta) { return cta * 15; }

  /// Waits for a slot and loads, tile after tile, with the tile as payload of the load; behind tile 17 it waits.
  synthetic::warp producer(std::uint32_t cta) const {
    synthetic::warp warp = warp_at(cta, 0);
    for (std::uint32_t tile = 0; tile <= missing_tile; ++tile) {
      const std::uint64_t ns = begin_ns(cta) + 100 + tile * tile_ns;
      warp.log.event(record_kind::range_begin, wait_slot, pair_at(ns).cycles);
      warp.log.event(record_kind::range_end, wait_slot, pair_at(ns + 200).cycles);
      warp.log.event(record_kind::range_begin, load, pair_at(ns + 210).cycles, payload_type::i32, tile);
      warp.log.event(record_kind::range_end, load, pair_at(ns + 250).cycles);
    }
    warp.log.event(record_kind::range_begin, wait_slot,
                   pair_at(begin_ns(cta) + 100 + (missing_tile + 1) * tile_ns).cycles);
    return warp;
  }

  /// Waits for each tile and computes, up to that it waits for.
  synthetic::warp consumer(std::uint32_t cta, std::uint32_t number, std::uint32_t last_tile = missing_tile) const {
    synthetic::warp warp = warp_at(cta, number);
    for (std::uint32_t tile = 0; tile <= last_tile; ++tile) {
      const std::uint64_t ns = begin_ns(cta) + 150 + tile * tile_ns;
      warp.log.event(record_kind::range_begin, wait_data, pair_at(ns).cycles, payload_type::i32, tile);
      if (tile == last_tile) break;
      warp.log.event(record_kind::range_end, wait_data, pair_at(ns + 700).cycles);
      warp.log.event(record_kind::push, compute, pair_at(ns + 710).cycles, payload_type::i32, tile);
      warp.log.event(record_kind::pop, 0, pair_at(ns + 1400).cycles);
    }
    return warp;
  }

  /// All warps of these CTAs, hanging.
  std::vector<synthetic::warp> warps_of(std::uint32_t ctas) const {
    std::vector<synthetic::warp> warps;
    for (std::uint32_t cta = 0; cta < ctas; ++cta) {
      warps.push_back(producer(cta));
      for (std::uint32_t number = 1; number <= consumers; ++number) warps.push_back(consumer(cta, number));
    }
    return warps;
  }

  /// A launch of `grid` CTAs that runs, and a snapshot of it.
  hang_trace& running(const std::vector<synthetic::warp>& warps, std::uint32_t grid, std::uint32_t capacity = 128) {
    launch(warps, grid, capacity, iket::file::launch_running);
    trace.read_timer({0, 20'000'000});
    trace.look(looked_ns, looked_ns + 1'000'000);
    return *this;
  }

  /// A launch of `grid` CTAs that runs, of a snapshot that is made elsewhere.
  hang_trace& also_running(const std::vector<synthetic::warp>& warps, std::uint32_t grid,
                           std::uint32_t capacity = 128) {
    launch(warps, grid, capacity, iket::file::launch_running);
    return *this;
  }

  /// So many launches of 2 CTAs that have not begun.
  hang_trace& not_begun(const char* kernel, int launches) {
    for (int i = 0; i < launches; ++i) launch({}, 2, 128, iket::file::launch_running, kernel);
    return *this;
  }

  /// A launch of `grid` CTAs before the end of which a kernel failed.
  hang_trace& failed(const std::vector<synthetic::warp>& warps, std::uint32_t grid, std::uint32_t capacity = 128) {
    launch(warps, grid, capacity, iket::file::launch_failed);
    return *this;
  }

 private:
  using record_kind = iket::record_kind;
  using payload_type = iket::payload_type;

  void launch(const std::vector<synthetic::warp>& warps, std::uint32_t grid, std::uint32_t capacity,
              std::uint32_t flags, const char* kernel = "ws_gemm") {
    const std::size_t place = trace.launch(kernel, grid, consumers + 1, capacity, warps);
    trace.content.launches[place].info.flags |= flags;
  }
};

/// What the goldens show: 132 of 512 CTAs run. One consumer warp is a tile behind, one producer has ended.
inline hang_trace sample_hang() {
  hang_trace made;
  std::vector<synthetic::warp> warps = made.warps_of(132);
  synthetic::warp& ended = warps[5 * 40];
  ended.closed = true;
  ended.close = hang_trace::pair_at(40'000);
  warps[5 * 77 + 2] = made.consumer(77, 2, hang_trace::missing_tile - 1);
  made.running(warps, 512);
  return made;
}

}  // namespace iket::test
