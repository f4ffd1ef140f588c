// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "warp_builder.hpp"

#include <algorithm>

namespace iket::analysis {
namespace {

payload payload_of(const event& e) { return {e.payload_type, e.payload_bits}; }

}  // namespace

warp_timeline warp_builder::build(const warp_header& header, record_view records, ring_layout layout) {
  decode_ring(header, records, layout, rates_, ring_);
  number_sites(header);
  pairing_.pair(ring_, sites_.size());

  warp_timeline warp;
  std::copy_n(header.cta, 3, warp.cta.begin());
  warp.warp = header.warp;
  warp.sm = header.open_sm;
  warp.cluster_rank = header.cluster_rank;
  if (header.role != 0) warp.role = sites_.role_of(site_number(header, site_bits_of(header.role)));
  warp.closed = ring_.closed;
  warp.written = ring_.written;
  warp.kept = ring_.kept;
  warp.lost = ring_.lost;
  warp.events = ring_.events.size();
  place_in_time(header, warp);
  add_ranges(warp);
  add_points(warp);
  add_orphans(warp);
  return warp;
}

std::uint32_t warp_builder::site_number(const warp_header& header, std::uint32_t site_bits) {
  return sites_.number_of(iket::detail::site_address(header.anchor, header.flags, site_bits));
}

void warp_builder::number_sites(const warp_header& header) {
  for (event& e : ring_.events) e.site = has_site(e.kind) ? site_number(header, e.site_bits) : 0;
}

picoseconds warp_builder::time_of(const sm_clock& clock, std::uint64_t cycles) {
  const uncertain_time time = clock.at(cycles);
  uncertainties_.add(time.uncertainty);
  return time.at - zero_;
}

void warp_builder::place_in_time(const warp_header& header, warp_timeline& warp) {
  const sm_clock clock = clocks_.of(ring_.clock_sm);
  times_.clear();
  for (const event& e : ring_.events) times_.push_back(time_of(clock, e.cycles));

  // A header that never arrived in memory has no time, and tells nothing of the others'.
  const sm_clock opening = clocks_.of(header.open_sm);
  warp.open =
      header.open.globaltimer_ns != 0 ? time_of(opening, header.open.cycles) : opening.time(header.open.cycles) - zero_;
  // A warp that moved between SMs, or whose clock stepped back, may seem to have recorded before it opened.
  if (!times_.empty()) warp.open = std::min(warp.open, times_.front());
  warp.close = times_.empty() ? warp.open : times_.back();
  if (ring_.closed) warp.close = std::max(warp.close, time_of(clocks_.of(header.close_sm), header.close.cycles));
  warp.observed = warp.open;
  if (ring_.may_lack_oldest()) warp.observed = times_.empty() ? warp.close : times_.front();
  warp.unobserved = warp.close;
  if (ring_.may_lack_newest()) warp.unobserved = times_.empty() ? warp.open : times_.back();
  count_cycles(header, warp);
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
    range to;
    to.begin = times_[from.begin];
    to.end = from.end == none ? warp.unobserved : times_[from.end];
    to.self = to.end - to.begin;
    to.cycles = (from.end == none ? last_cycles_ : ring_.events[from.end].cycles) - begin.cycles;
    to.payload = payload_of(begin);
    to.stage = sites_.stage_of(begin.site);
    to.source = sites_.source_of(begin.site);
    to.depth = from.depth;
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
  for (std::size_t i = 0; i < ring_.events.size(); ++i) {
    const event& e = ring_.events[i];
    if (e.kind != record_kind::mark && e.kind != record_kind::counter) continue;
    warp.points.push_back(
        {times_[i], payload_of(e), sites_.point_of(e.site), sites_.source_of(e.site), e.kind == record_kind::counter});
  }
}

void warp_builder::add_orphans(warp_timeline& warp) {
  for (const orphan_end& orphan : pairing_.orphans()) {
    const std::uint32_t site = ring_.events[orphan.event].site;
    odd_events& odd = odd_of(warp, site == 0 ? none : sites_.stage_of(site));
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
