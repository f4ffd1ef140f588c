// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a traced kernel leaves in device memory, written by the host: for tests of what happens around it.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <iket/detail/types.hpp>
#include <iket/record.hpp>
#include <iket/session.hpp>
#include <iket/site.hpp>
#include <iket/tracer.hpp>
#include <iket/warp_header.hpp>

#include "fake_cuda.hpp"

namespace traced {

/// The site of all marks; `define_site` makes it known to the device.
inline constexpr iket::detail::site<5, 7> site(iket::site_kind::mark, "mark", "a_file", 7);
inline const iket::detail::site_reference reference{&site, 0};
constexpr iket::detail::u32 site_bits = 16;  // its place in what stands for the constant bank

inline void define_site() {
  fake_cuda::define_variable(&site, sizeof(site));
  fake_cuda::define_variable(&reference, sizeof(reference));
}

/// The slot of this launch for a warp: that of the next region where there are several.
inline iket::detail::u64 slot_of(const iket::tracer& tracer, iket::detail::u32 warp) {
  if ((tracer.odd & iket::detail::odd_replayable) == 0) return warp;
  auto* const count = reinterpret_cast<iket::detail::u32*>(iket::detail::launch_count_of(tracer.head, warp));
  return iket::detail::u64{(*count)++} * tracer.region_ctas * tracer.warps_per_cta + warp;
}

/// How the warps of a launch stand when it is looked at.
enum class stand { closed, open };

/// A launch of which the warps of the first `ctas` traced CTAs have come: each has written `marks` marks, and closed
/// its recorder or not.
inline void run_ctas(const iket::tracer& tracer, iket::detail::u32 ctas, iket::detail::u32 marks,
                     stand left = stand::closed) {
  using namespace iket::detail;
  static std::atomic<u64> launches{0};
  const u64 grid_id = ++launches;
  if (tracer.first_ring == 0) return;
  for (u32 warp = 0; warp < ctas * tracer.warps_per_cta; ++warp) {
    const u64 slot = slot_of(tracer, warp);
    if (slot >= u64{tracer.ctas} * tracer.warps_per_cta) continue;
    auto& header = *reinterpret_cast<device_header*>(tracer.first_header + slot * sizeof(device_header));
    header.cta[0] = warp / tracer.warps_per_cta;
    header.warp = warp % tracer.warps_per_cta;
    header.anchor = reinterpret_cast<u64>(&reference) - site_bits;
    header.cluster = 0x010101 | iket::warp_anchor_is_base << 24;
    header.open = {1000, 1000 * grid_id};
    if (left == stand::closed) {
      header.close = {2000, 1000 * grid_id + 500};
      header.written = marks;
      header.closed = 1;
    }
    ++header.opened;
    header.grid_id = grid_id;
    auto* const ring = reinterpret_cast<iket::record*>(tracer.first_ring + slot * tracer.ring_stride);
    const u32 capacity = (tracer.ring_mask + 1) / 8;
    for (u32 i = 0; i < marks; ++i)
      ring[i % capacity] = {1000 + i, site_bits | static_cast<u32>(iket::record_kind::mark)};
  }
}

/// The same of all traced CTAs.
inline void run(const iket::tracer& tracer, iket::detail::u32 marks, stand left = stand::closed) {
  run_ctas(tracer, tracer.region_ctas, marks, left);
}

/// The warps of the tracer's first launch write `marks` marks more, behind `before`.
inline void go_on(const iket::tracer& tracer, iket::detail::u32 before, iket::detail::u32 marks) {
  for (iket::detail::u32 warp = 0; warp < tracer.region_ctas * tracer.warps_per_cta; ++warp) {
    auto* const ring =
        reinterpret_cast<iket::record*>(tracer.first_ring + iket::detail::u64{warp} * tracer.ring_stride);
    for (iket::detail::u32 i = before; i < before + marks; ++i)
      ring[i] = {1000 + i, site_bits | static_cast<iket::detail::u32>(iket::record_kind::mark)};
  }
}

}  // namespace traced
