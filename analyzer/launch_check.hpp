// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Checks the warps of a launch against the facts of the launch.
#pragma once

#include <cstdint>

#include "damage_list.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// The index of a CTA in its grid: (z * grid.y + y) * grid.x + x.
[[nodiscard]] std::uint64_t linear_cta(const std::uint32_t (&cta)[3], const std::uint32_t (&grid)[3]) noexcept;

/// Sorts `launch.warps` by (linear CTA, warp) and drops those that cannot be: outside the grid, the CTA or
/// the part that was to be traced, with more records than a ring holds, or there twice. Says in `damages` how many, and
/// how many are missing. Where the launch's facts are lost, its grid becomes the smallest that holds its warps.
void check_warps(launch_view& launch, std::uint64_t offset, damage_list& damages);

}  // namespace iket::analysis
