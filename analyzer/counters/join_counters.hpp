// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Hardware counters to the launches that they were measured of.
#pragma once

#include <string>

#include "ncu_profile.hpp"
#include "report.hpp"
#include "timeline.hpp"

namespace iket::analysis::counters {

/// Fills `launch_report::counters` of the launches in `to`, which are those of `source` without the ones left out, and
/// adds findings and warnings: of pages that fit no launch, with what the pages have and what was looked for.
///
/// A profiled launch is one of a launch group if its kernel has the group's name, without namespaces and parameters,
/// and its grid and block. As a session may call a kernel anything, one whose name fits no group is a group's if
/// no other kernel has that grid and block. `kernel`, unless empty, says whose figures are taken, by any part of the
/// profiler's name; the name then need not fit, and with one launch group the grid and block need not either. Pages
/// `source` have no grid: they are taken for the kernels that were found, by name, or else, where they are of one
/// kernel only, for the launch group whose sites their events name.
void join_counters(const ncu_profile& profile, const timeline& source, const std::string& kernel, report& to);

}  // namespace iket::analysis::counters
