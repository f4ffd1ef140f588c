// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <iket/version.hpp>

#include "chrome_lanes.hpp"
#include "chrome_names.hpp"
#include "chrome_payload.hpp"
#include "chrome_track.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {
namespace {

const char* name_of(stage_kind kind) { return kind == stage_kind::wait ? "wait" : "work"; }

class chrome_writer {
 public:
  chrome_writer(const timeline& source, byte_sink sink, const written_so_far& progress, const chrome_options& options)
      : source_(source), options_(options), out_(std::move(sink)), progress_(progress), scale_(scale_of(source)) {
    // Names repeat with every range: they are escaped once.
    for (const stage& one : source.stages) stage_names_.push_back(json_string(shown(one.name)));
    for (const point_name& one : source.points) point_names_.push_back(json_string(shown(one.name)));
    for (const source_location& one : source.sources)
      source_names_.push_back(json_string(one.file + ":" + std::to_string(one.line)));
  }

  chrome_trace_counts write() {
    out_.begin_object().key("displayTimeUnit").string("ns").line().key("traceEvents").begin_array();
    if (options_.group_by == track_grouping::sm)
      for (const lane_cta& one : lanes_of(source_, scale_)) write_on_lane(one);
    else
      for (std::size_t i = 0; i < source_.launches.size(); ++i) write_launch(i);
    out_.line().end_array();
    write_other_data();
    out_.end_object().finish();
    return counts_;
  }

 private:
  void write_launch(std::size_t number) {
    const warp_timeline* before = nullptr;
    for (const warp_timeline& warp : source_.launches[number].warps) {
      if (warp.left_out) continue;
      if (before == nullptr || before->cta_linear != warp.cta_linear) begin_cta(number, warp);
      before = &warp;
      write_warp(warp);
      count_warp();
    }
  }

  void begin_cta(std::size_t launch, const warp_timeline& first_warp) {
    pid_ = next_track_++;
    const index device = source_.launches[launch].device;
    name_process(cta_name(source_, launch, first_warp) + " " + sm_name(source_, device, first_warp.sm), pid_);
  }

  void write_warp(const warp_timeline& warp) {
    // Process and thread numbers come from one sequence: no thread has the number of a process, and none is 0.
    tid_ = next_track_++;
    name_thread(warp_name(source_, warp), tid_, warp.warp);
    write_events(warp);
  }

  void write_on_lane(const lane_cta& one) {
    const launch& of = source_.launches[one.launch];
    const warp_timeline& first = of.warps[one.first_warp];
    const auto [sm, is_new] = sms_.try_emplace({one.device, one.sm}, next_track_);
    pid_ = sm->second;
    if (is_new) {
      ++next_track_;
      name_process(sm_name(source_, one.device, one.sm), one.sm);
    }
    begin_lane_thread(one, none);
    begin_event('X', json_string(cta_name(source_, one.launch, first))).key("cat").string("cta");
    out_.key("ts").microseconds(one.begin_ns).key("dur").microseconds(one.end_ns - one.begin_ns);
    out_.key("args").begin_object().key("cluster_rank").integer(first.cluster_rank).end_object().end_object();
    lane_name_ = "lane " + std::to_string(one.lane) + " ";
    for (std::size_t i = 0; i < one.warp_count; ++i) {
      const warp_timeline& warp = of.warps[one.first_warp + i];
      lane_args_ = "\"cta\":" + json_string(place_text(first)) + ",\"launch\":" + std::to_string(one.launch + 1);
      if (warp.role != none) lane_args_ += ",\"role\":" + json_string(source_.roles.at(warp.role));
      begin_lane_thread(one, warp.warp);
      write_events(warp);
      count_warp();
    }
  }

  /// The thread of a lane for one warp of its CTAs, or for the CTAs themselves (`none`).
  void begin_lane_thread(const lane_cta& of, std::uint32_t warp) {
    const auto [thread, is_new] = lane_threads_.try_emplace({pid_, of.lane, warp}, next_track_);
    tid_ = thread->second;
    if (!is_new) return;
    ++next_track_;
    const std::string lane = "lane " + std::to_string(of.lane);
    // Lanes stand below each other: first the CTAs, then their warps.
    constexpr std::uint64_t lane_places = 2048;
    const std::uint64_t place = warp == none ? 0 : std::min<std::uint64_t>(warp + 1u, lane_places - 1);
    name_thread(warp == none ? lane : lane + " warp " + std::to_string(warp), tid_, of.lane * lane_places + place);
  }

  void name_process(const std::string& name, std::uint32_t sort_index) {
    begin_metadata("process_name").key("name").string(name).end_object().end_object();
    begin_metadata("process_sort_index").key("sort_index").integer(sort_index).end_object().end_object();
  }

  void name_thread(const std::string& name, std::uint32_t tid, std::uint64_t sort_index) {
    begin_metadata("thread_name", tid).key("name").string(name).end_object().end_object();
    begin_metadata("thread_sort_index", tid).key("sort_index").integer(sort_index).end_object().end_object();
  }

  void count_warp() {
    ++warps_written_;
    if (progress_) progress_(warps_written_);
  }

  void write_events(const warp_timeline& warp) {
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
    write_lane_args();
    write_payload(one.payload());
    write_source(one.source);
    out_.key("kind").string(one.counter ? "counter" : "mark").end_object().end_object();
  }

  /// Counter tracks belong to processes, so the name says the warp.
  void write_counter(const point& one, const warp_timeline& warp) {
    ++counts_.counters;
    const std::string name = std::string(shown(source_.points.at(one.name).name)) + " (" + lane_name_ + "warp " +
                             std::to_string(warp.warp) + ")";
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
    write_lane_args();
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

  void write_lane_args() {
    if (!lane_args_.empty()) out_.ready(lane_args_);
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
    if (!options_.slice_json.empty()) out_.key("slice").ready(options_.slice_json);
    std::uint64_t records_lost = 0;
    for (const launch& one : source_.launches)
      for (const warp_timeline& warp : one.warps) records_lost += warp.lost;
    out_.key("records_lost").integer(records_lost).end_object();
  }

  using lane_thread = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // process, lane, warp

  const timeline& source_;
  const chrome_options& options_;
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
  std::map<std::pair<index, std::uint32_t>, std::uint32_t> sms_;  // process by device and SM
  std::map<lane_thread, std::uint32_t> lane_threads_;             // thread
  std::string lane_args_;  // of the CTA that is written, as JSON; empty where CTAs are processes
  std::string lane_name_;  // likewise, in front of the warp's
};

}  // namespace

chrome_trace_counts write_chrome_trace(const timeline& source, byte_sink sink, const written_so_far& progress,
                                       const chrome_options& options) {
  return chrome_writer(source, std::move(sink), progress, options).write();
}

}  // namespace iket::analysis
