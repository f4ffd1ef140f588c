// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "statistics/critical_path.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "statistics/relations.hpp"
#include "statistics/warp_path.hpp"

namespace iket::analysis {
namespace {

using path_sums = std::map<std::pair<path_kind, index>, picosecond_sum>;

/// A traced CTA, and where it is found.
struct placed_cta {
  picoseconds open = 0;   ///< of its first warp
  picoseconds close = 0;  ///< of its last warp
  std::uint32_t linear = 0;
  std::uint32_t sm = 0;
  std::size_t unit = 0;
  std::uint32_t last_warp = 0;  ///< to close, in the unit; of several the lowest
};

/// The CTAs of a launch by the SM on which they ran.
class cta_order {
 public:
  explicit cta_order(const scope_units& units) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      std::uint32_t warp = 0;
      for (const cta_warps& cta : units[unit]) add(cta, unit, warp);
    }
    for (auto& [sm, ctas] : by_sm_)
      std::sort(ctas.begin(), ctas.end(), [](const placed_cta& a, const placed_cta& b) {
        return std::tie(a.close, b.linear) < std::tie(b.close, a.linear);
      });
  }

  /// The one with the last close of all; of several the lowest.
  [[nodiscard]] const placed_cta& last() const {
    const auto later = [](const auto& a, const auto& b) {
      return std::tie(a.second.back().close, b.second.back().linear) <
             std::tie(b.second.back().close, a.second.back().linear);
    };
    return std::max_element(by_sm_.begin(), by_sm_.end(), later)->second.back();
  }

  /// The CTA whose close let one start that opened at `open` on `sm`: that with the last close until then, of several
  /// the lowest, which opened earlier; null where its close is too long ago.
  [[nodiscard]] const placed_cta* before(std::uint32_t sm, picoseconds open) const {
    const std::vector<placed_cta>& ctas = by_sm_.at(sm);
    auto found = std::upper_bound(ctas.begin(), ctas.end(), open,
                                  [](picoseconds time, const placed_cta& cta) { return time < cta.close; });
    while (found != ctas.begin()) {
      --found;
      if (found->open < open) return open - found->close <= longest_cta_start ? &*found : nullptr;
    }
    return nullptr;
  }

 private:
  void add(const cta_warps& cta, std::size_t unit, std::uint32_t& warp) {
    placed_cta placed{cta.front().open, cta.front().close, cta.front().cta_linear, cta.front().sm, unit, warp};
    for (const warp_timeline& one : cta) {
      placed.open = std::min(placed.open, one.open);
      if (one.close > placed.close) {
        placed.close = one.close;
        placed.last_warp = warp;
      }
      ++warp;
    }
    by_sm_[placed.sm].push_back(placed);
  }

  std::unordered_map<std::uint32_t, std::vector<placed_cta>> by_sm_;  // by close
};

/// Walks one launch.
class path_walk {
 public:
  path_walk(const timeline& source, const launch& of, scope by, path_sums& sums)
      : source_(source),
        launch_(of),
        units_(of, neighbourhood(by)),
        order_(units_),
        finder_(activity_table{&source.stages}),
        sums_(sums) {}

  void run() {
    go_to(order_.last());
    while (time_ > (*relations_.warps)[warp_].warp->open || start_earlier()) step();
  }

 private:
  void go_to(const placed_cta& cta) {
    time_ = cta.close;
    warp_ = cta.last_warp;
    segments_ = nullptr;
    if (relations_.warps != nullptr && unit_ == cta.unit) return;
    unit_ = cta.unit;
    known_segments_.clear();
    relations_ = finder_.find(units_[unit_], uncertainty_between_sms(launch_), relation_finder::ignore);
    releases_.assign(relations_.releases.begin(), relations_.releases.end());
    std::sort(releases_.begin(), releases_.end(),
              [](const release& a, const release& b) { return std::tie(a.warp, a.wait) < std::tie(b.warp, b.wait); });
  }

  /// At a warp's opening: on with the CTA that let it start.
  /// @return false at the end of the walk
  bool start_earlier() {
    const std::uint32_t own = (*relations_.warps)[warp_].cta;
    const cta_warps& cta = units_[unit_][own];
    picoseconds open = cta.front().open;
    for (const warp_timeline& one : cta) open = std::min(open, one.open);
    const placed_cta* const before = order_.before(cta.front().sm, open);
    if (before == nullptr) {
      charge(path_kind::before, none, time_ - launch_.begin);
      return false;
    }
    charge(path_kind::cta_start, none, time_ - before->close);
    go_to(*before);
    return true;
  }

  void step() {
    if (time_ <= (*relations_.warps)[warp_].warp->open) return;
    const warp_segment& segment = segment_before();
    if (segment.lost) return stay(segment, path_kind::lost, none);
    if (segment.range == none) return stay(segment, path_kind::untracked, none);
    const range& in = (*relations_.warps)[warp_].warp->ranges[segment.range];
    if (source_.stages[in.stage].kind == stage_kind::work) return stay(segment, path_kind::work, in.stage);
    const release* const by = released(segment, in);
    if (by == nullptr) return stay(segment, path_kind::wait, in.stage);
    follow(*by);
  }

  void stay(const warp_segment& segment, path_kind kind, index stage) {
    charge(kind, stage, time_ - segment.begin);
    time_ = segment.begin;
    stood_ = false;
  }

  void follow(const release& by) {
    const picoseconds end = std::min(by.end, time_);
    charge(path_kind::latency, none, time_ - end);
    stood_ = end == time_ && !by.in_flight;
    time_ = end;
    if (by.in_flight) {
      charge(path_kind::in_flight, (*relations_.warps)[by.by_warp].warp->ranges[by.by_range].stage, end - by.begin);
      time_ = by.begin;
    }
    warp_ = by.by_warp;
    segments_ = nullptr;
  }

  /// What released the wait in which the path is, where it can be followed from here; else null.
  [[nodiscard]] const release* released(const warp_segment& segment, const range& wait) const {
    // After a step that took no time another one might lead back.
    if (stood_) return nullptr;
    const std::pair key(warp_, segment.range);
    const auto found =
        std::lower_bound(releases_.begin(), releases_.end(), key,
                         [](const release& one, const auto& of) { return std::pair(one.warp, one.wait) < of; });
    if (found == releases_.end() || std::pair(found->warp, found->wait) != key || found->by_range == none)
      return nullptr;
    const bool has_ended = found->end <= time_ || time_ == wait.end;
    return has_ended && found->end > segment.begin && found->begin < time_ ? &*found : nullptr;
  }

  /// The segment of the warp that ends at the time, or goes on over it.
  [[nodiscard]] const warp_segment& segment_before() {
    if (segments_ == nullptr) {
      // The path may change between two warps at each of their ranges.
      const auto [known, is_new] = known_segments_.try_emplace(warp_);
      if (is_new) known->second = path_.of(*(*relations_.warps)[warp_].warp, source_.stages);
      segments_ = &known->second;
    }
    return *std::lower_bound(segments_->begin(), segments_->end(), time_,
                             [](const warp_segment& one, picoseconds time) { return one.end < time; });
  }

  void charge(path_kind kind, index stage, picoseconds time) {
    if (time != 0) sums_[{kind, stage}] += time;
  }

  const timeline& source_;
  const launch& launch_;
  scope_units units_;
  cta_order order_;
  relation_finder finder_;
  path_sums& sums_;
  unit_relations relations_;
  std::vector<release> releases_;  // by warp and wait
  warp_path path_;
  std::unordered_map<std::uint32_t, std::vector<warp_segment>> known_segments_;  // of warps of the unit
  const std::vector<warp_segment>* segments_ = nullptr;                          // of the warp
  std::size_t unit_ = 0;
  std::uint32_t warp_ = 0;
  picoseconds time_ = 0;
  bool stood_ = false;
};

std::string name_of(const timeline& source, path_kind kind, index stage) {
  switch (kind) {
    case path_kind::work:
    case path_kind::wait:
      return source.stages[stage].name;
    case path_kind::in_flight:
      return activity_table{&source.stages}.name(activity_table{&source.stages}.in_flight(stage));
    case path_kind::latency:
      return "release latency";
    case path_kind::untracked:
      return "untracked";
    case path_kind::lost:
      return "lost records";
    case path_kind::cta_start:
      return "start of the next CTA";
    case path_kind::before:
      break;
  }
  return "before the first CTA";
}

}  // namespace

std::string_view path_kind_name(path_kind of) {
  constexpr std::array<std::string_view, 8> names{"work",      "wait", "in flight", "latency",
                                                  "untracked", "lost", "CTA start", "before"};
  return names[static_cast<std::size_t>(of)];
}

critical_path critical_path_of(const timeline& source, const launch_group& group, scope by) {
  critical_path result;
  path_sums sums;
  for (const launch* one : group) {
    if (one->warps.empty()) continue;
    ++result.launches;
    result.duration += one->end - one->begin;
    path_walk(source, *one, by, sums).run();
  }
  for (const auto& [key, time] : sums)
    result.shares.push_back({name_of(source, key.first, key.second), key.first, time});
  std::stable_sort(result.shares.begin(), result.shares.end(),
                   [](const path_share& a, const path_share& b) { return a.time > b.time; });
  return result;
}

}  // namespace iket::analysis
