// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Any bytes as a warp's header and ring: a byte for the layout, one for the rates, the header, then records.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check.hpp"
#include "pairing.hpp"
#include "ring_decoder.hpp"

namespace {

using namespace iket::analysis;
using fuzz::check;

constexpr cycle_rates rates_to_try[] = {{}, {1.9, 2.1, 0}, {1.9, 2.1, 1'700'000'000'100'000'000u}, {1e-9, 1e9, ~0ull}};

void check_events(const decoded_ring& ring, std::size_t records) {
  check(ring.events.size() <= records, "events are records");
  check(ring.kept + ring.never_written <= records, "what was kept is in the ring");
  check(ring.lost <= ring.written, "what was lost was written");
  for (std::size_t i = 1; i < ring.events.size(); ++i)
    check(ring.events[i].cycles >= ring.events[i - 1].cycles, "clocks never step back");
}

void check_ranges(const decoded_ring& ring, const range_pairing& pairing) {
  for (const paired_range& one : pairing.ranges()) {
    check(one.begin < ring.events.size(), "a range begins with an event");
    check(one.end == none || (one.end < ring.events.size() && one.end > one.begin), "it ends with a later one");
    check((one.end == none) == (one.state == range_state::open || one.state == range_state::cut), "or with none");
    check(one.parent == none || one.parent < pairing.ranges().size(), "its parent is a range");
  }
  for (const orphan_end& one : pairing.orphans()) check(one.event < ring.events.size(), "an end is an event");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head = 2 + sizeof(iket::warp_header);
  if (size < head) return 0;
  iket::warp_header header;
  std::memcpy(&header, data + 2, sizeof(header));
  const std::size_t count = (size - head) / sizeof(iket::record);
  header.kept = static_cast<std::uint32_t>(count);
  ring_layout layout;
  layout.keeps_first = (data[0] & 1) != 0;
  layout.may_be_torn = (data[0] & 128) != 0;
  if ((data[0] & 2) != 0)
    layout.capacity = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(count, 1)) << (data[0] >> 2) % 3);

  // One after another, as the memory is used again.
  static decoded_ring ring;
  static range_pairing pairing;
  const record_view records(reinterpret_cast<const std::byte*>(data + head), count);
  decode_ring(header, records, layout, rates_to_try[data[1] % 4], ring);
  check_events(ring, count);
  for (event& one : ring.events) one.site = (one.site_bits >> 4) % 16;
  pairing.pair(ring, 16);
  check_ranges(ring, pairing);
  return 0;
}
