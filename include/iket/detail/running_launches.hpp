// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which traced launches run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/drain.hpp>
#include <iket/detail/launch_end.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/session_device.hpp>
#include <iket/detail/slot_reader.hpp>
#include <iket/detail/types.hpp>
#include <iket/warp_header.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// One launch, among all of a session's life.
struct launch_key {
  u32 id;      ///< of its tracer
  u32 drains;  ///< that a replayable tracer had behind it
  u32 replay;  ///< launches of a replayable tracer since, this one included

  friend bool operator<(const launch_key& a, const launch_key& b) {
    return std::tie(a.id, a.drains, a.replay) < std::tie(b.id, b.drains, b.replay);
  }
};

struct running_launch {
  launch_key key;
  std::string name;
};

/// Whether any of the first `slot_count` warps of a tracer has opened its recorder and not closed it.
[[nodiscard]] inline bool has_open_warps(device_memory& memory, const tracer& of, std::size_t slot_count) {
  bool is_any_open = false;
  memory.read_rows(of.first_header, sizeof(device_header), sizeof(device_header), slot_count,
                   [&](std::size_t, const void* data) {
                     device_header header;
                     std::memcpy(&header, data, sizeof(header));
                     is_any_open = is_any_open || (is_open(header) && header.closed == 0);
                   });
  return is_any_open;
}

/// Those of `pending` that have begun and not ended; none where a kernel has failed. Told by a launch's events; without
/// them, it runs where its stream has something to do and some of its warps' recorders are open, for which the warps'
/// headers are copied. With the context current, and without waiting for anything else than copies.
/// @throws iket::error if a copy fails
[[nodiscard]] inline std::vector<running_launch> find_running(session_device& device,
                                                              const std::vector<pending_launch>& pending) {
  std::vector<running_launch> running;
  if (device.has_failed()) return running;
  device_memory& memory = device.memory();
  for (const pending_launch& launch : pending) {
    if (launch.is_taken) continue;
    const launch_progress progress = device.query().of(launch.end);
    bool runs = progress == launch_progress::begun;
    u32 replay = 0;
    if (progress == launch_progress::unknown && launch.tracer.first_ring != 0) {
      if (launch.replayable()) replay = count_replays(memory, launch).launches;
      const std::size_t regions = launch.replayable() ? std::min(replay, launch.tracer.regions) : 1;
      runs = has_open_warps(memory, launch.tracer, launch.slot_count() * regions);
    }
    if (runs) running.push_back({{launch.content.info.id, launch.drains, replay}, launch.content.name});
  }
  return running;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
