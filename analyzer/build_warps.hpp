// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From the rings of all launches to their warps on the time line, on all cores.
#pragma once

#include <vector>

#include "clock_map.hpp"
#include "launch_warnings.hpp"
#include "site_catalog.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"
#include "uncertainty_tally.hpp"

namespace iket::analysis {

/// What the warps of one launch are built with, and what became of them.
struct launch_rings {
  const launch_view* from = nullptr;
  site_numbers* sites = nullptr;  ///< launches may share them
  const clock_map* clocks = nullptr;
  picoseconds zero = 0;  ///< the time on `clocks` that becomes 0
  cycle_rates rates;
  launch* to = nullptr;  ///< its warps are built, and its begin, its end and whether it keeps the first records

  launch_warnings warnings;         ///< result
  uncertainty_tally uncertainties;  ///< result: of all times
};

/// Builds the warps of all `launches`. What comes out does not depend on the number of threads: blocks of warps are
/// built with tables that do not change, and warps for which those lack a name are built behind them, in order. Linear
/// in the records.
void build_warps(std::vector<launch_rings>& launches);

}  // namespace iket::analysis
