// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What launches have written so far, while they run.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <iket/detail/collect_launches.hpp>
#include <iket/detail/drain.hpp>
#include <iket/detail/host_clock_burst.hpp>
#include <iket/detail/launch_end.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/read_beside_kernels.hpp>
#include <iket/detail/session_device.hpp>
#include <iket/detail/site_cache.hpp>
#include <iket/detail/trace_content.hpp>
#include <iket/detail/types.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Flags those of one tracer's launches that have not ended. `progress` was asked for before they were copied, so that
/// what had ended then is whole. Where it is not known, warps tell by having all come and gone; of a launch for which
/// there was no memory, nothing tells.
inline void mark_running(std::vector<launch_content>& launches, launch_progress progress) {
  if (progress == launch_progress::ended) return;
  for (launch_content& launch : launches) {
    // Of launches of one replayable tracer those before the last one have ended where their warps have.
    const bool is_last = &launch == &launches.back();
    const bool warps_tell = progress == launch_progress::unknown || !is_last;
    const bool has_ended = warps_tell && (launch.info.ctas_traced == 0 || is_complete(launch));
    if (!has_ended) launch.info.flags |= file::launch_running;
  }
}

/// What the pending launches of `collection` have left so far, as a file has it. Changes nothing there but which sites
/// are known. With the context current; on the device, copies alone, over the session's own stream, and a try to read
/// its timer. With `storage::host` no call is waited for that the driver could keep waiting.
/// @throws iket::error if a copy fails
[[nodiscard]] inline trace_content take_snapshot(session_device& device, launch_collection& collection) {
  const bool has_failed = device.has_failed();
  u32 next_launch = collection.next_launch;
  file::snapshot_info info{};
  info.device = device.id();
  info.host_begin_ns = host_clock_ns();
  std::vector<launch_content> launches;
  for (pending_launch of : collection.pending) {  // a copy: what is noted there is a drain's
    if (of.is_taken) continue;
    const launch_progress progress = device.query().of(of.end);
    std::vector<launch_content> found =
        drain_launches(device.memory(), of, has_failed ? counts::doubtful : counts::known);
    identify(found, of, progress == launch_progress::ended, next_launch);
    if (!has_failed) mark_running(found, progress);
    launches.insert(launches.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
  info.host_end_ns = host_clock_ns();
  info.realtime_offset_ns = realtime_offset_ns();
  if (has_failed) mark_failed(launches);

  trace_content content;
  const std::vector<u64> addresses = site_addresses_of(launches);
  read_beside_kernels(device, addresses, !has_failed, collection.sites);
  add_drained(content, 0, std::move(launches), collection.sites.known(addresses));
  if (!has_failed) content.snapshots = {info};  // where a kernel has failed, no warp stands anywhere
  device.describe(content);
  return content;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
