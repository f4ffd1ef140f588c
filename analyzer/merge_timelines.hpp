// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Several files as one: of the ranks of a job, or of one process after another.
#pragma once

#include <vector>

#include "timeline.hpp"

namespace iket::analysis {

/// One timeline of all launches of `files`, which are at least one, in their order; stages, roles and names of one name
/// become one. Zero is where the first launch of all begins.
///
/// Files of one GPU share its timer and are put together exactly. Other GPUs are put on the line of the first file's by
/// the host's clock, where both have been compared with the same: their times are stretched by the difference of the
/// rates, which is some parts per million. Each device then states how far off it may be
/// (`device::alignment_error_ns`). Files of different hosts have only their clocks of day in common, of which nobody
/// knows the error; that and an error longer than the shortest launch are warned of.
///
/// Linear in the ranges.
[[nodiscard]] timeline merge_timelines(std::vector<timeline> files);

}  // namespace iket::analysis
