// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From what the user says of a launch to the tracer for it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>
#include <vector_types.h>

#include <iket/detail/cuda_check.hpp>
#include <iket/detail/event_pair.hpp>
#include <iket/detail/launch_plan.hpp>
#include <iket/detail/make_tracer.hpp>
#include <iket/detail/pending_launch.hpp>
#include <iket/detail/session_device.hpp>
#include <iket/detail/session_scope.hpp>
#include <iket/detail/types.hpp>
#include <iket/error.hpp>
#include <iket/session_options.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Takes memory for as many of the selected CTAs as there is room for, evenly spaced, and makes the tracer.
/// @throws iket::error as `session::trace`, for memory
inline void reserve(session_device& device, pending_launch& launch, launch_plan& plan, over_limit when_over_limit) {
  file::launch_info& info = launch.content.info;
  info.bytes_needed = plan.bytes();
  const bool fits = plan.shrink_to(device.memory().available());
  if (plan.sampled) {
    if (when_over_limit == over_limit::fail)
      throw error("iket: tracing '" + launch.content.name + "' needs " + std::to_string(info.bytes_needed) +
                  " bytes, but of the session's memory_limit of " + std::to_string(info.bytes_limit) + " bytes only " +
                  std::to_string(device.memory().available()) +
                  " are free. Raise the limit, lower records_per_warp, select fewer CTAs or warps, or drain earlier "
                  "launches first");
    info.flags |= file::launch_over_limit;
  }
  info.ctas_traced = fits ? plan.selection.ctas() : 0;
  if (!fits) return;
  if (plan.selection.listed.empty()) {
    launch.tracer = make_tracer(plan, device.memory());
  } else {
    const session_scope scope = device.enter();  // a list is copied there
    launch.tracer = make_tracer(plan, device.memory());
  }
}

/// A launch of `name` in number `id`, with its tracer; `timed`, where it is given, are events that will stand around
/// it. Without a device nothing is traced.
/// @throws iket::error as `session::trace`
/// With `untraced`, the launch is noted and nothing more: its tracer is inert, also where it would be replayable.
[[nodiscard]] inline pending_launch announce_launch(session_device* device, const session_options& session, u32 id,
                                                    std::string name, const dim3& grid, const dim3& block,
                                                    const trace_options& options, std::shared_ptr<event_pair> timed,
                                                    bool untraced = false) {
  launch_plan plan = plan_launch(grid, block, options, session.records_per_warp);
  const bool captured = device != nullptr && options.stream.has_value() && is_captured(*options.stream);
  if (captured && !plan.replayable()) plan.regions = captured_regions;
  if (untraced) plan.regions = 0;
  pending_launch launch;
  launch.content.name = std::move(name);
  launch.end.timed = std::move(timed);
  file::launch_info& info = launch.content.info;
  info.host_time_ns = static_cast<u64>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  info.bytes_limit = session.memory_limit;
  info.choice = options.ctas.choice;
  info.first_cta = options.ctas.first;
  info.last_cta = options.ctas.last;
  info.id = id;
  if (device == nullptr)
    info.flags |= file::launch_compiled_out;
  else if (untraced)
    info.flags |= file::launch_untraced;
  else
    reserve(*device, launch, plan, options.when_over_limit);
  describe(plan, info);
  // A graph may be launched into another stream than it was captured from.
  launch.end.stream = captured ? options.replay_stream : options.stream;
  if (plan.replayable() && options.replay_stream.has_value()) launch.end.stream = options.replay_stream;
  return launch;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
