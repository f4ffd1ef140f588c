// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chrome_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <iket/version.hpp>

#include "chrome_arrows.hpp"
#include "chrome_events.hpp"
#include "chrome_lanes.hpp"
#include "chrome_names.hpp"
#include "chrome_track.hpp"
#include "counters/counters_json.hpp"
#include "picosecond_sum.hpp"

namespace iket::analysis {
namespace {

class chrome_writer {
 public:
  chrome_writer(const timeline& source, byte_sink sink, const written_so_far& progress, const chrome_options& options)
      : source_(source),
        options_(options),
        out_(std::move(sink)),
        progress_(progress),
        scale_(scale_of(source)),
        events_(source, scale_, out_) {
    for (const launch& one : source.launches) threads_.emplace_back(one.warps.size());
  }

  chrome_trace_counts write() {
    out_.begin_object().key("displayTimeUnit").string("ns").line().key("traceEvents").begin_array();
    write_counted_launches();
    if (options_.group_by == track_grouping::sm)
      for (const lane_cta& one : lanes_of(source_, scale_)) write_on_lane(one);
    else
      for (std::size_t i = 0; i < source_.launches.size(); ++i) write_launch(i);
    write_arrows();
    out_.line().end_array();
    const chrome_trace_counts counts = all_counts();
    write_other_data(counts);
    out_.end_object().finish();
    return counts;
  }

 private:
  [[nodiscard]] const counters::launch_counters* counters_of(std::size_t launch) const {
    return launch < options_.counters.size() ? options_.counters[launch] : nullptr;
  }

  /// Those that have hardware counters and of which any warp is drawn, on a track of their own.
  void write_counted_launches() {
    for (std::size_t i = 0; i < source_.launches.size(); ++i) {
      const counters::launch_counters* const counters = counters_of(i);
      const launch& one = source_.launches[i];
      const auto is_left_out = [](const warp_timeline& warp) { return warp.left_out; };
      if (counters == nullptr || one.left_out || std::all_of(one.warps.begin(), one.warps.end(), is_left_out)) continue;
      if (at_.process == 0) {
        at_ = {next_track_, next_track_ + 1};
        next_track_ += 2;
        events_.name_process(at_, "launches", 0);
        events_.name_thread(at_, "hardware counters", 0);
      }
      events_.write_launch(at_, one, counters::launch_args(*counters));
    }
  }

  /// What is said of the stages of a launch, which its warps' ranges have.
  void set_counters(std::size_t launch) {
    if (options_.counters.empty() || counted_launch_ == launch) return;
    counted_launch_ = launch;
    const counters::launch_counters* const counters = counters_of(launch);
    std::vector<std::string> texts(source_.stages.size());
    for (std::size_t i = 0; counters != nullptr && i < texts.size(); ++i)
      if (const auto* const stage = counters->find(source_.stages[i].name, source_.stages[i].kind))
        if (const std::string text = counters::stage_text(*counters, *stage); !text.empty())
          texts[i] = json_string(text);
    events_.set_stage_counters(std::move(texts));
  }

  void write_launch(std::size_t number) {
    if (source_.launches[number].left_out) return;
    const warp_timeline* before = nullptr;
    for (const warp_timeline& warp : source_.launches[number].warps) {
      if (warp.left_out) continue;
      if (before == nullptr || before->cta_linear != warp.cta_linear) begin_cta(number, warp);
      before = &warp;
      at_.thread = next_track_++;
      events_.name_thread(at_, warp_name(source_, warp), warp.warp);
      write_warp(number, warp);
    }
  }

  void begin_cta(std::size_t launch, const warp_timeline& first_warp) {
    at_.process = next_track_++;
    const index device = source_.launches[launch].device;
    const std::string name = cta_name(source_, launch, first_warp) + " " + sm_name(source_, device, first_warp.sm);
    events_.name_process(at_, name, at_.process);
  }

  void write_on_lane(const lane_cta& one) {
    const launch& of = source_.launches[one.launch];
    const warp_timeline& first = of.warps[one.first_warp];
    const auto [sm, is_new] = sms_.try_emplace({one.device, one.sm}, next_track_);
    at_.process = sm->second;
    if (is_new) {
      ++next_track_;
      events_.name_process(at_, sm_name(source_, one.device, one.sm), one.sm);
    }
    begin_lane_thread(one, none);
    events_.write_cta(at_, cta_name(source_, one.launch, first), one.begin_ns, one.end_ns, first.cluster_rank);
    for (std::size_t i = 0; i < one.warp_count; ++i) {
      const warp_timeline& warp = of.warps[one.first_warp + i];
      if (warp.left_out) continue;
      std::string args = "\"cta\":" + json_string(place_text(first)) + ",\"launch\":" + std::to_string(one.launch + 1);
      if (warp.role != none) args += ",\"role\":" + json_string(source_.roles.at(warp.role));
      events_.set_place(std::move(args), "lane " + std::to_string(one.lane) + " ");
      begin_lane_thread(one, warp.warp);
      write_warp(one.launch, warp);
    }
  }

  /// The thread of a lane for one warp of its CTAs, or for the CTAs themselves (`none`).
  void begin_lane_thread(const lane_cta& of, std::uint32_t warp) {
    const auto [thread, is_new] = lane_threads_.try_emplace({at_.process, of.lane, warp}, next_track_);
    at_.thread = thread->second;
    if (!is_new) return;
    ++next_track_;
    const std::string lane = "lane " + std::to_string(of.lane);
    // Lanes stand below each other: first the CTAs, then their warps.
    constexpr std::uint64_t lane_places = 2048;
    const std::uint64_t place = warp == none ? 0 : std::min<std::uint64_t>(warp + 1u, lane_places - 1);
    events_.name_thread(at_, warp == none ? lane : lane + " warp " + std::to_string(warp),
                        of.lane * lane_places + place);
  }

  void write_warp(std::size_t launch, const warp_timeline& warp) {
    set_counters(launch);
    threads_[launch][static_cast<std::size_t>(&warp - source_.launches[launch].warps.data())] = at_;
    const warp_track track = track_of(warp, scale_);
    too_deep_ += track.too_deep;
    write_lost(warp, track);
    for (const slice& one : track.ranges) events_.write_slice(at_, one, warp.ranges[one.place]);
    for (const slice& one : track.marks) events_.write_mark(at_, one.begin_ns, warp.points[one.place]);
    for (const range& one : warp.ranges)
      if (one.token && !one.left_out) events_.write_async(at_, one, warp);
    for (const point& one : warp.points)
      if (!one.left_out && !is_drawn_as_mark(one)) events_.write_counter(at_, one, warp);
    ++warps_written_;
    if (progress_) progress_(warps_written_);
  }

  /// Shows that the warp ran while nothing of it was kept, so that it does not look idle.
  void write_lost(const warp_timeline& warp, const warp_track& track) {
    if (warp.observed > warp.open) {
      std::int64_t end_ns = scale_.nanoseconds(warp.observed);
      if (!track.ranges.empty()) end_ns = std::min(end_ns, track.ranges.front().begin_ns);
      events_.write_lost(at_, warp, scale_.nanoseconds(warp.open), end_ns);
    }
    if (warp.unobserved < warp.close) {
      std::int64_t begin_ns = scale_.nanoseconds(warp.unobserved);
      // What begins at that very time would be drawn inside of it.
      for (const std::vector<slice>* slices : {&track.ranges, &track.marks})
        if (!slices->empty() && slices->back().begin_ns >= begin_ns)
          begin_ns = slices->back().begin_ns + static_cast<std::int64_t>(scale_.step_ns);
      events_.write_lost(at_, warp, begin_ns, scale_.nanoseconds(warp.close));
    }
  }

  void write_arrows() {
    arrow_finder arrows(source_, scale_, options_.scope);
    for (std::size_t i = 0; i < source_.launches.size(); ++i) {
      if (source_.launches[i].left_out) continue;
      const std::vector<chrome_thread>& threads = threads_[i];
      no_arrow_ += arrows.find(source_.launches[i], [&](const drawn_arrow& one) {
        events_.write_arrow(threads[one.from_warp], threads[one.to_warp], one);
      });
    }
  }

  [[nodiscard]] chrome_trace_counts all_counts() const {
    chrome_trace_counts counts = events_.counts();
    counts.too_deep = too_deep_;
    counts.no_arrow = no_arrow_;
    return counts;
  }

  void write_other_data(const chrome_trace_counts& counts) {
    out_.line().key("otherData").begin_object();
    out_.key("producer")
        .string("iket-analyze " + std::to_string(IKET_VERSION_MAJOR) + "." + std::to_string(IKET_VERSION_MINOR) + "." +
                std::to_string(IKET_VERSION_PATCH));
    out_.key("source").string(source_.file);
    out_.key("zero_ns").real(nanoseconds(scale_.zero));
    out_.key("resolution_ns").integer(scale_.step_ns);
    out_.key("left_out_too_deep").integer(counts.too_deep);
    out_.key("left_out_arrows").integer(counts.no_arrow);
    if (!options_.slice_json.empty()) out_.key("slice").ready(options_.slice_json);
    std::uint64_t records_lost = 0;
    for (const launch& one : source_.launches)
      for (const warp_timeline& warp : one.warps) records_lost += one.left_out ? 0 : warp.lost;
    out_.key("records_lost").integer(records_lost).end_object();
  }

  using lane_thread = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // process, lane, warp

  const timeline& source_;
  const chrome_options& options_;
  json_stream out_;
  const written_so_far& progress_;
  trace_scale scale_;
  chrome_events events_;
  chrome_thread at_;  // of the warp that is written
  std::uint32_t next_track_ = 1;
  std::size_t counted_launch_ = ~std::size_t{0};  // whose stages' counters ranges have now
  std::uint64_t warps_written_ = 0;
  std::uint64_t too_deep_ = 0;
  std::uint64_t no_arrow_ = 0;
  std::map<std::pair<index, std::uint32_t>, std::uint32_t> sms_;  // process by device and SM
  std::map<lane_thread, std::uint32_t> lane_threads_;             // thread
  std::vector<std::vector<chrome_thread>> threads_;               // by launch and warp
};

}  // namespace

chrome_trace_counts write_chrome_trace(const timeline& source, byte_sink sink, const written_so_far& progress,
                                       const chrome_options& options) {
  return chrome_writer(source, std::move(sink), progress, options).write();
}

}  // namespace iket::analysis
