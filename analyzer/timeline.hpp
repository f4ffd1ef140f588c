// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The model between decoding and output: what every traced warp did, on one time line. Decoding fills it, statistics
/// and writers read it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <iket/record.hpp>
#include <iket/trace_file.hpp>

#include "selection.hpp"
#include "time_doubts.hpp"

namespace iket::analysis {

/// A time or a duration [ps]. Zero is the opening of the first warp of the file's first launch.
using picoseconds = std::int64_t;

/// Index of a table that a member refers to; `none` where there is nothing to refer to.
using index = std::uint32_t;
inline constexpr index none = 0xFFFFFFFFu;

struct source_location {
  std::string file;
  std::uint32_t line = 0;
  bool operator==(const source_location&) const = default;
  auto operator<=>(const source_location&) const = default;
};

enum class stage_kind : std::uint8_t { work, wait };

/// All ranges of one (name, kind).
struct stage {
  std::string name;
  stage_kind kind = stage_kind::work;
  std::vector<source_location> sources;  ///< every site of the stage, sorted, each once
};

/// The name of marks or counters; they share no table with stages.
struct point_name {
  std::string name;
  std::vector<source_location> sources;
};

struct payload {
  payload_type type = payload_type::none;
  std::uint64_t bits = 0;  ///< as recorded: two's complement or IEEE bits, 32-bit values in the low half
};

/// What became of a range. Only `whole` ranges have a duration.
enum class range_state : std::uint8_t {
  whole,      ///< begin and end were recorded
  open,       ///< no end: still open when its warp closed or was drained; `end` is that moment
  unmatched,  ///< a begin that an outer end skipped over (misuse); `end` is that outer end
  cut,        ///< its end was lost with all behind the last kept record; `end` is that record
};

/// One range of one warp. Traces have millions: members are as small as what they hold.
struct range {
  picoseconds begin = 0;
  picoseconds end = 0;             ///< never before `begin`
  picoseconds self = 0;            ///< span less the stack ranges directly nested in it; the span for tokens
  std::uint64_t cycles = 0;        ///< exact SM cycles from begin to end
  std::uint64_t payload_bits = 0;  ///< of its begin, see `payload()`
  index stage = none;              ///< in `timeline::stages`
  index source = none;             ///< of its begin, in `timeline::sources`
  std::uint32_t inside = 0;        ///< kept events of its warp between its begin and its end
  std::uint32_t depth : 24 = 0;    ///< stack ranges around it, `most_depth` for more; 0 for tokens
  bool left_out : 1 = false;       ///< not to be drawn; it counts in all statistics
  bool token : 1 = false;          ///< may overlap the others; no part of the warp's stack
  range_state state : 2 = range_state::whole;
  iket::payload_type payload_type : 4 = iket::payload_type::none;

  static constexpr std::uint32_t most_depth = (1u << 24) - 1;

  [[nodiscard]] analysis::payload payload() const noexcept { return {payload_type, payload_bits}; }
  void set_payload(const analysis::payload& value) noexcept {
    payload_type = value.type;
    payload_bits = value.bits;
  }
};
static_assert(sizeof(range) == 56, "28 bytes a record, where ranges have no payload");

/// One point: a mark, or a sample of a counter (its value is the payload).
struct point {
  picoseconds time = 0;
  std::uint64_t payload_bits = 0;
  index name = none;    ///< in `timeline::points`
  index source = none;  ///< in `timeline::sources`
  iket::payload_type payload_type = iket::payload_type::none;
  bool counter = false;
  bool left_out = false;  ///< not to be drawn

  [[nodiscard]] analysis::payload payload() const noexcept { return {payload_type, payload_bits}; }
  void set_payload(const analysis::payload& value) noexcept {
    payload_type = value.type;
    payload_bits = value.bits;
  }
};
static_assert(sizeof(point) == 32, "a mark is one record");

/// Events of a warp that make no whole range, for one stage (or `none`: a pop, whose stage nobody knows).
struct odd_events {
  index stage = none;
  std::uint64_t unmatched = 0;  ///< begins skipped over, ends whose begin was never recorded
  std::uint64_t cut = 0;        ///< ends whose begin was lost, begins whose end was lost
  std::uint64_t open = 0;       ///< ranges still open at the end
};

struct warp_timeline {
  std::array<std::uint32_t, 3> cta{};  ///< blockIdx
  std::uint32_t cta_linear = 0;        ///< (z * grid.y + y) * grid.x + x
  std::uint32_t warp = 0;              ///< warp in CTA
  std::uint32_t sm = 0;                ///< %smid at the opening
  std::uint32_t cluster_rank = 0;
  index role = none;            ///< in `timeline::roles`
  picoseconds open = 0;         ///< its recorder was made
  picoseconds observed = 0;     ///< first kept record, or `open` where nothing was lost before it
  picoseconds unobserved = 0;   ///< last kept record, or `close` where nothing was lost behind it
  picoseconds close = 0;        ///< closed; where it never was, its last record, or the snapshot if that is later
  picoseconds last_event = 0;   ///< its last kept event; `open` where there is none
  std::uint64_t cycles = 0;     ///< exact SM cycles from `observed` to `unobserved`
  bool closed = false;          ///< false: the kernel trapped, hung, or left the recorder in a dead lane
  bool lacks_newest = false;    ///< its ring was full and keeps the first records: what came behind is lost
  bool lacks_oldest = false;    ///< its ring keeps the newest records, and may have lost some before them
  time_doubts doubts;           ///< where it never closed
  std::uint64_t written = 0;    ///< records
  std::uint64_t kept = 0;       ///< records
  std::uint64_t lost = 0;       ///< records
  std::uint64_t events = 0;     ///< events among the kept records (payload records are no events)
  std::vector<range> ranges;    ///< by begin, outer before inner; the stack ranges nest
  std::vector<point> points;    ///< by time
  std::vector<odd_events> odd;  ///< one per stage at most
  bool left_out = false;        ///< not to be drawn; it counts in all statistics
};

/// What a session measured on a device when it was made; 0: it did not.
struct calibration {
  double event_cycles = 0;        ///< cost of an event among arithmetic [SM cycles]
  double event_burst_cycles = 0;  ///< cost of an event that follows another directly [SM cycles]
  double timer_tick_ns = 0;       ///< step of the global timer [ns]
  double sm_clock_ghz = 0;        ///< [cycles per ns], GPU else idle
};

/// How a device's time was tied to the host's clock, which is CLOCK_MONOTONIC.
struct host_clock {
  std::uint64_t zero_ns = 0;            ///< the host's clock at the time line's zero
  std::int64_t realtime_offset_ns = 0;  ///< from the host's clock to the time since the Unix epoch, at about zero
  double drift_ppm = 0;                 ///< by how much the host's clock is faster
  double drift_error_ppm = 0;           ///< how far from that it may be
  double error_ns = 0;                  ///< how far off the host's times of the device's launches may be, at most
  std::size_t left_out = 0;             ///< readings that contradict the others
  std::string boot_id;                  ///< files with the same one share the host's clock; empty where unknown
};

struct device {
  std::string name;
  std::string uuid;  ///< "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
  std::uint32_t sm_count = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
  std::optional<analysis::calibration> calibration;
  std::optional<analysis::host_clock> host_clock = std::nullopt;
  std::uint64_t timer_zero_ns = 0;               ///< its global timer at the time line's zero [ns]
  picoseconds timer_zero_rest_ps = 0;            ///< and what is left of a nanosecond
  std::optional<double> alignment_error_ns = 0;  ///< where several files are one: how far its times may be off from
                                                 ///< those of device 0; none where nobody knows
};

/// How SM clocks were put on the time line, for one launch.
struct clock_summary {
  double sm_ghz = 0;                 ///< mean rate over its warps [cycles per ns]
  double tick_ns = 0;                ///< step of the global timer, as the pairs show it; 0 where they do not
  double uncertainty_ns = 0;         ///< how far the time of an event may be off, the largest of all events [ns]
  double uncertainty_median_ns = 0;  ///< the median
  bool rate_assumed = false;         ///< too few pairs for a rate: the driver's rated clock was used
  /// SMs that share a counter, of all launches near in time, which share the list; null: no warps
  std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> domains;
};

/// When a launch was looked at that had not ended.
struct snapshot {
  picoseconds time = 0;  ///< what was recorded before that is in the file
  double error_ns = 0;   ///< how far off that may be
};

class clock_accuracy;

/// Misuse that a checked build found: all of one kind at one site.
struct fault {
  file::fault_kind kind{};  ///< or one that a newer version has
  std::uint64_t count = 0;
  std::string site;                    ///< its name; empty: of no site
  source_location source;              ///< empty where unknown
  std::array<std::uint32_t, 3> cta{};  ///< of the first
  std::uint32_t warp = 0;              ///< of the first
};

/// A stage's site in the code of a launch.
struct code_site {
  std::uint32_t bits = 0;  ///< what tags carry for it (iket/record.hpp)
  std::string stage;
  stage_kind kind = stage_kind::work;
  source_location source;
};

/// What was asked for is in `selection`.
struct launch : selection {
  std::string kernel;   ///< the name given to `session::trace`
  std::string file;     ///< in which it is
  index device = none;  ///< in `timeline::devices`
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint64_t ctas_total = 0;
  std::uint64_t ctas_traced = 0;  ///< CTAs that had memory
  std::uint32_t warps_per_cta = 0;
  std::uint32_t records_per_warp = 0;
  std::uint64_t warps_opened = 0;       ///< traced warps that made a recorder
  std::uint64_t recorders_refused = 0;  ///< made under another grid or block than announced
  std::array<std::uint32_t, 3> refused_grid{};
  std::array<std::uint32_t, 3> refused_block{};
  bool compiled_out = false;
  bool untraced = false;    ///< noted, and not traced, in a run of iket-capture
  bool over_limit = false;  ///< the memory limit held fewer CTAs than were asked for
  bool keep_first = false;  ///< rings, some at least, keep the first records: those behind are the lost ones
  bool checked = false;     ///< a checked build ran: its times are not to be trusted
  std::uint64_t bytes_needed = 0;
  std::uint64_t bytes_limit = 0;
  std::uint64_t host_time_ns = 0;   ///< when its tracer was handed out [ns since the Unix epoch]
  std::uint64_t host_begin_ns = 0;  ///< when it began, likewise; where that is unknown, the same as `host_time_ns`
  std::optional<double> host_begin_error_ns;  ///< how far off; none where its begin is unknown
  std::uint32_t replay = 0;          ///< of a replayable tracer: which launch since the drain before, from 1; else 0
  std::uint32_t regions = 0;         ///< launches for which a replayable tracer has memory; else 0
  std::uint64_t replays_missed = 0;  ///< launches of the tracer behind this one, before the drain, that were not traced
  std::uint64_t warps_unplaced = 0;  ///< recorders that found no memory, of all launches of the tracer before the drain
  bool replays_mixed = false;        ///< warps of other launches of its tracer may be among its own
  bool running = false;              ///< it had not ended when it was copied
  bool failed = false;               ///< a kernel of the program, perhaps this one, failed before it ended
  std::optional<analysis::snapshot> snapshot;  ///< of one that was running; none where nobody knows when that was
  std::uint64_t event_time_ns = 0;             ///< between two CUDA events around it; 0: not timed
  picoseconds begin = 0;                       ///< first opening
  picoseconds end = 0;                         ///< last close, or the snapshot
  clock_summary clock;
  std::shared_ptr<const clock_accuracy>
      accuracy;  ///< tells the uncertainty of a time (clock_accuracy.hpp); may be null
  /// The sites of the stages of the module that it ran, by their bits; null where no warp tells which module that is.
  /// Launches of one module share them.
  std::shared_ptr<const std::vector<code_site>> code_sites;
  std::vector<warp_timeline> warps;  ///< by (cta_linear, warp)
  std::vector<fault> faults;         ///< as the device noted them
  std::uint64_t faults_dropped = 0;  ///< at further places, for which the device had no room
  bool left_out = false;             ///< not asked for: neither reported nor drawn
};

/// A device as one file has it.
struct file_device {
  std::string file;
  index device = none;                                            ///< in `timeline::devices`
  std::optional<analysis::host_clock> host_clock = std::nullopt;  ///< by this file, at the zero of its own line
};

/// One file, decoded; or several, as `merge_timelines` puts them together.
struct timeline {
  std::string file;  ///< its name; their names, where there are several
  std::vector<device> devices;
  std::vector<stage> stages;
  std::vector<point_name> points;
  std::vector<std::string> roles;
  std::vector<source_location> sources;  ///< of sites
  std::vector<launch> launches;          ///< in the order in which their tracers were handed out
  std::vector<file_device> files;        ///< which devices are in which file; in the order of the files
  std::vector<std::string> warnings;     ///< one line each: what was missing, damaged, ambiguous
};

/// Whether `merge_timelines` made it.
[[nodiscard]] inline bool has_several_files(const timeline& of) {
  return !of.files.empty() && of.files.front().file != of.file;
}

}  // namespace iket::analysis
