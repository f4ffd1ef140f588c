// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What ties the time lines of several files together.
#pragma once

#include <span>
#include <vector>

#include "time_shift.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Whether both are the same GPU since the same boot, whose timer then is one; false where that is unknown.
[[nodiscard]] bool is_same_gpu(const device& a, const device& b);

/// By file and device in it: from that device's line in that file to the line of the first file's first device.
[[nodiscard]] std::vector<std::vector<time_shift>> align_devices(std::span<const timeline> files);

}  // namespace iket::analysis
