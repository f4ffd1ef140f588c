// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// When things on the time line were, by the host's clock.
#pragma once

#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// Ties the devices of `to` to the host's clock, as far as the file has readings, and says when its launches began. The
/// launches are those of `view`, in its order, and their times are there. Warps that had not closed when a snapshot was
/// made go on up to that, and so do the ranges that are open on them.
void add_host_times(const trace_view& view, timeline& to);

}  // namespace iket::analysis
