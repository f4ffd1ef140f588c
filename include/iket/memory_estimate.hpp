// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// How much device memory tracing a launch takes, before anything is allocated.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <iket/detail/launch_plan.hpp>
#include <iket/session_options.hpp>

namespace iket {
inline namespace abi_1 {

/// What `estimate_memory` gives.
struct memory_estimate {
  std::uint64_t ctas_total = 0;      ///< of the launch
  std::uint64_t ctas_traced = 0;     ///< those selected, clusters whole
  std::uint32_t warps_per_cta = 0;   ///< traced ones of a CTA
  std::uint32_t bytes_per_warp = 0;  ///< header and ring
  std::uint32_t regions = 0;         ///< launches of a replayable tracer; 0: it is for one launch
  std::uint64_t bytes = 0;           ///< all together; add the estimates of launches that one drain takes together

  /// One line: "512 of 512 CTAs x 9 warps x 8320 bytes = 36.6 MiB".
  [[nodiscard]] std::string text() const {
    char size[32];
    std::snprintf(size, sizeof(size), "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
    return std::to_string(ctas_traced) + " of " + std::to_string(ctas_total) + " CTAs x " +
           std::to_string(warps_per_cta) + (warps_per_cta == 1 ? " warp x " : " warps x ") +
           std::to_string(bytes_per_warp) + " bytes" +
           (regions == 0 ? "" : " x " + std::to_string(regions) + (regions == 1 ? " launch" : " launches")) + " = " +
           size;
  }
};

/// What a launch needs of a session's `memory_limit`. Needs neither a session nor a GPU.
/// @param options with `regions`, where the launch will be captured: without a session, nobody knows
/// @param records_per_warp the session's, where the options have none
/// @throws iket::error as `session::trace` does, but for memory.
[[nodiscard]] inline memory_estimate estimate_memory(
    dim3 grid, dim3 block, const trace_options& options = {},
    std::uint32_t records_per_warp = session_options{}.records_per_warp) {
  const detail::launch_plan plan = detail::plan_launch(grid, block, options, records_per_warp);
  return {plan.grid.count(),   plan.selection.ctas(),
          plan.traced_warps(), static_cast<std::uint32_t>(detail::slot_bytes(plan.capacity)),
          plan.regions,        plan.bytes()};
}

}  // namespace abi_1
}  // namespace iket
