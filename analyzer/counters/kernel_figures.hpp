// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The figures of a kernel that a report shows, out of all that a profiler has measured.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch_counters.hpp"
#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// The figures that the pages of these launches have, each the mean over the launches that have it; docs/counters.md
/// lists them with the metrics that they come from. A page `raw` is believed before a page `details`, which rounds.
[[nodiscard]] std::vector<kernel_figure> figures_of(std::span<const profiled_kernel* const> launches);

/// A figure by its key of each launch whose page has it; empty where none has.
[[nodiscard]] std::vector<double> figure_of_each(std::span<const profiled_kernel* const> launches,
                                                 std::string_view key);

/// Where a page has what cannot be a figure: words, a negative number, 9999 % of peak.
struct unusable_figure {
  std::string label;  ///< of the figure: "DRAM throughput, of peak"
  std::string text;   ///< what stands there, in the first launch where it is so
};

/// Those of these launches, each figure once. `figures_of` takes none of them.
[[nodiscard]] std::vector<unusable_figure> unusable_figures_of(std::span<const profiled_kernel* const> launches);

/// Why warps did not issue: warps stalled for each reason when an instruction issued, in the mean of the launches, the
/// most first. Reasons of none are left out.
[[nodiscard]] std::vector<kernel_figure> stall_reasons_of(std::span<const profiled_kernel* const> launches);

/// What keeps more CTAs from an SM: "registers", "shared memory and registers"; empty where nothing tells, or where
/// that is the SM's own most of warps or CTAs.
[[nodiscard]] std::string occupancy_limit_of(std::span<const profiled_kernel* const> launches);

}  // namespace iket::analysis::counters
