// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What speaks against hardware counters: figures that cannot be, launches that differ, pages of other work.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "launch_counters.hpp"
#include "ncu_profile.hpp"
#include "report.hpp"

namespace iket::analysis::counters {

/// From which ratio on figures are told to be those of different launches. A launch under the profiler starts with cold
/// caches, and its polling loops turn as often as they happen to; neither makes that much of a kernel worth tracing.
inline constexpr double doubtful_ratio = 1.5;

/// One line each, for `launch_counters::doubts`, on
/// - profiled launches that differ in registers, in shared memory, or in time by the ratio: `of` has their means;
/// - figures of a page `source` that could not be read;
/// - a page `source` with machine code and more or fewer instructions than the kernel has executed, by the ratio;
/// - a page `source` with other samples than any of the launches, where the page `raw` counts them;
/// - samples that are not as many as their reasons.
/// @param launches the profiled launches that were taken for one of the trace
/// @param pages the listings that were divided
/// @param of their figures, and the division
[[nodiscard]] std::vector<std::string> doubts_of(std::span<const profiled_kernel* const> launches,
                                                 std::span<const source_listing* const> pages,
                                                 const launch_counters& of);

/// A time under the profiler that differs by the ratio, and 5 us, from what a launch takes by itself; empty where it
/// does not, or nothing tells. It speaks against what the figures say of the memory and the pipes.
[[nodiscard]] std::string doubt_of_time(const launch_report& launch, const launch_counters& of);

/// Figures that the pages have and that cannot be so, for `launch_counters::notes`; empty where there is none.
[[nodiscard]] std::string note_on_unusable(std::span<const profiled_kernel* const> launches);

}  // namespace iket::analysis::counters
