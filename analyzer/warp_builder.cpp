// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "warp_builder.hpp"

#include <algorithm>
#include <utility>

namespace iket::analysis {
namespace {

payload payload_of(const event& e) { return {e.payload_type, e.payload_bits}; }

}  // namespace

void warp_builder::begin(const warp_context& context) {
  context_ = context;
  uncertainties_ = {};
}

std::optional<warp_timeline> warp_builder::build(const warp_header& header, record_view records, ring_layout layout) {
  decode_ring(header, records, layout, context_.rates, ring_);
  number_sites(header);
  pairing_.pair(ring_, context_.sites->size());

  warp_timeline warp;
  std::copy_n(header.cta, 3, warp.cta.begin());
  warp.warp = header.warp;
  warp.sm = header.open_sm;
  warp.cluster_rank = header.cluster_rank;
  if (header.role != 0) warp.role = context_.sites->role_of(site_number(header, site_bits_of(header.role)));
  warp.closed = ring_.closed;
  warp.lacks_newest = ring_.may_lack_newest();
  warp.lacks_oldest = ring_.may_lack_oldest();
  warp.written = ring_.written;
  warp.kept = ring_.kept;
  warp.lost = ring_.lost;
  warp.events = ring_.events.size();
  place_in_time(header, warp);
  add_ranges(warp);
  add_points(warp);
  add_orphans(warp);
  if (context_.sites->take_lacking()) return std::nullopt;
  for (const picoseconds uncertainty : unsure_) uncertainties_.add(uncertainty);
  return warp;
}

std::uint32_t warp_builder::site_number(const warp_header& header, std::uint32_t site_bits) {
  return context_.sites->number_of(iket::detail::site_address(header.anchor, header.flags, site_bits));
}

void warp_builder::number_sites(const warp_header& header) {
  for (event& e : ring_.events) e.site = has_site(e.kind) ? site_number(header, e.site_bits) : 0;
}

picoseconds warp_builder::placed(const uncertain_time& time) {
  unsure_.push_back(time.uncertainty);
  return time.at - context_.zero;
}

void warp_builder::place_in_time(const warp_header& header, warp_timeline& warp) {
  const sm_clock clock = context_.clocks->of(ring_.clock_sm);
  times_.clear();
  unsure_.clear();
  std::size_t place = 0;
  for (const event& e : ring_.events) {
    const picoseconds time = placed(clock.at(e.cycles, place));
    // A file may say that 2^63 cycles lie between two events: no clock is known to go forward over that.
    times_.push_back(times_.empty() ? time : std::max(time, times_.back()));
  }

  // A header that never arrived in memory has no time, and tells nothing of the others'.
  const sm_clock opening = context_.clocks->of(header.open_sm);
  warp.open = header.open.globaltimer_ns != 0 ? placed(opening.at(header.open.cycles))
                                              : opening.time(header.open.cycles) - context_.zero;
  // A warp that moved between SMs, or whose clock stepped back, may seem to have recorded before it opened.
  if (!times_.empty()) warp.open = std::min(warp.open, times_.front());
  warp.close = times_.empty() ? warp.open : times_.back();
  warp.last_event = warp.close;
  if (ring_.closed)
    warp.close = std::max(warp.close, placed(context_.clocks->of(header.close_sm).at(header.close.cycles)));
  warp.observed = warp.open;
  if (ring_.may_lack_oldest()) warp.observed = times_.empty() ? warp.close : times_.front();
  warp.unobserved = warp.close;
  if (ring_.may_lack_newest()) warp.unobserved = times_.empty() ? warp.open : times_.back();
  count_cycles(header, warp);
  if (!ring_.closed) note_doubts(warp);
}

void warp_builder::note_doubts(warp_timeline& warp) const {
  constexpr double longest = 0x1p61;  // a file may say anything
  time_doubts& to = warp.doubts;
  to.no_pair = ring_.doubts.unanchored;
  to.first_pair = to.last_pair = warp.open;
  bool has_pair = !ring_.may_lack_oldest();
  for (std::size_t i = 0; i < ring_.events.size(); ++i) {
    if (!ring_.events[i].is_pair) continue;
    to.last_pair = times_[i];
    if (!std::exchange(has_pair, true)) to.first_pair = times_[i];
  }
  to.later_between = ring_.doubts.ambiguous_events != 0;
  to.later_behind = ring_.doubts.unbounded_events != 0;
  if (ring_.doubts.unseen_wraps == 0) return;
  const double wrap_ps = 0x1p32 * 1000 / context_.clocks->sm_ghz();
  to.earlier = static_cast<picoseconds>(std::min(static_cast<double>(ring_.doubts.unseen_wraps) * wrap_ps, longest));
}

void warp_builder::count_cycles(const warp_header& header, warp_timeline& warp) {
  std::uint64_t first = header.open.cycles;
  last_cycles_ = first;
  if (!ring_.events.empty()) {
    last_cycles_ = ring_.events.back().cycles;
    // The clock at the opening may be another SM's.
    if (ring_.may_lack_oldest() || ring_.events.front().cycles < first) first = ring_.events.front().cycles;
  } else if (ring_.may_lack_oldest()) {
    first = header.close.cycles;
  }
  if (ring_.closed && !ring_.may_lack_newest() && !ring_.doubts.sm_changed)
    last_cycles_ = std::max<std::uint64_t>(last_cycles_, header.close.cycles);
  warp.cycles = last_cycles_ - std::min(first, last_cycles_);
}

void warp_builder::add_ranges(warp_timeline& warp) {
  const auto event_count = static_cast<index>(ring_.events.size());
  warp.ranges.reserve(pairing_.ranges().size());
  for (const paired_range& from : pairing_.ranges()) {
    const event& begin = ring_.events[from.begin];
    // Not a local one: its bit fields would be put together in the vector, where the first touch of a page would be a
    // read, and the write behind it a second page fault that stops all threads.
    range& to = next_range_;
    to = range();
    to.begin = times_[from.begin];
    to.end = from.end == none ? warp.unobserved : times_[from.end];
    to.self = to.end - to.begin;
    to.cycles = (from.end == none ? last_cycles_ : ring_.events[from.end].cycles) - begin.cycles;
    to.set_payload(payload_of(begin));
    to.stage = context_.sites->stage_of(begin.site);
    to.source = context_.sites->source_of(begin.site);
    to.depth = std::min(from.depth, range::most_depth) & range::most_depth;
    to.inside = (from.end == none ? event_count : from.end) - from.begin - 1;
    to.token = from.token;
    to.state = from.state;
    if (from.parent != none) warp.ranges[from.parent].self -= to.self;
    if (from.state == range_state::open) ++odd_of(warp, to.stage).open;
    if (from.state == range_state::unmatched) ++odd_of(warp, to.stage).unmatched;
    if (from.state == range_state::cut) ++odd_of(warp, to.stage).cut;
    warp.ranges.push_back(to);
  }
}

void warp_builder::add_points(warp_timeline& warp) {
  const auto is_point = [](const event& e) { return e.kind == record_kind::mark || e.kind == record_kind::counter; };
  warp.points.reserve(static_cast<std::size_t>(std::count_if(ring_.events.begin(), ring_.events.end(), is_point)));
  for (std::size_t i = 0; i < ring_.events.size(); ++i) {
    const event& e = ring_.events[i];
    if (!is_point(e)) continue;
    point to;
    to.time = times_[i];
    to.set_payload(payload_of(e));
    to.name = context_.sites->point_of(e.site);
    to.source = context_.sites->source_of(e.site);
    to.counter = e.kind == record_kind::counter;
    warp.points.push_back(to);
  }
}

void warp_builder::add_orphans(warp_timeline& warp) {
  for (const orphan_end& orphan : pairing_.orphans()) {
    const std::uint32_t site = ring_.events[orphan.event].site;
    odd_events& odd = odd_of(warp, site == 0 ? none : context_.sites->stage_of(site));
    ++(orphan.cut ? odd.cut : odd.unmatched);
  }
}

odd_events& warp_builder::odd_of(warp_timeline& warp, index stage) {
  const std::size_t slot = std::size_t{stage} == none ? 0 : std::size_t{stage} + 1;
  if (odd_at_.size() <= slot) odd_at_.resize(slot + 1, none);
  const index at = odd_at_[slot];
  if (at < warp.odd.size() && warp.odd[at].stage == stage) return warp.odd[at];
  odd_at_[slot] = static_cast<index>(warp.odd.size());
  return warp.odd.emplace_back(odd_events{.stage = stage});
}

}  // namespace iket::analysis
