// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ring_decoder.hpp"

#include <algorithm>

#include "clock_unwinding.hpp"
#include "ring_order.hpp"

namespace iket::analysis {
namespace {

/// Takes the records of a ring in order and joins each event's payload to it.
class record_joiner {
 public:
  record_joiner(decoded_ring& to, std::uint32_t first_count) : to_(to), count_(first_count) {}

  void take(record from) {
    switch (const record_kind kind = kind_of(from.tag)) {
      case record_kind::none:
        end_event();
        ++to_.never_written;
        break;
      case record_kind::payload:
        take_payload(from);
        break;
      case record_kind::range_begin:
      case record_kind::range_end:
      case record_kind::push:
      case record_kind::pop:
      case record_kind::token_begin:
      case record_kind::token_end:
      case record_kind::mark:
      case record_kind::counter:
      case record_kind::sync:
        end_event();
        to_.events.push_back(
            {.cycles = from.value, .site_bits = site_bits_of(from.tag), .count = count_, .kind = kind});
        state_ = state::event;
        break;
      default:
        end_event();
        ++to_.unknown;
        state_ = state::unknown_event;
        break;
    }
    ++count_;
  }

  /// Call it behind the last record.
  void end_event() {
    if (state_ == state::low_payload && payload_records(to_.events.back().payload_type) == 2) {
      to_.events.back().payload_type = payload_type::none;
      to_.events.back().payload_bits = 0;
      ++to_.headless;
    }
    state_ = state::no_event;
  }

 private:
  enum class state : std::uint8_t { no_event, event, low_payload, whole_payload, unknown_event };

  void take_payload(record from) {
    const payload_type type = payload_type_of(from.tag);
    const std::uint32_t part = payload_part_of(from.tag);
    if (state_ == state::unknown_event) {
      ++to_.unknown;
    } else if (state_ == state::event && part == 0 && type != payload_type::none) {
      to_.events.back().payload_type = type;
      to_.events.back().payload_bits = from.value;
      state_ = state::low_payload;
    } else if (state_ == state::low_payload && part == 1 && type == to_.events.back().payload_type && is_long(type)) {
      to_.events.back().payload_bits |= std::uint64_t{from.value} << 32;
      state_ = state::whole_payload;
    } else {
      ++to_.headless;
    }
  }

  /// Types of a newer version may take two records.
  static bool is_long(payload_type type) { return payload_records(type) == 2 || type > payload_type::boolean; }

  decoded_ring& to_;
  std::uint32_t count_;
  state state_ = state::no_event;
};

/// A ring that was never closed tells its counts only modulo its size. An end comes behind its begin, whose count it
/// carries: how many turns more the ring must have made for that at least.
std::uint64_t turns_by_tokens(const decoded_ring& ring, std::size_t size) {
  if (size == 0) return 0;
  std::uint64_t turns = 0;
  for (const event& e : ring.events)
    if (e.kind == record_kind::token_end && e.payload_type == payload_type::u32 && e.payload_bits >= e.count)
      turns = std::max(turns, (e.payload_bits - e.count) / size + 1);
  return turns;
}

void add_turns(decoded_ring& ring, std::uint64_t records) {
  ring.written += records;
  ring.lost += records;
  ring.first_count += static_cast<std::uint32_t>(records);
  for (event& e : ring.events) e.count += static_cast<std::uint32_t>(records);
}

}  // namespace

void decode_ring(const warp_header& stated, record_view records, ring_layout layout, const cycle_rates& rates,
                 decoded_ring& to) {
  const ring_order order = order_ring(stated, records, layout);
  warp_header header = stated;
  if (!order.closed) header.closed = 0;
  std::vector<event> events = std::move(to.events);
  events.clear();
  to = {};
  to.events = std::move(events);
  to.events.reserve(order.size);
  to.closed = header.closed != 0;
  to.keeps_first = order.keeps_first;
  to.may_have_lost = order.may_have_lost;
  to.torn = order.torn;
  to.count_disagrees = order.disagrees;
  to.written = order.written;
  to.lost = order.written - order.size;
  to.first_count = static_cast<std::uint32_t>(order.first_count);

  record_joiner joiner(to, to.first_count);
  const std::size_t before_end = std::min(order.size, order.around - order.oldest);
  for (std::size_t i = 0; i < before_end; ++i) joiner.take(records[order.oldest + i]);
  for (std::size_t i = before_end; i < order.size; ++i) joiner.take(records[i - before_end]);
  joiner.end_event();
  to.kept = order.size - to.never_written;

  const bool unknown_count = !to.closed && to.may_lack_oldest();
  if (unknown_count)
    if (const std::uint64_t turns = turns_by_tokens(to, order.around); turns != 0) add_turns(to, turns * order.around);
  const bool from_close = to.closed && to.may_lack_oldest();
  to.clock_sm = from_close ? header.close_sm : header.open_sm;
  to.doubts = unwind_clocks(header, {to.may_lack_oldest(), to.may_lack_newest()}, rates, to.events);
  const auto is_pair = [](const event& e) { return e.is_pair; };
  to.doubts.unanchored = unknown_count && std::none_of(to.events.begin(), to.events.end(), is_pair);
  if (order.clock_wraps > 1) to.doubts.unconfirmed_gaps = std::max(to.doubts.unconfirmed_gaps, order.clock_wraps - 1);
}

}  // namespace iket::analysis
