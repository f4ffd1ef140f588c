// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Copies what warps wrote from device memory into `launch_content`s.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/record.hpp>
#include <iket/trace_file.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Whether a warp's recorder has opened, and all that its opening writes is there. Not told by `opened`: a kernel that
/// runs or has failed may have stored what follows and not yet, or never, have added to that.
inline bool is_open(const device_header& header) { return header.anchor != 0 && header.open.globaltimer_ns != 0; }

/// The most records that a ring can hold.
inline u32 kept_at_most(const warp_header& header, u32 capacity) {
  return header.closed != 0 ? std::min(header.written, capacity) : capacity;
}

/// Records of a ring that was never closed, or that keeps the first events whole: up to the first that was never
/// written.
inline u32 count_written(const record* ring, u32 capacity) {
  u32 count = 0;
  while (count < capacity && kind_of(ring[count].tag) != record_kind::none) ++count;
  return count;
}

/// Copies out warps and their rings from the slots of `tracer` on; slots lie by launch, then by CTA and warp.
class slot_reader {
 public:
  slot_reader(device_memory& memory, const pending_launch& pending) : memory_(memory), pending_(pending) {}

  /// Reads the headers of the first `slot_count` slots. `launch_of(slot, header)` gives what each opened one belongs
  /// to.
  template <class LaunchOf>
  void read_headers(std::size_t slot_count, LaunchOf launch_of) {
    memory_.read_rows(pending_.tracer.first_header, sizeof(device_header), sizeof(device_header), slot_count,
                      [&](std::size_t slot, const void* data) {
                        device_header found;
                        std::memcpy(&found, data, sizeof(found));
                        if (!is_open(found)) return;
                        warp_header header = unpack(found);
                        header.opened = std::max(header.opened, 1U);
                        header.kept = kept_at_most(header, pending_.capacity());
                        most_kept_ = std::max(most_kept_, header.kept);
                        opened_.push_back({slot, header, launch_of(slot, found)});
                      });
  }

  /// Gives what the slots belong to other numbers.
  void renumber(const std::vector<std::size_t>& places) {
    for (opened_slot& at : opened_) at.launch = places[at.launch];
  }

  /// Reads their rings into `launches`, whose warps come in the order of their slots.
  void read_rings(std::vector<launch_content>& launches) {
    // One copy of many rows, as wide as the fullest ring; slots that no warp opened come along and are passed over.
    const std::size_t slot_count = opened_.empty() ? 0 : opened_.back().slot + 1;
    std::size_t next = 0;
    memory_.read_rows(pending_.tracer.first_ring, pending_.tracer.ring_stride, most_kept_ * sizeof(record), slot_count,
                      [&](std::size_t slot, const void* data) {
                        if (opened_[next].slot != slot) return;
                        const auto* ring = static_cast<const record*>(data);
                        warp_header& header = opened_[next].header;
                        if (header.closed == 0 || (header.flags & warp_keep_first) != 0)
                          header.kept = count_written(ring, header.kept);
                        std::vector<record>& records = launches[opened_[next].launch].records;
                        records.insert(records.end(), ring, ring + header.kept);
                        ++next;
                      });
    for (const opened_slot& at : opened_) {
      launch_content& launch = launches[at.launch];
      if ((at.header.flags & warp_keep_first) != 0) launch.info.flags |= file::launch_keep_first;
      launch.warps.push_back(at.header);
      launch.info.warps_opened = static_cast<u32>(launch.warps.size());
    }
  }

 private:
  struct opened_slot {
    std::size_t slot;
    warp_header header;
    std::size_t launch;
  };

  device_memory& memory_;
  const pending_launch& pending_;
  std::vector<opened_slot> opened_;
  u32 most_kept_ = 0;
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
