// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The report on one file: report.json and the printed table are views of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/plain_times.hpp"
#include "compare/comparison.hpp"
#include "compare/gate.hpp"
#include "counters/launch_counters.hpp"
#include "launch_sequence.hpp"
#include "overhead.hpp"
#include "picosecond_sum.hpp"
#include "role_statistics.hpp"
#include "slice_summary.hpp"
#include "stage_statistics.hpp"
#include "standing.hpp"
#include "statistics/critical_path.hpp"
#include "statistics/imbalance.hpp"
#include "statistics/related_statistics.hpp"
#include "statistics/tail.hpp"
#include "timeline.hpp"

namespace iket::analysis {

enum class severity : std::uint8_t { info, warning, bottleneck };

/// One sentence with the figure that it is drawn from.
struct finding {
  analysis::severity severity = severity::info;
  std::string text;
  std::string stage;            ///< empty where it is about no single stage
  std::optional<double> value;  ///< a fraction or a count
};

/// Launches that are reported together. Counts are sums over the launches.
struct launch_report {
  std::string kernel;
  std::string file;
  bool is_of_several = false;  ///< files
  std::uint64_t count = 0;     ///< launches
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::optional<device> gpu;
  std::optional<index> gpu_number;            ///< in `report::devices`, where there are several
  std::uint64_t host_begin_ns = 0;            ///< of the first launch [ns since the Unix epoch]
  std::optional<double> host_begin_error_ns;  ///< none: that is when its tracer was handed out
  std::uint64_t launches_timed = 0;           ///< those of which a warp was traced: only they have a duration
  double duration_ps = 0;                     ///< first opening to last close, mean of the launches timed
  picoseconds shortest = 0;
  picoseconds longest = 0;
  std::uint64_t launches_event_timed = 0;  ///< between two CUDA events
  double event_duration_ps = 0;            ///< mean of those
  std::uint64_t ctas_traced = 0;
  std::uint64_t ctas_total = 0;
  std::uint32_t warps_per_cta = 0;
  std::optional<selection> selected;  ///< what was asked for; none where the launches differ
  std::string cta_selection;          ///< in words; empty for all
  std::string warp_selection;         ///< in words; empty for all
  std::uint64_t warps = 0;            ///< that made a recorder
  std::uint64_t warps_reserved = 0;   ///< that had memory for one
  std::uint64_t warps_missing = 0;    ///< that made a recorder, by the launch's facts, and are not in the file
  std::uint64_t warps_unclosed = 0;   ///< that never closed their recorder
  std::string first_unclosed;         ///< one of those: "CTA 0,0,0 warp 1"
  std::uint64_t warps_with_loss = 0;
  std::uint64_t written = 0;  ///< records
  std::uint64_t kept = 0;     ///< records
  std::uint64_t lost = 0;     ///< records
  std::uint64_t events = 0;   ///< among the kept records
  std::uint64_t unmatched = 0;
  std::uint64_t cut = 0;
  std::uint64_t open = 0;
  std::uint32_t records_per_warp = 0;  ///< the smallest of the launches
  std::uint64_t recorders_refused = 0;
  std::array<std::uint32_t, 3> refused_grid{};   ///< of one that was refused
  std::array<std::uint32_t, 3> refused_block{};  ///< of one that was refused
  std::uint64_t launches_compiled_out = 0;
  std::uint64_t launches_untraced = 0;  ///< of a run of iket-capture that traces none
  std::uint64_t launches_over_limit = 0;
  std::uint64_t launches_keep_first = 0;  ///< whose rings keep the first records
  std::uint64_t launches_checked = 0;     ///< of a checked build
  std::uint64_t launches_missed = 0;      ///< of replayable tracers whose regions were used up; not in `count`
  std::uint32_t regions = 0;              ///< of those tracers, the fewest; 0: there is none
  std::uint64_t warps_unplaced = 0;       ///< recorders that found no memory for that
  std::uint64_t launches_mixed = 0;       ///< that may have warps of other launches of their tracer
  std::uint64_t launches_running = 0;     ///< that had not ended when they were copied
  std::uint64_t launches_failed = 0;      ///< that had not ended when a kernel failed
  /// Where their warps stand, and those that never closed in others.
  std::vector<launch_standing> standing;
  std::uint64_t standing_left_out = 0;   ///< launches that are not in it for want of room, of those that had begun
  std::uint64_t launches_not_begun = 0;  ///< of those that had not ended
  std::uint64_t bytes_needed = 0;        ///< for one tracer, the largest
  std::uint64_t bytes_limit = 0;
  clock_summary clock;
  std::optional<tracing_overhead> overhead;  ///< none without a calibration
  double too_short_ps = 0;                   ///< what `too_short_events` events cost; 0 without a calibration
  launch_sequence sequence;
  std::vector<fault> faults;  ///< those of one kind and place in one
  std::uint64_t faults_dropped = 0;
  std::vector<stage_statistics> stages;
  std::vector<role_statistics> roles;
  related_statistics related;      ///< overlap, waits, pipelines
  std::string relations_left_out;  ///< why some of that or the critical path is not there; empty: it is
  std::vector<imbalance_statistics> imbalance;
  std::optional<tail_statistics> tail;  ///< none where no warp was traced
  analysis::critical_path critical_path;
  std::optional<plain_times> plain;                   ///< with a plain run beside the traced one; none without
  std::optional<counters::launch_counters> counters;  ///< of a profiler's pages; none without
  std::vector<finding> findings;

  /// Whether some of its figures are of a part of a launch.
  [[nodiscard]] bool is_partial() const noexcept { return launches_running != 0 || launches_failed != 0; }
};

struct report {
  std::string file;  ///< its name; their names, where there are several
  std::vector<file_device> files;
  std::vector<device> devices;
  std::vector<launch_report> launches;
  std::vector<std::string> warnings;               ///< about the file as a whole, one line each
  std::optional<slice_summary> slice;              ///< what was asked for and drawn; none before anything is written
  std::optional<analysis::comparison> comparison;  ///< with a baseline; none without
  std::vector<gate_result> gates;                  ///< what became of the gates asked for
};

struct report_options {
  analysis::scope scope = scope::cta;  ///< of overlap; where it is wider than a CTA, waits are related within clusters
};

[[nodiscard]] report make_report(const timeline& source, const report_options& options = {});

}  // namespace iket::analysis
