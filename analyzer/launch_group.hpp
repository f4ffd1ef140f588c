// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Launches that are reported together.
#pragma once

#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// Launches of one kernel name with the same grid and block on one device in one file, in its order; never empty. Those
/// that had not ended, as the file says, are apart from those that had.
using launch_group = std::vector<const launch*>;

/// The groups of a file, in the order of their first launches, without launches that are left out, unless those are
/// asked for too. They point into `source`.
[[nodiscard]] std::vector<launch_group> group_launches(const timeline& source, bool left_out_too = false);

}  // namespace iket::analysis
