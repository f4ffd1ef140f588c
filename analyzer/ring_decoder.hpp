// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From a warp's raw ring to its events, oldest first.
#pragma once

#include <cstdint>
#include <vector>

#include <iket/record.hpp>

#include "ring_order.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// One event, with its payload records joined to it.
struct event {
  std::uint64_t cycles = 0;        ///< %clock64 of the warp's SM; never before the event in front of it
  std::uint64_t payload_bits = 0;  ///< 32-bit payloads in the low half
  std::uint32_t site_bits = 0;     ///< low half of its site's address; 0: no site
  std::uint32_t count = 0;         ///< records that the warp had written before this one, modulo `count_modulus`
  std::uint32_t site = 0;          ///< number of its site; the decoder leaves it to those who know the sites
  record_kind kind = record_kind::none;
  iket::payload_type payload_type = payload_type::none;
  bool is_pair = false;  ///< a sync whose `cycles` are known for sure: with its payload, a clock pair
};

/// How fast SM clocks may have run [cycles per ns]; 0: unknown. Tells the clocks of syncs that are more than 2^32
/// cycles from any other pair.
struct cycle_rates {
  double least = 0;
  double most = 0;
  std::uint64_t last_ns = 0;  ///< the latest global time that any pair of the launch shows; 0: unknown
};

/// Why the events' 64-bit cycles may not be what the SM's counter said.
struct clock_doubts {
  /// Clock values that are smaller than the one before. Their events are moved up to it.
  std::uint64_t backward_steps = 0;
  /// Wraps of the 32-bit clock between two clock pairs that no event between them shows: somewhere two neighbours are
  /// more than 2^32 cycles apart, and events behind that gap are this many times 2^32 cycles too early.
  std::uint64_t missing_wraps = 0;
  /// The events between those pairs.
  std::uint64_t ambiguous_events = 0;
  /// The same wraps between the opening and the first pair behind it, where the oldest records were lost in between and
  /// may have shown them. They are taken to lie there.
  std::uint64_t unseen_wraps = 0;
  /// Gaps of 2^31 cycles or more in a ring that was never closed, where no later pair confirms them.
  std::uint64_t unconfirmed_gaps = 0;
  /// Events behind the last pair of a warp that was never closed, in a launch that went on for more than 2^32 cycles:
  /// gaps between them may be that much longer.
  std::uint64_t unbounded_events = 0;
  /// The close pair is earlier than the open pair on the same SM, or further behind it than any counter runs: neither
  /// is checked against the other.
  bool pairs_disagree = false;
  /// The warp closed on another SM than it opened on, and those may have different counters.
  bool sm_changed = false;
  /// Never closed and wrapped, without a sync that would tell: nobody knows how often the clock wrapped before the
  /// oldest record. The least is taken.
  bool unanchored = false;

  [[nodiscard]] bool any() const noexcept {
    return backward_steps != 0 || missing_wraps != 0 || unseen_wraps != 0 || unconfirmed_gaps != 0 ||
           unbounded_events != 0 || pairs_disagree || sm_changed || unanchored;
  }
};

/// What one ring holds. The counts are exact where `closed`, and the least possible where not.
struct decoded_ring {
  std::vector<event> events;  ///< oldest first
  bool closed = false;
  bool keeps_first = false;         ///< what was lost came behind the last kept record, not before the first
  bool may_have_lost = false;       ///< records were lost, or the ring is full and nobody knows
  std::uint32_t first_count = 0;    ///< count of the oldest kept record, modulo `count_modulus`
  std::uint64_t written = 0;        ///< records that the warp wrote
  std::uint64_t kept = 0;           ///< records in the ring, without those never written
  std::uint64_t lost = 0;           ///< records overwritten, or not stored
  std::uint64_t headless = 0;       ///< kept payload records whose event was lost, or that fit no event
  std::uint64_t unknown = 0;        ///< kept records of kinds that this version does not know, and their payloads
  std::uint64_t torn = 0;           ///< records left out, and counted as lost, since later ones are missing
  std::uint64_t never_written = 0;  ///< empty records inside the kept part: stores that did not arrive
  bool count_disagrees = false;     ///< `written` of the header does not fit the records in the file
  std::uint32_t clock_sm = 0;       ///< SM whose counter `event::cycles` are on
  clock_doubts doubts;

  [[nodiscard]] bool may_lack_oldest() const noexcept { return may_have_lost && !keeps_first; }
  [[nodiscard]] bool may_lack_newest() const noexcept { return may_have_lost && keeps_first; }
};

/// Decodes the ring of a warp into `to`, whose memory is used again. `records.size()` is not larger than a capacity
/// that is known. Works on any bytes. Linear in the records.
///
/// A ring that keeps the first records is in order. Of the others, a closed one tells where its oldest record is. In
/// one that was never closed, and is full, the newest event is the one behind which the clock steps back, the largest
/// step forward modulo 2^32 among neighbouring events. The payload records that follow it are its own as far as its
/// kind and the other events of its site take a payload; the others are left of an overwritten event.
///
/// 32-bit clocks become 64-bit ones between the warp's clock pairs (clock_unwinding.hpp); what does not fit is in
/// `doubts`.
void decode_ring(const warp_header& header, record_view records, ring_layout layout, const cycle_rates& rates,
                 decoded_ring& to);

}  // namespace iket::analysis
