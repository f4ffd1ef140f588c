// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The definitions, moment by moment and pair by pair: slow, and plain enough to be believed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "limits.hpp"
#include "random_launches.hpp"
#include "statistics/scope.hpp"

namespace iket::test::oracle {

/// The range of a warp.
struct place {
  const warp_timeline* warp = nullptr;
  std::size_t range = 0;

  [[nodiscard]] const analysis::range& operator*() const { return warp->ranges[range]; }
  [[nodiscard]] const analysis::range* operator->() const { return &warp->ranges[range]; }
  bool operator==(const place&) const = default;
};

/// A launch, looked at one tick at a time.
class moments {
 public:
  moments(const timeline& source, const launch& of) : source_(source), launch_(of) {}

  [[nodiscard]] const std::vector<warp_timeline>& warps() const { return launch_.warps; }
  [[nodiscard]] const launch& of() const { return launch_; }
  [[nodiscard]] const stage& stage_of(const place& one) const { return source_.stages[one->stage]; }
  [[nodiscard]] bool is_wait(const place& one) const { return stage_of(one).kind == stage_kind::wait; }
  [[nodiscard]] bool is_whole(const place& one) const { return one->state == range_state::whole; }

  [[nodiscard]] std::vector<place> ranges() const {
    std::vector<place> all;
    for (const warp_timeline& warp : launch_.warps)
      for (std::size_t i = 0; i < warp.ranges.size(); ++i) all.push_back({&warp, i});
    return all;
  }

  /// Whether all traced warps of the CTA are observed in the tick that begins at `time`.
  [[nodiscard]] bool is_observed(const warp_timeline& of, picoseconds time) const {
    for (const warp_timeline& warp : launch_.warps)
      if (warp.cta_linear == of.cta_linear && (time < warp.observed || time >= warp.unobserved)) return false;
    return true;
  }

  /// Whether the whole of [begin, end] is; also where that is a moment only.
  [[nodiscard]] bool is_observed(const warp_timeline& of, picoseconds begin, picoseconds end) const {
    for (const warp_timeline& warp : launch_.warps)
      if (warp.cta_linear == of.cta_linear && (begin < warp.observed || end > warp.unobserved)) return false;
    return true;
  }

  /// The innermost stack range of the tick that begins at `time`.
  [[nodiscard]] static std::optional<std::size_t> innermost(const warp_timeline& warp, picoseconds time) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < warp.ranges.size(); ++i) {
      const range& one = warp.ranges[i];
      if (one.token || time < one.begin || time >= one.end) continue;
      if (!found || one.depth >= warp.ranges[*found].depth) found = i;
    }
    return found;
  }

  /// Whether the tick that begins at `time` is of a range's self intervals.
  [[nodiscard]] static bool is_self(const place& one, picoseconds time) {
    if (one->token) return time >= one->begin && time < one->end;
    return innermost(*one.warp, time) == one.range;
  }

  /// Whether two warps are for the same: a warp without a role is like no other.
  [[nodiscard]] static bool is_of_team(const warp_timeline& a, const warp_timeline& b) {
    return &a == &b || (a.role != none && a.role == b.role);
  }

  [[nodiscard]] bool is_related(const warp_timeline& a, const warp_timeline& b, scope by) const {
    switch (by) {
      case scope::cta:
        return a.cta_linear == b.cta_linear;
      case scope::cluster:
        for (std::size_t i = 0; i < 3; ++i)
          if (a.cta[i] / launch_.cluster[i] != b.cta[i] / launch_.cluster[i]) return false;
        return true;
      case scope::sm:
        return sm_of(a) == sm_of(b);
      case scope::gpu:
        break;
    }
    return true;
  }

  /// That of the CTA's first warp.
  [[nodiscard]] std::uint32_t sm_of(const warp_timeline& of) const {
    for (const warp_timeline& warp : launch_.warps)
      if (warp.cta_linear == of.cta_linear) return warp.sm;
    return 0;
  }

  /// What a payload says, so that equal ones are the same item: integers of all types by value.
  [[nodiscard]] static std::string item_of(const payload& of) {
    switch (of.type) {
      case payload_type::i32:
        return "integer " + std::to_string(static_cast<std::int32_t>(of.bits));
      case payload_type::i64:
        return "integer " + std::to_string(static_cast<std::int64_t>(of.bits));
      case payload_type::u32:
      case payload_type::u64:
        return "integer " + std::to_string(of.bits);
      default:
        return std::to_string(static_cast<int>(of.type)) + ": " + std::to_string(of.bits);
    }
  }

  /// The item of a range with a payload, and the how-manieth time its warp has this stage of it: from the end where a
  /// warp of the CTA lacks its oldest records.
  [[nodiscard]] std::pair<std::string, int> item_and_round(const place& one) const {
    bool from_end = false;
    for (const warp_timeline& warp : launch_.warps)
      from_end = from_end || (warp.cta_linear == one.warp->cta_linear && warp.observed > warp.open);
    const std::string item = item_of(one->payload());
    int round = 0;
    for (std::size_t i = 0; i < one.warp->ranges.size(); ++i) {
      const range& other = one.warp->ranges[i];
      const bool counts = from_end ? i > one.range : i < one.range;
      if (counts && other.stage == one->stage && other.payload_type != payload_type::none &&
          item_of(other.payload()) == item)
        ++round;
    }
    return {item, round};
  }

 private:
  const timeline& source_;
  const launch& launch_;
};

/// Work in flight, and the wait that saw its end.
struct flight {
  place work;
  place wait;
  std::pair<std::string, int> item;

  [[nodiscard]] picoseconds begin() const { return work->end; }
  [[nodiscard]] picoseconds end() const { return wait->end; }
  [[nodiscard]] bool goes_on(picoseconds time) const { return time >= begin() && time < end(); }
};

/// Whether a wait's warp itself does the work for the item later on: it waits for what comes before the work.
inline bool goes_before_own_work(const moments& in, const place& wait, const place& work) {
  const auto item = in.item_and_round(wait);
  for (std::size_t i = 0; i < wait.warp->ranges.size(); ++i) {
    const place own{wait.warp, i};
    if (own->stage != work->stage || own->payload_type == payload_type::none || own->begin < wait->end) continue;
    if (in.item_and_round(own) == item) return true;
  }
  return false;
}

inline std::vector<flight> flights_of(const moments& in) {
  std::vector<std::pair<place, std::pair<std::string, int>>> items;
  for (const place& one : in.ranges())
    if (one->payload_type != payload_type::none) items.emplace_back(one, in.item_and_round(one));
  const auto order = [](const place& one) { return std::tuple(one->end, one.warp->warp, one->stage); };
  std::vector<flight> result;
  for (const auto& [work, item] : items) {
    if (in.is_wait(work) || !in.is_whole(work)) continue;
    std::optional<place> first;
    for (const auto& [wait, wait_item] : items) {
      if (!in.is_wait(wait) || !in.is_whole(wait) || wait.warp == work.warp || wait_item != item) continue;
      if (wait.warp->cta_linear != work.warp->cta_linear || wait->end <= work->end) continue;
      if (goes_before_own_work(in, wait, work)) continue;
      if (!first || order(wait) < order(*first)) first = wait;
    }
    if (first) result.push_back({work, *first, item});
  }
  return result;
}

/// A wait, and what released it.
struct release {
  place wait;
  std::optional<place> by;
  bool in_flight = false;
  picoseconds begin = 0;
  picoseconds end = 0;
  std::pair<std::string, int> item{};  // in flight
};

inline std::vector<release> releases_of(const moments& in, const std::vector<flight>& flights, scope by) {
  const scope near = by == scope::cta ? scope::cta : scope::cluster;
  std::vector<release> found;
  for (const place& one : in.ranges())
    if (!in.is_wait(one) && in.is_whole(one)) found.push_back({{}, one, false, one->begin, one->end, {}});
  for (const flight& one : flights) found.push_back({{}, one.work, true, one.begin(), one.end(), one.item});
  const auto flying_stages = [&](const place& wait) {
    std::set<std::size_t> stages;
    for (const flight& one : flights)
      if (one.work.warp->cta_linear == wait.warp->cta_linear && one.item == in.item_and_round(wait))
        stages.insert(one.work->stage);
    return stages.size();
  };
  const auto is_own = [&](const place& wait, const release& one) {
    if (!one.in_flight || wait->payload_type == payload_type::none) return false;
    if (flying_stages(wait) > limits::flying_stages_of_item) return false;
    return wait.warp->cta_linear == one.by->warp->cta_linear && in.item_and_round(wait) == one.item &&
           !goes_before_own_work(in, wait, *one.by);
  };
  const auto rank = [](const release& one) {
    const place& work = *one.by;
    return std::tuple(one.end, -std::int64_t{work.warp->cta_linear}, -std::int64_t{work.warp->warp}, one.begin,
                      !one.in_flight, -std::int64_t{work->stage}, -static_cast<std::int64_t>(work.range));
  };
  std::vector<release> result;
  for (const place& wait : in.ranges()) {
    if (!in.is_wait(wait) || !in.is_whole(wait) || wait->end - wait->begin <= 100'000) continue;
    if (!in.is_observed(*wait.warp, wait->begin, wait->end)) continue;
    std::optional<release> best, own;
    for (const release& one : found) {
      const warp_timeline& other = *one.by->warp;
      if (in.is_of_team(*wait.warp, other) || !in.is_related(*wait.warp, other, near)) continue;
      const double slack_ns = 50 + (other.sm != wait.warp->sm ? in.of().clock.uncertainty_ns : 0.0);
      if (static_cast<double>(one.end - wait->end) > 1000 * slack_ns) continue;
      if (!best || rank(*best) < rank(one)) best = one;
      if (is_own(wait, one) && (!own || rank(*own) < rank(one))) own = one;
    }
    if (own) best = own;
    if (best && best->end <= wait->begin) best.reset();
    release to = best.value_or(release{});
    to.wait = wait;
    result.push_back(to);
  }
  return result;
}

}  // namespace iket::test::oracle
