// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_events.hpp"

#include <algorithm>
#include <utility>

#include "chrome_names.hpp"
#include "chrome_payload.hpp"

namespace iket::analysis {
namespace {

const char* name_of(stage_kind kind) { return kind == stage_kind::wait ? "wait" : "work"; }

}  // namespace

chrome_events::chrome_events(const timeline& source, const trace_scale& scale, json_stream& out)
    : source_(source), scale_(scale), out_(out) {
  const activity_table activities{&source.stages};
  for (index i = 0; i < activities.size(); ++i) {
    const std::string name(shown(source.stages[activities.stage_of(i)].name));
    activity_names_.push_back(json_string(activities.is_in_flight(i) ? name + std::string(in_flight_suffix) : name));
  }
  for (const point_name& one : source.points) point_names_.push_back(json_string(shown(one.name)));
  for (const source_location& one : source.sources)
    source_names_.push_back(json_string(one.file + ":" + std::to_string(one.line)));
}

void chrome_events::name_process(chrome_thread at, const std::string& name, std::uint64_t sort_index) {
  begin_metadata(at, "process_name", false).key("name").string(name).end_object().end_object();
  begin_metadata(at, "process_sort_index", false).key("sort_index").integer(sort_index).end_object().end_object();
}

void chrome_events::name_thread(chrome_thread at, const std::string& name, std::uint64_t sort_index) {
  begin_metadata(at, "thread_name", true).key("name").string(name).end_object().end_object();
  begin_metadata(at, "thread_sort_index", true).key("sort_index").integer(sort_index).end_object().end_object();
}

void chrome_events::set_place(std::string args, std::string counter_prefix) {
  place_args_ = std::move(args);
  counter_prefix_ = std::move(counter_prefix);
}

void chrome_events::set_stage_counters(std::vector<std::string> texts) { stage_counters_ = std::move(texts); }

void chrome_events::write_launch(chrome_thread at, const launch& of, std::string_view args) {
  const std::uint64_t id = ++counts_.asyncs;
  const std::string name = json_string(shown(of.kernel));
  const std::int64_t begin_ns = scale_.nanoseconds(of.begin);
  const std::int64_t end_ns = std::max(begin_ns, scale_.nanoseconds(of.end));
  begin_event('b', at, name).key("cat").string("launch").key("id").integer(id).key("ts").microseconds(begin_ns);
  out_.key("args").ready(args).end_object();
  begin_event('e', at, name).key("cat").string("launch").key("id").integer(id).key("ts").microseconds(end_ns);
  out_.end_object();
}

void chrome_events::write_cta(chrome_thread at, const std::string& name, std::int64_t begin_ns, std::int64_t end_ns,
                              std::uint32_t cluster_rank) {
  begin_event('X', at, json_string(name)).key("cat").string("cta");
  out_.key("ts").microseconds(begin_ns).key("dur").microseconds(end_ns - begin_ns);
  out_.key("args").begin_object().key("cluster_rank").integer(cluster_rank).end_object().end_object();
}

void chrome_events::write_slice(chrome_thread at, const slice& place, const range& of) {
  ++counts_.slices;
  begin_range('X', at, of)
      .key("ts")
      .microseconds(place.begin_ns)
      .key("dur")
      .microseconds(place.end_ns - place.begin_ns);
  write_args(of);
  out_.end_object();
}

void chrome_events::write_async(chrome_thread at, const range& of, const warp_timeline& warp) {
  const std::uint64_t id = ++counts_.asyncs;
  const std::int64_t begin_ns = scale_.nanoseconds(of.begin);
  const std::int64_t end_ns = std::max(begin_ns, scale_.nanoseconds(of.end));
  begin_range('b', at, of).key("id").integer(id).key("ts").microseconds(begin_ns);
  write_args(of, &warp);
  out_.end_object();
  begin_range('e', at, of).key("id").integer(id).key("ts").microseconds(end_ns).end_object();
}

void chrome_events::write_lost(chrome_thread at, const warp_timeline& warp, std::int64_t begin_ns,
                               std::int64_t end_ns) {
  if (end_ns <= begin_ns) return;
  ++counts_.lost;
  begin_event('X', at, "\"(lost)\"").key("cat").string("lost").key("ts").microseconds(begin_ns);
  out_.key("dur").microseconds(end_ns - begin_ns).key("args").begin_object().key("records").integer(warp.lost);
  out_.end_object().end_object();
}

void chrome_events::write_mark(chrome_thread at, std::int64_t time_ns, const point& of) {
  ++counts_.instants;
  begin_event('i', at, point_names_.at(of.name)).key("s").string("t").key("ts").microseconds(time_ns);
  out_.key("args").begin_object();
  write_place_args();
  write_payload(of.payload());
  write_source(of.source);
  out_.key("kind").string(of.counter ? "counter" : "mark").end_object().end_object();
}

void chrome_events::write_counter(chrome_thread at, const point& of, const warp_timeline& warp) {
  ++counts_.counters;
  const std::string name = std::string(shown(source_.points.at(of.name).name)) + " (" + counter_prefix_ + "warp " +
                           std::to_string(warp.warp) + ")";
  begin_event('C', at, json_string(name)).key("ts").microseconds(scale_.nanoseconds(of.time));
  out_.key("args").begin_object().key("value");
  write_counter_value(out_, of.payload());
  out_.end_object().end_object();
}

void chrome_events::write_arrow(chrome_thread from, chrome_thread to, const drawn_arrow& of) {
  ++counts_.arrows;
  begin_arrow('s', from, of).key("ts").microseconds(of.from_ns).end_object();
  // Without "bp" it would bind to the next slice.
  begin_arrow('f', to, of).key("ts").microseconds(of.to_ns).key("bp").string("e").end_object();
}

json_stream& chrome_events::begin_metadata(chrome_thread at, std::string_view name, bool of_thread) {
  out_.line().begin_object().key("ph").string("M").key("pid").integer(at.process);
  if (of_thread) out_.key("tid").integer(at.thread);
  return out_.key("name").string(name).key("args").begin_object();
}

json_stream& chrome_events::begin_event(char phase, chrome_thread at, std::string_view ready_name) {
  out_.line().begin_object().key("ph").string({&phase, 1}).key("pid").integer(at.process);
  return out_.key("tid").integer(at.thread).key("name").ready(ready_name);
}

json_stream& chrome_events::begin_range(char phase, chrome_thread at, const range& of) {
  const char* const kind = name_of(source_.stages.at(of.stage).kind);
  return begin_event(phase, at, activity_names_.at(of.stage)).key("cat").string(kind);
}

json_stream& chrome_events::begin_arrow(char phase, chrome_thread at, const drawn_arrow& of) {
  begin_event(phase, at, activity_names_.at(of.activity)).key("cat");
  out_.string(of.kind == arrow_kind::in_flight ? "in flight" : "released by");
  return out_.key("id").integer(counts_.arrows);
}

void chrome_events::write_args(const range& of, const warp_timeline* token_of) {
  out_.key("args").begin_object();
  write_place_args();
  write_payload(of.payload());
  // Not known of one that goes on up to a snapshot.
  if (of.cycles != 0 || of.end == of.begin || of.state != range_state::open) out_.key("cycles").integer(of.cycles);
  write_source(of.source);
  out_.key("kind").string(name_of(source_.stages.at(of.stage).kind));
  if (token_of != nullptr) out_.key("warp").integer(token_of->warp);
  if (of.state == range_state::open) out_.key("state").string("open");
  if (of.state == range_state::unmatched) out_.key("state").string("unmatched");
  if (of.state == range_state::cut) out_.key("state").string("cut");
  if (of.stage < stage_counters_.size() && !stage_counters_[of.stage].empty())
    out_.key("counters").ready(stage_counters_[of.stage]);
  out_.end_object();
}

void chrome_events::write_place_args() {
  if (!place_args_.empty()) out_.ready(place_args_);
}

void chrome_events::write_payload(const payload& value) {
  if (value.type == payload_type::none) return;
  out_.key("payload");
  write_payload_value(out_, value);
  out_.key("payload_type").string(type_name(value.type));
}

void chrome_events::write_source(index source) {
  if (source != none) out_.key("source").ready(source_names_.at(source));
}

}  // namespace iket::analysis
