// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "clock_unwinding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {
namespace {

constexpr std::uint32_t half_wrap = 0x80000000u;
constexpr std::int64_t wrap = std::int64_t{1} << 32;
constexpr std::uint32_t short_cycles = 1u << 24;
// No counter runs for so long, and sums of such distances fit into 64 bits; a file may say anything.
constexpr std::uint64_t longest_span = std::uint64_t{1} << 61;
constexpr double reading_cycles = 10'000;  // that a pair's time may be off by, with room: ticks of 1 us, late reads

std::uint32_t low_half(std::uint64_t cycles) { return static_cast<std::uint32_t>(cycles); }

/// From one low half to the next. `either_way`: steps of 2^31 or more are steps back.
std::int64_t step_between(std::uint32_t from, std::uint32_t to, bool either_way) {
  const std::uint32_t step = to - from;
  return either_way ? std::int64_t{static_cast<std::int32_t>(step)} : std::int64_t{step};
}

/// A signed distance from the base pair, as events carry it while they are unwound.
std::int64_t distance_of(const event& e) { return static_cast<std::int64_t>(e.cycles); }
void set_distance(event& e, std::int64_t distance) { e.cycles = static_cast<std::uint64_t>(distance); }

/// A whole clock at an event, or at a pair before the first one or behind the last one.
struct anchor {
  std::size_t place = 0;      // event + 1; 0 is the opening, the number of events + 1 the close
  std::int64_t distance = 0;  // from the base pair
};

class unwinding {
 public:
  unwinding(const warp_header& header, ring_losses lost, const cycle_rates& rates, std::span<event> events)
      : header_(header), lost_(lost), rates_(rates), events_(events), closed_(header.closed != 0) {
    doubts_.sm_changed = closed_ && header.open_sm != header.close_sm;
    doubts_.pairs_disagree =
        closed_ && !doubts_.sm_changed &&
        (header.close.cycles < header.open.cycles || header.close.cycles - header.open.cycles > longest_span);
    base_ = closed_ && lost.oldest ? header.close : header.open;
    span_ = closed_ ? static_cast<std::int64_t>(header.close.cycles - header.open.cycles) : 0;
  }

  clock_doubts unwind() {
    if (events_.empty()) return doubts_;
    for (const event& e : events_) lows_.push_back(low_half(e.cycles));
    // Another counter may have been read from somewhere on, and that shows as a step in any direction.
    if (doubts_.sm_changed || doubts_.pairs_disagree) {
      closed_&& lost_.oldest ? go_back({events_.size() + 1, 0}, true) : go_on({0, 0}, events_.size() + 1, true);
    } else {
      find_anchors();
      before_first();
      for (std::size_t i = 0; i + 1 < anchors_.size(); ++i) between(anchors_[i], anchors_[i + 1]);
      behind_last();
    }
    settle();
    return doubts_;
  }

 private:
  [[nodiscard]] std::uint32_t low_at(std::size_t place) const {
    if (place == 0) return low_half(header_.open.cycles);
    return place > events_.size() ? low_half(header_.close.cycles) : lows_[place - 1];
  }
  [[nodiscard]] std::int64_t open_distance() const {
    return static_cast<std::int64_t>(header_.open.cycles - base_.cycles);
  }

  /// Narrows `least` to `most` to what a pair says of a moment on the global timer.
  void narrow(const clock_pair& pair, std::uint64_t globaltimer_ns, double& least, double& most) const {
    if (rates_.most <= 0 || pair.globaltimer_ns == 0) return;
    const auto ns = signed_distance(pair.globaltimer_ns, globaltimer_ns);
    const auto from = signed_distance(base_.cycles, pair.cycles);
    least = std::max(least, from + ns * (ns > 0 ? rates_.least : rates_.most) - reading_cycles);
    most = std::min(most, from + ns * (ns > 0 ? rates_.most : rates_.least) + reading_cycles);
  }

  /// The only clock that a sync can have had.
  [[nodiscard]] std::optional<std::int64_t> locate(std::size_t place) const {
    const event& sync = events_[place - 1];
    double least = static_cast<double>(open_distance());
    double most = closed_ ? least + static_cast<double>(span_) : std::numeric_limits<double>::infinity();
    narrow(header_.open, sync.payload_bits, least, most);
    if (closed_) narrow(header_.close, sync.payload_bits, least, most);
    if (latest_sync_.globaltimer_ns != 0) narrow(latest_sync_, sync.payload_bits, least, most);
    if (!std::isfinite(most) || std::max(std::abs(least), std::abs(most)) > std::ldexp(1, 61)) return std::nullopt;
    const auto first = static_cast<std::int64_t>(std::ceil(least));
    const std::uint32_t low = low_half(base_.cycles + static_cast<std::uint64_t>(first));
    const std::int64_t found = first + step_between(low, low_at(place), false);
    const bool is_only_one = static_cast<double>(found) <= most && static_cast<double>(found + wrap) > most;
    return is_only_one ? std::optional(found) : std::nullopt;
  }

  void find_anchors() {
    if (!lost_.oldest) anchors_.push_back({0, 0});
    for (std::size_t place = 1; place <= events_.size(); ++place) {
      const event& e = events_[place - 1];
      if (e.kind != record_kind::sync || e.payload_type != payload_type::u64 || e.payload_bits == 0) continue;
      const std::optional<std::int64_t> found = locate(place);
      if (!found || (!anchors_.empty() && *found < anchors_.back().distance)) continue;
      anchors_.push_back({place, *found});
      events_[place - 1].is_pair = true;
      latest_sync_ = {base_.cycles + static_cast<std::uint64_t>(*found), e.payload_bits};
    }
    if (closed_ && !lost_.newest) anchors_.push_back({events_.size() + 1, span_ + open_distance()});
  }

  /// Forward from an anchor to the place before `end`. Returns the distance there.
  std::int64_t go_on(const anchor& from, std::size_t end, bool either_way) {
    std::int64_t distance = from.distance;
    for (std::size_t place = from.place + 1; place < end && place <= events_.size(); ++place) {
      distance += step_between(low_at(place - 1), low_at(place), either_way);
      set_distance(events_[place - 1], distance);
    }
    return distance;
  }

  /// Backward from an anchor to the first event. Returns the distance there.
  std::int64_t go_back(const anchor& from, bool either_way) {
    std::int64_t distance = from.distance;
    for (std::size_t place = from.place; place-- > 1;) {
      distance -= step_between(low_at(place), low_at(place + 1), either_way);
      set_distance(events_[place - 1], distance);
    }
    return distance;
  }

  void between(const anchor& from, const anchor& to) {
    if (to.place <= events_.size()) set_distance(events_[to.place - 1], to.distance);
    const std::size_t events = to.place - from.place - 1;
    const std::int64_t reached =
        go_on(from, to.place, false) + step_between(low_at(to.place - 1), low_at(to.place), false);
    if (reached > to.distance) {
      // More wraps than fit between the pairs: the clock went back somewhere.
      go_on(from, to.place, true);
    } else if (reached < to.distance && events != 0) {
      // Without events, the pairs themselves place the gap.
      if (const std::optional<std::size_t> behind = only_long_step(from.place, to.place)) {
        for (std::size_t place = *behind + 1; place < to.place; ++place)
          set_distance(events_[place - 1], distance_of(events_[place - 1]) + to.distance - reached);
        return;
      }
      doubts_.missing_wraps += static_cast<std::uint64_t>(to.distance - reached) >> 32;
      doubts_.ambiguous_events += events;
    }
  }

  /// The place behind which the only step of `short_cycles` or more lies, where all others together are shorter than
  /// that.
  [[nodiscard]] std::optional<std::size_t> only_long_step(std::size_t first, std::size_t last) const {
    std::optional<std::size_t> found;
    std::int64_t others = 0;
    for (std::size_t place = first; place < last; ++place) {
      const std::int64_t step = step_between(low_at(place), low_at(place + 1), false);
      if (step >= short_cycles && found) return std::nullopt;
      if (step >= short_cycles)
        found = place;
      else
        others += step;
    }
    return others < short_cycles ? found : std::nullopt;
  }

  void before_first() {
    if (!lost_.oldest) return;
    if (anchors_.empty()) anchors_.push_back({0, open_distance()});  // never closed: the least is taken
    if (anchors_.front().place == 0) return;
    if (anchors_.front().place <= events_.size())
      set_distance(events_[anchors_.front().place - 1], anchors_.front().distance);
    const std::int64_t first = go_back(anchors_.front(), false);
    const std::int64_t needed = step_between(low_at(0), low_at(1), false);
    const std::int64_t room = first - open_distance();
    if (room < needed)
      go_back(anchors_.front(), true);
    else
      doubts_.unseen_wraps = static_cast<std::uint64_t>(room - needed) >> 32;
  }

  void behind_last() {
    const anchor& last = anchors_.back();
    if (last.place > events_.size()) return;
    const std::int64_t reached = go_on(last, events_.size() + 1, false);
    if (!closed_) {
      for (std::size_t place = last.place + 1; place <= events_.size(); ++place)
        if (low_at(place) - low_at(place - 1) >= half_wrap) ++doubts_.unconfirmed_gaps;
      if (may_wrap_behind(last)) doubts_.unbounded_events += events_.size() - last.place;
      return;
    }
    const std::int64_t end = reached + step_between(low_at(events_.size()), low_at(events_.size() + 1), false);
    if (end > span_ + open_distance()) go_on(last, events_.size() + 1, true);
  }

  /// Whether the launch went on for a wrap of the clock and longer behind a pair: no later one tells what of that lies
  /// between the events.
  [[nodiscard]] bool may_wrap_behind(const anchor& last) const {
    const std::uint64_t pair_ns = last.place == 0 ? header_.open.globaltimer_ns : events_[last.place - 1].payload_bits;
    if (rates_.last_ns <= pair_ns || pair_ns == 0) return false;
    return static_cast<double>(rates_.last_ns - pair_ns) * rates_.most >= static_cast<double>(wrap);
  }

  /// Turns distances into cycles that never step back, and counts those that did.
  void settle() {
    std::int64_t before = distance_of(events_.front());
    std::int64_t latest = before;
    if (!lost_.oldest && !doubts_.sm_changed && before < open_distance()) ++doubts_.backward_steps;
    for (event& e : events_) {
      const std::int64_t distance = distance_of(e);
      if (distance < before) ++doubts_.backward_steps;
      before = distance;
      latest = std::max(latest, distance);
      // No counter runs for 2^63 cycles; a file may say so.
      const std::uint64_t room = latest < 0 ? base_.cycles : ~base_.cycles;
      const std::uint64_t length =
          latest < 0 ? 0 - static_cast<std::uint64_t>(latest) : static_cast<std::uint64_t>(latest);
      e.cycles = latest < 0 ? base_.cycles - std::min(length, room) : base_.cycles + std::min(length, room);
    }
  }

  const warp_header& header_;
  ring_losses lost_;
  cycle_rates rates_;
  std::span<event> events_;
  bool closed_;
  clock_pair base_{};
  std::int64_t span_ = 0;  // from the opening to the close
  std::vector<std::uint32_t> lows_;
  std::vector<anchor> anchors_;
  clock_pair latest_sync_{};  // of those that are pairs
  clock_doubts doubts_;
};

}  // namespace

clock_doubts unwind_clocks(const warp_header& header, ring_losses lost, const cycle_rates& rates,
                           std::span<event> events) {
  return unwinding(header, lost, rates, events).unwind();
}

}  // namespace iket::analysis
