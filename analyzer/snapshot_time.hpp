// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When a snapshot was made, on the time line of what it shows.
#pragma once

#include <iket/trace_file.hpp>

#include "host_clock.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// The moment when the first record was copied: what came before is in the snapshot. The error is that of the tie
/// between the clocks, and the time that the copies took, since a record may have come meanwhile.
[[nodiscard]] snapshot snapshot_of(const file::snapshot_info& from, const host_clock_fit& fit, const device& of);

/// Warps of a launch that had not closed were still where they stood: their windows, and the ranges that are open on
/// them, end at the snapshot, or with their last event where that came while records were copied. Of those ranges the
/// cycles are not known, and 0.
void extend_to(const snapshot& until, launch& of);

}  // namespace iket::analysis
