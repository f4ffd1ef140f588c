// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ring_order.hpp"

#include <bit>

#include "ring_tear.hpp"

namespace iket::analysis {
namespace {

// An event with the largest payload: where so many are free, it would have been stored.
constexpr std::size_t largest_event = 3;

bool has_room(std::size_t size, std::uint32_t capacity) { return capacity - size >= largest_event; }

/// A closed ring that keeps the first records.
ring_order order_first(const warp_header& header, std::size_t size, std::uint32_t capacity) {
  ring_order order{.size = size, .written = header.written, .keeps_first = true};
  if (header.written == size) return order;
  const bool has_lost = capacity == 0 || !has_room(size, capacity);
  order.disagrees = !has_lost;
  order.may_have_lost = has_lost || header.written > size;
  // Fewer written than kept: the count itself has wrapped.
  if (header.written < size) order.written = has_lost ? order.written + count_modulus : size;
  return order;
}

ring_order order_closed(const warp_header& header, std::size_t size, std::uint32_t capacity) {
  ring_order order{.size = size, .written = header.written};
  const bool full = size == capacity || capacity == 0;
  if (header.written == size) return order;
  if (full && size != 0 && std::has_single_bit(size)) {
    // Fewer written than kept: the count itself has wrapped. Capacities divide its modulus, so the place is right.
    if (header.written < size) order.written += count_modulus;
    order.oldest = header.written % size;
    order.first_count = order.written - size;
    order.may_have_lost = true;
    return order;
  }
  // Only rings that keep the first records lose some without being full, and capacities are powers of two.
  if (capacity == 0 && header.written > size) return order_first(header, size, capacity);
  order.disagrees = true;
  order.may_have_lost = header.written > size;
  if (header.written < size) order.written = size;
  return order;
}

/// A full ring that was never closed.
class seam_finder {
 public:
  explicit seam_finder(record_view ring) : ring_(ring) {}

  /// Takes a part of a torn ring, and counts the others as lost.
  void take(const ring_run& run, ring_order& order) const {
    const std::size_t end = run.newest + 1 + own_payload(run.newest);
    const std::size_t length = (end + ring_.size() - run.first) % ring_.size();
    order.size = length == 0 ? ring_.size() : length;
    order.torn = ring_.size() - order.size;
    order.oldest = run.first;
    order.first_count = run.first + (run.first < order.torn ? ring_.size() : 0);
    order.written = order.first_count + order.size;
    order.clock_wraps = 1;
  }

  void find(ring_order& order) const {
    std::size_t last = ring_.size();  // the event before the first, around the ring
    while (last != 0 && !has_clock(kind_at(last - 1))) --last;
    if (last == 0) return;  // nothing but payload: any order is as good
    --last;

    std::size_t newest = last;
    std::uint64_t around = 0;
    std::uint32_t largest_step = 0;
    std::size_t before = last;
    for (std::size_t i = 0; i <= last; ++i) {
      if (!has_clock(kind_at(i))) continue;
      const std::uint32_t step = ring_[i].value - ring_[before].value;
      // Of equal steps the first, from the last event to the first one: that is a ring which never wrapped.
      if (step > largest_step) {
        largest_step = step;
        newest = before;
      }
      around += step;
      before = i;
    }
    order.clock_wraps = around >> 32;
    const std::size_t own = own_payload(newest);
    order.oldest = (newest + 1 + own) % ring_.size();
    order.first_count = order.oldest;
    // If all behind the newest event were its own, up to the end of the memory, then the ring may just be full.
    const std::size_t run = fitting_payload(newest);
    if (newest + 1 + run != ring_.size()) order.written += order.oldest;
  }

 private:
  [[nodiscard]] record_kind kind_at(std::size_t i) const { return kind_of(ring_[i].tag); }
  [[nodiscard]] std::uint32_t tag_behind(std::size_t i) const { return ring_[(i + 1) % ring_.size()].tag; }

  /// How many payload records behind an event can be its own, by themselves.
  [[nodiscard]] std::size_t fitting_payload(std::size_t event) const {
    if (ring_.size() == 1) return 0;
    const std::uint32_t first = tag_behind(event);
    if (kind_of(first) != record_kind::payload || payload_part_of(first) != 0) return 0;
    if (payload_records(payload_type_of(first)) == 1 || ring_.size() == 2) return 1;
    return tag_behind(event + 1) == payload_tag(payload_type_of(first), 1) ? 2 : 1;
  }

  /// How many of those are. Others are left of an event that was overwritten.
  [[nodiscard]] std::size_t own_payload(std::size_t newest) const {
    const std::size_t fitting = fitting_payload(newest);
    return fitting != 0 && takes_payload(newest, payload_type_of(tag_behind(newest))) ? fitting : 0;
  }

  /// Whether the event takes a payload of this type: by its kind, or as the other events of its site do.
  [[nodiscard]] bool takes_payload(std::size_t newest, payload_type type) const {
    const std::uint32_t tag = ring_[newest].tag;
    switch (kind_of(tag)) {
      case record_kind::counter:
        return true;
      case record_kind::token_end:
        return type == payload_type::u32;
      case record_kind::sync:
        return type == payload_type::u64;
      case record_kind::range_end:
      case record_kind::pop:
        return false;
      default:
        break;
    }
    for (std::size_t i = 0; i < ring_.size(); ++i)
      if (i != newest && ring_[i].tag == tag) return tag_behind(i) == payload_tag(type, 0);
    return false;
  }

  record_view ring_;
};

ring_order order_never_closed(record_view records, ring_layout layout) {
  const std::uint32_t capacity = layout.capacity;
  ring_order order{.size = records.size()};
  const auto is_empty = [&](std::size_t i) { return kind_of(records[i].tag) == record_kind::none; };
  while (order.size != 0 && is_empty(order.size - 1)) --order.size;
  order.written = order.size;
  if (layout.keeps_first) {
    order.keeps_first = true;
    order.may_have_lost = capacity == 0 || !has_room(order.size, capacity);
    return order;
  }
  const bool full = capacity == 0 ? std::has_single_bit(order.size) : order.size == capacity;
  if (!full || order.size == 0) return order;
  for (std::size_t i = 0; i < order.size; ++i)
    if (is_empty(i)) return order;
  order.may_have_lost = true;
  const seam_finder seams(records.first(order.size));
  if (const auto run = layout.may_be_torn ? newest_run_of_torn(records.first(order.size)) : std::nullopt)
    seams.take(*run, order);
  else
    seams.find(order);
  return order;
}

}  // namespace

ring_layout layout_of(const launch_view& launch, const warp_header& header) noexcept {
  const bool keeps_first = (launch.info.flags & file::launch_keep_first) != 0 || (header.flags & warp_keep_first) != 0;
  return {launch.info.records_per_warp, keeps_first, (launch.info.flags & file::launch_running) != 0};
}

ring_order order_ring(const warp_header& header, record_view records, ring_layout layout) {
  ring_order order;
  if (header.closed == 0) {
    order = order_never_closed(records, layout);
  } else if (layout.keeps_first) {
    order = order_first(header, records.size(), layout.capacity);
    order.closed = true;
  } else {
    order = order_closed(header, records.size(), layout.capacity);
    order.closed =
        !layout.may_be_torn || !order.may_have_lost || !was_copied_before_close(header, records, order.oldest);
    if (!order.closed) order = order_never_closed(records, layout);
  }
  order.around = order.size + order.torn;
  return order;
}

}  // namespace iket::analysis
