// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ring_tear.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ring_order.hpp"

namespace iket::analysis {
namespace {

struct placed_event {
  std::size_t record = 0;
  std::int64_t at = 0;        // cycles from the first one in memory
  std::uint32_t payload = 0;  // tags of the records behind it, mixed
};

/// Events by their places in a list: from one to another around the ring.
struct event_run {
  std::size_t first = 0;
  std::size_t newest = 0;
};

std::int64_t signed_step(std::uint32_t from, std::uint32_t to) { return static_cast<std::int32_t>(to - from); }

std::vector<placed_event> events_of(record_view ring) {
  std::vector<placed_event> events;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    if (!has_clock(kind_of(ring[i].tag))) continue;
    const std::int64_t at =
        events.empty() ? 0 : events.back().at + signed_step(ring[events.back().record].value, ring[i].value);
    events.push_back({i, at, 0});
  }
  for (placed_event& e : events)
    for (std::size_t i = 1; i < ring.size(); ++i) {
      const std::uint32_t tag = ring[(e.record + i) % ring.size()].tag;
      if (kind_of(tag) != record_kind::payload) break;
      e.payload = e.payload * 31 + tag;
    }
  return events;
}

std::size_t backward_steps(const std::vector<placed_event>& events) {
  std::size_t count = events.front().at < events.back().at;  // from the last to the first
  for (std::size_t i = 1; i < events.size(); ++i) count += events[i].at < events[i - 1].at;
  return count;
}

/// Of a ring in which the clock steps back more than once.
event_run run_behind_last_hole(const std::vector<placed_event>& events) {
  std::vector<std::size_t> by_time(events.size());
  for (std::size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](std::size_t a, std::size_t b) { return events[a].at < events[b].at; });
  std::size_t first = by_time.size() - 1;
  while (first != 0 && (by_time[first - 1] + 1) % events.size() == by_time[first]) --first;
  return {by_time[first], by_time.back()};
}

/// Of a ring whose events are in order from the first to the last in memory.
event_run run_behind_longest_step(const std::vector<placed_event>& events) {
  std::size_t behind = 0;
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < events.size(); ++i)
    if (events[i].at - events[i - 1].at > longest) {
      longest = events[i].at - events[i - 1].at;
      behind = i;
    }
  const bool is_long = longest * 2 >= events.back().at - longest;
  return {is_long ? behind : 0, events.size() - 1};
}

/// Of a ring in which the clock steps back once, between two events.
event_run run_behind_seam(const std::vector<placed_event>& events) {
  const auto newest = std::adjacent_find(events.begin(), events.end(),
                                         [](const placed_event& a, const placed_event& b) { return b.at < a.at; });
  const auto place = static_cast<std::size_t>(newest - events.begin());
  return {place + 1, place};
}

/// What most events of a site have behind them.
class usual_payload {
 public:
  void take(std::uint32_t payload, std::size_t count) {
    is_tied_ = count == count_ || (is_tied_ && count < count_);
    if (count <= count_) return;
    count_ = count;
    payload_ = payload;
  }
  [[nodiscard]] bool is(std::uint32_t payload) const { return !is_tied_ && payload == payload_; }

 private:
  std::size_t count_ = 0;
  std::uint32_t payload_ = 0;
  bool is_tied_ = false;
};

/// Where a payload stands behind an event that others of its site do not have, or none does where others have one,
/// records of two turns stand together.
void cut_at_odd_payload(record_view ring, const std::vector<placed_event>& events, event_run& run) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> counts;  // by tag and payload
  // The newest one's may not have been written yet.
  for (std::size_t i = 0; i < events.size(); ++i)
    if (i != run.newest) ++counts[{ring[events[i].record].tag, events[i].payload}];
  std::unordered_map<std::uint32_t, usual_payload> usual;  // by tag
  for (const auto& [which, count] : counts) usual[which.first].take(which.second, count);
  const auto is_odd = [&](const placed_event& e) {
    const std::uint32_t tag = ring[e.record].tag;
    if (kind_of(tag) == record_kind::range_end || kind_of(tag) == record_kind::pop) return e.payload != 0;
    return !usual.at(tag).is(e.payload);
  };
  for (std::size_t i = run.newest; i != run.first;) {
    i = (i + events.size() - 1) % events.size();
    if (!is_odd(events[i])) continue;
    run.first = (i + 1) % events.size();
    return;
  }
}

/// Whether the clock steps back once, over all that is around the ring, so that the first event follows the last one,
/// by no more than all other steps forward; and whether the close lies behind both.
bool steps_back_once_around(const std::vector<std::uint32_t>& clocks) {
  std::int64_t back = 0, before = 0, behind = 0;
  for (std::size_t i = 1; i + 1 < clocks.size(); ++i) {
    const std::int64_t step = signed_step(clocks[i - 1], clocks[i]);
    if (step < 0 && back != 0) return false;
    if (step < 0)
      back = -step;
    else
      (back == 0 ? before : behind) += step;
  }
  const std::int64_t around = back - before - behind;  // from the last event to the first
  const std::int64_t to_close = clocks.back() - clocks[clocks.size() - 2];
  return back != 0 && around >= 0 && around <= before + behind && around + before <= to_close;
}

}  // namespace

std::optional<ring_run> newest_run_of_torn(record_view ring) {
  const std::vector<placed_event> events = events_of(ring);
  if (events.size() < 2) return std::nullopt;
  // All the way around it is none.
  const std::int64_t last_step = signed_step(ring[events.back().record].value, ring[events.front().record].value);
  if (events.back().at + last_step != 0) return std::nullopt;
  const std::size_t steps = backward_steps(events);
  if (steps == 0) return std::nullopt;
  event_run run = steps > 1       ? run_behind_last_hole(events)
                  : last_step < 0 ? run_behind_longest_step(events)
                                  : run_behind_seam(events);
  cut_at_odd_payload(ring, events, run);
  if ((run.newest + 1) % events.size() == run.first) return std::nullopt;
  return ring_run{events[run.first].record, events[run.newest].record};
}

bool was_copied_before_close(const warp_header& header, record_view ring, std::size_t oldest) {
  if (header.open_sm != header.close_sm || header.close.cycles < header.open.cycles) return false;
  std::vector<std::uint32_t> clocks;  // of the events, and the close
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const record one = ring[(oldest + i) % ring.size()];
    if (has_clock(kind_of(one.tag))) clocks.push_back(one.value);
  }
  if (clocks.empty()) return false;
  clocks.push_back(static_cast<std::uint32_t>(header.close.cycles));
  std::uint64_t least = 0;
  for (std::size_t i = 1; i < clocks.size(); ++i) least += clocks[i] - clocks[i - 1];
  return least > header.close.cycles - header.open.cycles || steps_back_once_around(clocks);
}

}  // namespace iket::analysis
