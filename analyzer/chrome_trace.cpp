// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <iket/version.hpp>

#include "chrome_payload.hpp"
#include "chrome_track.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {
namespace {

/// Viewers show nothing for an empty name.
std::string_view shown(std::string_view name) { return name.empty() ? "(unnamed)" : name; }

const char* name_of(stage_kind kind) { return kind == stage_kind::wait ? "wait" : "work"; }

std::string cta_name(const launch& of, const warp_timeline& first_warp, std::size_t launch_number,
                     bool several_launches, bool several_devices, bool several_files) {
  std::string name(shown(of.kernel));
  if (several_files) name += " in " + of.file;
  if (several_launches) name += " #" + std::to_string(launch_number);
  name += " CTA (" + std::to_string(first_warp.cta[0]) + "," + std::to_string(first_warp.cta[1]) + "," +
          std::to_string(first_warp.cta[2]) + ")";
  if (several_devices && of.device != none) name += " GPU " + std::to_string(of.device);
  return name + " SM " + std::to_string(first_warp.sm);
}

class chrome_writer {
 public:
  chrome_writer(const timeline& source, byte_sink sink, const written_so_far& progress)
      : source_(source), out_(std::move(sink)), progress_(progress), scale_(scale_of(source)) {
    // Names repeat with every range: they are escaped once.
    for (const stage& one : source.stages) stage_names_.push_back(json_string(shown(one.name)));
    for (const point_name& one : source.points) point_names_.push_back(json_string(shown(one.name)));
    for (const source_location& one : source.sources)
      source_names_.push_back(json_string(one.file + ":" + std::to_string(one.line)));
  }

  chrome_trace_counts write() {
    out_.begin_object().key("displayTimeUnit").string("ns").line().key("traceEvents").begin_array();
    for (std::size_t i = 0; i < source_.launches.size(); ++i) write_launch(source_.launches[i], i + 1);
    out_.line().end_array();
    write_other_data();
    out_.end_object().finish();
    return counts_;
  }

 private:
  void write_launch(const launch& one, std::size_t number) {
    const warp_timeline* before = nullptr;
    for (const warp_timeline& warp : one.warps) {
      if (before == nullptr || before->cta_linear != warp.cta_linear) begin_cta(one, warp, number);
      before = &warp;
      write_warp(warp);
      ++warps_written_;
      if (progress_) progress_(warps_written_);
    }
  }

  void begin_cta(const launch& one, const warp_timeline& first_warp, std::size_t number) {
    pid_ = next_track_++;
    const std::string name = cta_name(one, first_warp, number, source_.launches.size() > 1, source_.devices.size() > 1,
                                      has_several_files(source_));
    begin_metadata("process_name").key("name").string(name).end_object().end_object();
    begin_metadata("process_sort_index").key("sort_index").integer(pid_).end_object().end_object();
  }

  void write_warp(const warp_timeline& warp) {
    // Process and thread numbers come from one sequence: no thread has the number of a process, and none is 0.
    tid_ = next_track_++;
    std::string name = "warp " + std::to_string(warp.warp);
    if (warp.role != none) name += " " + source_.roles.at(warp.role);
    begin_metadata("thread_name", tid_).key("name").string(name).end_object().end_object();
    begin_metadata("thread_sort_index", tid_).key("sort_index").integer(warp.warp).end_object().end_object();

    const warp_track track = track_of(warp, scale_);
    counts_.too_deep += track.too_deep;
    write_lost(warp, track);
    for (const slice& one : track.ranges) write_slice(one, warp.ranges[one.place]);
    for (const slice& one : track.marks) write_mark(one, warp.points[one.place]);
    for (const range& one : warp.ranges)
      if (one.token) write_async(one, warp);
    for (const point& one : warp.points)
      if (!is_drawn_as_mark(one)) write_counter(one, warp);
  }

  /// Shows that the warp ran while nothing of it was kept, so that it does not look idle.
  void write_lost(const warp_timeline& warp, const warp_track& track) {
    if (warp.observed > warp.open) {
      std::int64_t end_ns = scale_.nanoseconds(warp.observed);
      if (!track.ranges.empty()) end_ns = std::min(end_ns, track.ranges.front().begin_ns);
      write_lost(warp, scale_.nanoseconds(warp.open), end_ns);
    }
    if (warp.unobserved < warp.close) {
      std::int64_t begin_ns = scale_.nanoseconds(warp.unobserved);
      // What begins at that very time would be drawn inside of it.
      for (const std::vector<slice>* slices : {&track.ranges, &track.marks})
        if (!slices->empty() && slices->back().begin_ns >= begin_ns)
          begin_ns = slices->back().begin_ns + static_cast<std::int64_t>(scale_.step_ns);
      write_lost(warp, begin_ns, scale_.nanoseconds(warp.close));
    }
  }

  void write_lost(const warp_timeline& warp, std::int64_t begin_ns, std::int64_t end_ns) {
    if (end_ns <= begin_ns) return;
    ++counts_.lost;
    begin_event('X', "\"(lost)\"").key("cat").string("lost").key("ts").microseconds(begin_ns);
    out_.key("dur").microseconds(end_ns - begin_ns).key("args").begin_object().key("records").integer(warp.lost);
    out_.end_object().end_object();
  }

  void write_slice(const slice& one, const range& of) {
    ++counts_.slices;
    begin_range('X', of).key("ts").microseconds(one.begin_ns).key("dur").microseconds(one.end_ns - one.begin_ns);
    write_args(of);
    out_.end_object();
  }

  void write_async(const range& of, const warp_timeline& warp) {
    const std::uint64_t id = ++counts_.asyncs;
    const std::int64_t begin_ns = scale_.nanoseconds(of.begin);
    const std::int64_t end_ns = std::max(begin_ns, scale_.nanoseconds(of.end));
    begin_range('b', of).key("id").integer(id).key("ts").microseconds(begin_ns);
    write_args(of, &warp);
    out_.end_object();
    begin_range('e', of).key("id").integer(id).key("ts").microseconds(end_ns).end_object();
  }

  void write_mark(const slice& at, const point& one) {
    ++counts_.instants;
    begin_event('i', point_names_.at(one.name)).key("s").string("t").key("ts").microseconds(at.begin_ns);
    out_.key("args").begin_object();
    write_payload(one.payload());
    write_source(one.source);
    out_.key("kind").string(one.counter ? "counter" : "mark").end_object().end_object();
  }

  /// Counter tracks belong to processes, so the name says the warp.
  void write_counter(const point& one, const warp_timeline& warp) {
    ++counts_.counters;
    const std::string name =
        std::string(shown(source_.points.at(one.name).name)) + " (warp " + std::to_string(warp.warp) + ")";
    begin_event('C', json_string(name)).key("ts").microseconds(scale_.nanoseconds(one.time));
    out_.key("args").begin_object().key("value");
    write_counter_value(out_, one.payload());
    out_.end_object().end_object();
  }

  json_stream& begin_metadata(std::string_view name, std::optional<std::uint32_t> tid = std::nullopt) {
    out_.line().begin_object().key("ph").string("M").key("pid").integer(pid_);
    if (tid) out_.key("tid").integer(*tid);
    return out_.key("name").string(name).key("args").begin_object();
  }

  json_stream& begin_event(char phase, std::string_view ready_name) {
    out_.line().begin_object().key("ph").string({&phase, 1}).key("pid").integer(pid_).key("tid").integer(tid_);
    return out_.key("name").ready(ready_name);
  }

  json_stream& begin_range(char phase, const range& of) {
    return begin_event(phase, stage_names_.at(of.stage)).key("cat").string(name_of(source_.stages.at(of.stage).kind));
  }

  void write_args(const range& of, const warp_timeline* token_of = nullptr) {
    out_.key("args").begin_object();
    write_payload(of.payload());
    out_.key("cycles").integer(of.cycles);
    write_source(of.source);
    out_.key("kind").string(name_of(source_.stages.at(of.stage).kind));
    if (token_of != nullptr) out_.key("warp").integer(token_of->warp);
    if (of.state == range_state::open) out_.key("state").string("open");
    if (of.state == range_state::unmatched) out_.key("state").string("unmatched");
    if (of.state == range_state::cut) out_.key("state").string("cut");
    out_.end_object();
  }

  void write_payload(const payload& value) {
    if (value.type == payload_type::none) return;
    out_.key("payload");
    write_payload_value(out_, value);
    out_.key("payload_type").string(type_name(value.type));
  }

  void write_source(index source) {
    if (source != none) out_.key("source").ready(source_names_.at(source));
  }

  void write_other_data() {
    out_.line().key("otherData").begin_object();
    out_.key("producer")
        .string("iket-analyze " + std::to_string(IKET_VERSION_MAJOR) + "." + std::to_string(IKET_VERSION_MINOR) + "." +
                std::to_string(IKET_VERSION_PATCH));
    out_.key("source").string(source_.file);
    out_.key("zero_ns").real(nanoseconds(scale_.zero));
    out_.key("resolution_ns").integer(scale_.step_ns);
    out_.key("left_out_too_deep").integer(counts_.too_deep);
    std::uint64_t records_lost = 0;
    for (const launch& one : source_.launches)
      for (const warp_timeline& warp : one.warps) records_lost += warp.lost;
    out_.key("records_lost").integer(records_lost).end_object();
  }

  const timeline& source_;
  json_stream out_;
  const written_so_far& progress_;
  trace_scale scale_;
  std::vector<std::string> stage_names_;  // as JSON, like those below
  std::vector<std::string> point_names_;
  std::vector<std::string> source_names_;
  chrome_trace_counts counts_;
  std::uint32_t next_track_ = 1;
  std::uint32_t pid_ = 0;
  std::uint32_t tid_ = 0;
  std::uint64_t warps_written_ = 0;
};

}  // namespace

chrome_trace_counts write_chrome_trace(const timeline& source, byte_sink sink, const written_so_far& progress) {
  return chrome_writer(source, std::move(sink), progress).write();
}

}  // namespace iket::analysis
