// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_unwinding.hpp"

#include <algorithm>

namespace iket::analysis {
namespace {

constexpr std::uint32_t half_wrap = 0x80000000u;

std::uint32_t low_half(std::uint64_t cycles) { return static_cast<std::uint32_t>(cycles); }

/// From one low half to the next. `either_way`: steps of 2^31 or more are steps back.
std::int64_t step_between(std::uint32_t from, std::uint32_t to, bool either_way) {
  const std::uint32_t step = to - from;
  return either_way ? std::int64_t{static_cast<std::int32_t>(step)} : std::int64_t{step};
}

/// Replaces the low halves by the distance from a pair: signed cycles, in two's complement. Returns the distance of
/// the event that is farthest from it in order.
std::int64_t distances_from(const clock_pair& pair, bool backward, bool either_way, std::span<event> events) {
  std::uint32_t low = low_half(pair.cycles);
  std::int64_t distance = 0;
  const auto place = [&](event& e) {
    const auto next = static_cast<std::uint32_t>(e.cycles);
    distance += backward ? -step_between(next, low, either_way) : step_between(low, next, either_way);
    low = next;
    e.cycles = static_cast<std::uint64_t>(distance);
  };
  if (backward)
    std::for_each(events.rbegin(), events.rend(), place);
  else
    std::for_each(events.begin(), events.end(), place);
  return distance;
}

/// Turns distances into cycles that never step back, and counts those that did.
std::uint64_t settle(const clock_pair& pair, std::span<event> events) {
  std::uint64_t backward_steps = 0;
  std::int64_t before = events.empty() ? 0 : static_cast<std::int64_t>(events.front().cycles);
  std::int64_t latest = before;
  for (event& e : events) {
    const auto distance = static_cast<std::int64_t>(e.cycles);
    if (distance < before) ++backward_steps;
    before = distance;
    latest = std::max(latest, distance);
    // No counter runs for 2^63 cycles; a file may say so.
    const std::uint64_t room = latest < 0 ? pair.cycles : ~pair.cycles;
    const std::uint64_t length =
        latest < 0 ? 0 - static_cast<std::uint64_t>(latest) : static_cast<std::uint64_t>(latest);
    e.cycles = latest < 0 ? pair.cycles - std::min(length, room) : pair.cycles + std::min(length, room);
  }
  return backward_steps;
}

std::uint64_t count_large_gaps(const clock_pair& open, std::span<const event> events) {
  std::uint64_t count = 0;
  std::uint32_t low = low_half(open.cycles);
  for (const event& e : events) {
    if (low_half(e.cycles) - low >= half_wrap) ++count;
    low = low_half(e.cycles);
  }
  return count;
}

}  // namespace

clock_doubts unwind_clocks(const warp_header& header, bool from_close, std::span<event> events) {
  clock_doubts doubts;
  const clock_pair& pair = from_close ? header.close : header.open;
  if (header.closed == 0) {
    doubts.unconfirmed_gaps = count_large_gaps(header.open, events);
    distances_from(pair, from_close, false, events);
    settle(pair, events);
    return doubts;
  }
  doubts.sm_changed = header.open_sm != header.close_sm;
  doubts.pairs_disagree = !doubts.sm_changed && header.close.cycles < header.open.cycles;
  if (events.empty()) return doubts;

  // Another counter may have been read from somewhere on, and that shows as a step in any direction.
  const bool unchecked = doubts.sm_changed || doubts.pairs_disagree;
  const std::uint32_t first_low = low_half(events.front().cycles);
  const std::uint32_t last_low = low_half(events.back().cycles);
  const auto span = header.close.cycles - header.open.cycles;
  std::int64_t reach = distances_from(pair, from_close, unchecked, events);
  if (!unchecked) {
    // The way from the event at the far end to the other pair, at least.
    const std::uint32_t rest =
        from_close ? first_low - low_half(header.open.cycles) : low_half(header.close.cycles) - last_low;
    const std::uint64_t needed = static_cast<std::uint64_t>(from_close ? -reach : reach) + (from_close ? 0 : rest);
    if (needed > span) {
      // More wraps than fit between the pairs: the clock went back somewhere.
      for (event& e : events) e.cycles = low_half(pair.cycles + e.cycles);
      distances_from(pair, from_close, true, events);
    } else if (!from_close) {
      doubts.missing_wraps = (span - needed) >> 32;
    }
  }
  doubts.backward_steps = settle(pair, events);
  return doubts;
}

}  // namespace iket::analysis
