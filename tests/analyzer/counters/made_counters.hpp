// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Counters of a made kernel, of which every figure is known.
#pragma once

#include "counters/launch_counters.hpp"

namespace iket::test {

/// Stages: work `load`, and `sync` as work and as a wait.
inline analysis::counters::launch_counters made_counters() {
  using analysis::stage_kind;
  analysis::counters::launch_counters of;
  of.kernel = "made(int)";
  of.files = {"raw.csv", "source.csv"};
  of.launches = 2;
  of.figures = {{"duration_s", "duration", 5.2e-6},
                {"dram_throughput_percent", "DRAM throughput", 12.5},
                {"dram_read_bytes", "DRAM read", 999'960},
                {"dram_write_bytes", "DRAM written", 999.7},
                {"bank_conflicts", "bank conflicts", 104'999}};
  of.stall_reasons = {
      {"stalled_selected", "selected", 9}, {"stalled_barrier", "barrier", 3}, {"stalled_wait", "wait", 0.04}};
  of.division = analysis::counters::division_kind::instructions;
  of.columns = {"samples", "stall_selected", "stall_barrier", "stall_wait", "instructions", "l2_sectors_local"};
  of.stages = {{"load", stage_kind::work, {40, 10, 20, 10, 500'000, 6}, {{"a.cu", 7}, {"a.cu", 9}}, {}, 12},
               {"sync", stage_kind::work, {10, 10, 0, 0, 100'000, 0}, {}, {}, 0},
               {"sync", stage_kind::wait, {30, 0, 30, 0, 100'000, 0}, {}, {}, 0}};
  of.shared = {8, 0, 0, 8, 100'000, 1};
  of.recording = {2, 0, 0, 2, 150'000, 2};
  of.outside = {7, 1, 2, 4, 40'000, 1};
  of.unknown = {3, 0, 3, 0, 10'000, 0};
  of.sums = {100, 21, 55, 24, 1'000'000, 10};
  of.doubts = {"a doubt"};
  of.notes = {"a note"};
  return of;
}

}  // namespace iket::test
