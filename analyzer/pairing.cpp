// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pairing.hpp"

namespace iket::analysis {
namespace {

/// From one count to a later one.
std::uint32_t steps_between(std::uint32_t from, std::uint32_t to) {
  return (to - from) % static_cast<std::uint32_t>(count_modulus);
}

}  // namespace

void range_pairing::pair(const decoded_ring& ring, std::size_t site_count) {
  ring_ = &ring;
  ranges_.clear();
  orphans_.clear();
  stack_.clear();
  ++warp_;
  if (scoped_.size() < site_count) scoped_.resize(site_count);
  const auto count = static_cast<index>(ring.events.size());
  for (index i = 0; i < count; ++i) {
    switch (ring.events[i].kind) {
      case record_kind::range_begin:
      case record_kind::push:
        begin(i, false);
        break;
      case record_kind::token_begin:
        begin(i, true);
        break;
      case record_kind::range_end:
        end_scoped(i);
        break;
      case record_kind::pop:
        end_pushed(i);
        break;
      case record_kind::token_end:
        end_token(i);
        break;
      default:
        break;
    }
  }
  if (!ring.may_lack_newest()) return;
  for (paired_range& range : ranges_)
    if (range.state == range_state::open) range.state = range_state::cut;
}

range_pairing::begins& range_pairing::begins_of(index event) {
  const iket::analysis::event& e = ring_->events[event];
  begins& of = e.kind == record_kind::push || e.kind == record_kind::pop ? pushed_ : scoped_[e.site];
  if (of.warp != warp_) of = {.warp = warp_};
  return of;
}

void range_pairing::begin(index event, bool token) {
  const auto number = static_cast<index>(ranges_.size());
  if (token) {
    ranges_.push_back({.begin = event, .token = true});
    const std::size_t place = steps_between(ring_->first_count, ring_->events[event].count);
    if (token_at_.size() <= place) token_at_.resize(place + 1, none);
    token_at_[place] = number;
    return;
  }
  ranges_.push_back({.begin = event,
                     .parent = stack_.empty() ? none : stack_.back(),
                     .depth = static_cast<std::uint32_t>(stack_.size())});
  stack_.push_back(number);
  ++begins_of(event).open;
}

void range_pairing::skip_top(index event) {
  paired_range& skipped = ranges_[stack_.back()];
  skipped.end = event;
  skipped.state = range_state::unmatched;
  begins& of = begins_of(skipped.begin);
  --of.open;
  ++of.skipped;
  stack_.pop_back();
}

void range_pairing::end_lost(index event, begins& of) {
  const bool was_skipped = of.skipped != 0;
  if (was_skipped) --of.skipped;
  const bool cut = !was_skipped && ring_->may_lack_oldest();
  orphans_.push_back({event, cut});
  if (cut)
    while (!stack_.empty()) skip_top(event);
}

void range_pairing::close_top(index event) {
  paired_range& closed = ranges_[stack_.back()];
  closed.end = event;
  closed.state = range_state::whole;
  --begins_of(closed.begin).open;
  stack_.pop_back();
}

// What these two take off the stack was put on it once: together they are linear in the events.

void range_pairing::end_scoped(index event) {
  begins& of = begins_of(event);
  if (of.open == 0) return end_lost(event, of);
  const std::uint32_t site = ring_->events[event].site;
  for (;; skip_top(event)) {
    const iket::analysis::event& begin = ring_->events[ranges_[stack_.back()].begin];
    if (begin.kind == record_kind::range_begin && begin.site == site) break;
  }
  close_top(event);
}

void range_pairing::end_pushed(index event) {
  begins& of = begins_of(event);
  if (of.open == 0) return end_lost(event, of);
  while (ring_->events[ranges_[stack_.back()].begin].kind != record_kind::push) skip_top(event);
  close_top(event);
}

void range_pairing::end_token(index event) {
  const iket::analysis::event& e = ring_->events[event];
  const auto count = static_cast<std::uint32_t>(e.payload_bits);
  const bool counted = e.payload_type != payload_type::none;
  // The table may hold the numbers of earlier warps' ranges: what it names has to be the token that began at `count`.
  const std::size_t place = steps_between(ring_->first_count, count);
  const index number = counted && place < token_at_.size() ? token_at_[place] : none;
  const bool known = number < ranges_.size() && ranges_[number].token &&
                     steps_between(ring_->events[ranges_[number].begin].count, count) == 0;
  if (known && ranges_[number].state == range_state::open) {
    ranges_[number].end = event;
    ranges_[number].state = range_state::whole;
    return;
  }
  // Counts before the oldest record are those of lost ones.
  const std::uint32_t age = steps_between(count, e.count);
  const bool lost = ring_->may_lack_oldest() && (!counted || age > steps_between(ring_->first_count, e.count));
  orphans_.push_back({event, lost});
}

}  // namespace iket::analysis
