// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The single events of a Chrome trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chrome_arrows.hpp"
#include "chrome_trace.hpp"
#include "chrome_track.hpp"
#include "json_stream.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Where an event is put: numbers from one sequence, so that no thread has the number of a process, and none is 0.
struct chrome_thread {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
};

/// Writes events into `traceEvents`, and counts them. Each call is one event or a pair.
class chrome_events {
 public:
  /// Both references must live longer than this.
  chrome_events(const timeline& source, const trace_scale& scale, json_stream& out);

  void name_process(chrome_thread at, const std::string& name, std::uint64_t sort_index);
  void name_thread(chrome_thread at, const std::string& name, std::uint64_t sort_index);

  /// From here on, `args` begin with this JSON, and counters' names with `counter_prefix`.
  void set_place(std::string args, std::string counter_prefix);

  /// From here on, `args` of ranges have what these texts say of their stages: JSON strings, by stage of the timeline;
  /// empty ones say nothing.
  void set_stage_counters(std::vector<std::string> texts);

  /// A launch, with `args`, a JSON object.
  void write_launch(chrome_thread at, const launch& of, std::string_view args);

  void write_cta(chrome_thread at, const std::string& name, std::int64_t begin_ns, std::int64_t end_ns,
                 std::uint32_t cluster_rank);
  void write_slice(chrome_thread at, const slice& place, const range& of);
  /// A token range.
  void write_async(chrome_thread at, const range& of, const warp_timeline& warp);
  /// Nothing where no time is left.
  void write_lost(chrome_thread at, const warp_timeline& warp, std::int64_t begin_ns, std::int64_t end_ns);
  void write_mark(chrome_thread at, std::int64_t time_ns, const point& of);
  /// Counter tracks belong to processes, so the name says the warp.
  void write_counter(chrome_thread at, const point& of, const warp_timeline& warp);
  void write_arrow(chrome_thread from, chrome_thread to, const drawn_arrow& of);

  [[nodiscard]] const chrome_trace_counts& counts() const { return counts_; }

 private:
  json_stream& begin_metadata(chrome_thread at, std::string_view name, bool of_thread);
  json_stream& begin_event(char phase, chrome_thread at, std::string_view ready_name);
  json_stream& begin_range(char phase, chrome_thread at, const range& of);
  json_stream& begin_arrow(char phase, chrome_thread at, const drawn_arrow& of);
  void write_args(const range& of, const warp_timeline* token_of = nullptr);
  void write_place_args();
  void write_payload(const payload& value);
  void write_source(index source);

  const timeline& source_;
  trace_scale scale_;
  json_stream& out_;
  // Names repeat with every event: they are escaped once.
  std::vector<std::string> activity_names_;  // stages, then those in flight
  std::vector<std::string> point_names_;
  std::vector<std::string> source_names_;
  std::vector<std::string> stage_counters_;
  std::string place_args_;
  std::string counter_prefix_;
  chrome_trace_counts counts_;
};

}  // namespace iket::analysis
