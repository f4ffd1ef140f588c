// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Moves what ended launches wrote to what was drained.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

#include <iket/detail/device_memory.hpp>
#include <iket/detail/drain.hpp>
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

/// Whether all of a launch's traced CTAs and all their warps came to their end, as far as its records tell.
[[nodiscard]] inline bool is_complete(const launch_content& launch) {
  u32 ctas = 0;
  const warp_header* last = nullptr;
  for (const warp_header& warp : launch.warps) {
    if (warp.closed == 0) return false;
    if (last == nullptr || !std::equal(warp.cta, warp.cta + 3, last->cta)) ++ctas;
    last = &warp;
  }
  return ctas == launch.info.ctas_traced;
}

/// Flags the launches in which a kernel may have failed: those that are not complete; all where all are.
inline void mark_failed(std::vector<launch_content>& launches) {
  const bool all = std::all_of(launches.begin(), launches.end(), is_complete);
  for (launch_content& launch : launches)
    if (all || !is_complete(launch)) launch.info.flags |= file::launch_failed;
}

/// Numbers the launches found of one tracer, and says how long those of events took that have `ended`. Its first launch
/// has the tracer's number, each further one the next free one.
inline void identify(std::vector<launch_content>& found, const pending_launch& of, bool ended, u32& next_launch) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i != 0 || of.drains != 0) found[i].info.id = next_launch++;
    if (ended && of.end.timed != nullptr) found[i].info.event_time_ns = of.end.timed->elapsed_ns();
  }
}

/// What a build without tracing has of its launches: that they were.
[[nodiscard]] inline std::vector<launch_content> compiled_out(const std::vector<pending_launch>& pending) {
  std::vector<launch_content> launches;
  for (const pending_launch& launch : pending) launches.push_back(launch.content);
  return launches;
}

/// The launches that a session has handed tracers out for, and what their kernels left.
struct launch_collection {
  u32 next_launch = 0;
  u32 next_site_table = 0;
  std::vector<pending_launch> pending;
  site_cache sites;
  trace_content drained;

  /// Copies what the pending launches wrote, and forgets those that are for one launch. If a copy fails, what was
  /// copied before is kept: a kernel may have failed that the program launched meanwhile, and then nothing can be
  /// copied ever after. With `counts::doubtful` they are marked as failed. With `storage::host`, sites are those that
  /// come within `driver_patience`, and those that were read before. With the context current.
  void collect(session_device& device, counts trust) {
    device_memory& memory = device.memory();
    std::vector<launch_content> launches;
    std::size_t taken = 0;
    std::exception_ptr failure;
    try {
      for (; taken < pending.size(); ++taken) take_launches(memory, pending[taken], launches, trust);
    } catch (...) {
      failure = std::current_exception();
    }
    if (trust == counts::doubtful) mark_failed(launches);
    if (taken != 0) {
      const std::vector<u64> addresses = site_addresses_of(launches);
      if (!addresses.empty()) read_beside_kernels(device, addresses, false, sites);
      std::vector<site_content> read = sites.known(addresses);
      add_drained(drained, next_site_table++, std::move(launches), std::move(read));
      const auto last = pending.begin() + static_cast<std::ptrdiff_t>(taken);
      const auto ended =
          std::stable_partition(pending.begin(), last, [](const pending_launch& of) { return of.replayable(); });
      std::for_each(pending.begin(), ended, [](pending_launch& of) {
        of.is_taken = true;
        ++of.drains;
      });
      pending.erase(ended, last);
    }
    if (failure != nullptr) std::rethrow_exception(failure);
  }

  /// As `collect`, in a build without tracing.
  void collect_compiled_out() {
    add_drained(drained, next_site_table++, compiled_out(pending), {});
    pending.clear();
  }

 private:
  // Appends the launches of one tracer. All or nothing: memory of the host may run out.
  void take_launches(device_memory& memory, pending_launch& of, std::vector<launch_content>& launches, counts trust) {
    if (of.is_taken) reset_replays(memory, of);  // which failed before
    std::vector<launch_content> found = drain_launches(memory, of, trust);
    identify(found, of, true, next_launch);
    launches.insert(launches.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  }
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
