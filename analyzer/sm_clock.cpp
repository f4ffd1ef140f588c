// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "sm_clock.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace iket::analysis {
namespace {

__extension__ using wide = __int128;

constexpr wide largest_time = wide{1} << 61;
constexpr std::int64_t least_slope = std::int64_t{1} << 32;  // 1 ps per cycle

picoseconds held(wide time) { return static_cast<picoseconds>(std::clamp(time, -largest_time, largest_time)); }

std::int64_t fixed_point(double picoseconds_per_cycle) {
  return std::max(least_slope,
                  static_cast<std::int64_t>(std::llround(std::ldexp(std::clamp(picoseconds_per_cycle, 1.0, 1e6), 32))));
}

/// How much the uncertainty has grown after `cycles`.
picoseconds grown(picoseconds from, double cycles, double growth) {
  return held(wide{from} + static_cast<picoseconds>(std::min(std::ceil(cycles * growth), 2e18)));
}

}  // namespace

clock_chain::clock_chain(std::uint64_t cycles, uncertain_time at, double picoseconds_per_cycle)
    : knots_{{cycles, held(at.at), fixed_point(picoseconds_per_cycle), at.uncertainty}} {}

void clock_chain::add(std::uint64_t cycles, uncertain_time at) {
  knot& last = knots_.back();
  const wide distance = static_cast<std::int64_t>(cycles - last.cycles);
  const wide rise = std::max(wide{at.at} - last.at, distance);
  // Rounded down, so that the line does not pass the knot that it leads to.
  last.slope = static_cast<std::int64_t>(std::clamp((rise << 32) / distance, wide{least_slope}, wide{1} << 62));
  knots_.push_back({cycles, held(last.at + rise), last.slope, at.uncertainty});
}

void clock_chain::extend(double growth_before, double growth_behind) {
  growth_before_ = growth_before;
  growth_behind_ = growth_behind;
}

void clock_chain::go_on_at(double picoseconds_per_cycle, double growth_behind) {
  knots_.back().slope = fixed_point(picoseconds_per_cycle);
  growth_behind_ = growth_behind;
}

std::uint64_t clock_chain::cycles_at(picoseconds time) const noexcept {
  const auto next = std::partition_point(knots_.begin() + 1, knots_.end(),
                                         [&](const knot& candidate) { return candidate.at <= time; });
  const knot& on = *std::prev(next);
  return on.cycles + static_cast<std::uint64_t>(static_cast<std::int64_t>(((wide{time} - on.at) << 32) / on.slope));
}

// Signed distances below: a counter may pass the end of 64 bits.

/// How many knots are at `cycles` or before.
std::size_t clock_chain::knots_until(std::uint64_t cycles) const noexcept {
  const auto next = std::partition_point(knots_.begin(), knots_.end(), [&](const knot& candidate) {
    return static_cast<std::int64_t>(cycles - candidate.cycles) >= 0;
  });
  return static_cast<std::size_t>(next - knots_.begin());
}

uncertain_time clock_chain::at(std::uint64_t cycles) const noexcept { return at_place(cycles, knots_until(cycles)); }

uncertain_time clock_chain::at(std::uint64_t cycles, std::size_t& place) const noexcept {
  const auto is_before = [&](const knot& of) { return static_cast<std::int64_t>(cycles - of.cycles) < 0; };
  const bool is_there = place <= knots_.size() && (place == 0 || !is_before(knots_[place - 1])) &&
                        (place == knots_.size() || is_before(knots_[place]));
  if (!is_there) place = knots_until(cycles);
  return at_place(cycles, place);
}

/// `place` knots are at `cycles` or before.
uncertain_time clock_chain::at_place(std::uint64_t cycles, std::size_t place) const noexcept {
  const auto distance = [&](const knot& from) { return static_cast<std::int64_t>(cycles - from.cycles); };
  const auto on_line = [&](const knot& from) { return held(((wide{distance(from)} * from.slope) >> 32) + from.at); };
  if (place == 0) {
    const knot& first = knots_.front();
    const auto before = -static_cast<double>(distance(first));
    return {on_line(first), grown(first.uncertainty, before, growth_before_)};
  }
  const knot& on = knots_[place - 1];
  const auto behind = static_cast<double>(distance(on));
  if (place == knots_.size()) return {on_line(on), grown(on.uncertainty, behind, growth_behind_)};
  const knot& next = knots_[place];
  const double part = std::clamp(behind / static_cast<double>(next.cycles - on.cycles), 0.0, 1.0);
  const auto rise = static_cast<double>(next.uncertainty - on.uncertainty);
  return {on_line(on), on.uncertainty + static_cast<picoseconds>(std::ceil(rise * part))};
}

}  // namespace iket::analysis
