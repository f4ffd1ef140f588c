// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Keeps a Chrome trace to a size that viewers can take.
#pragma once

#include <cstdint>

#include "chrome_trace.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Marks warps as left out, so that `write_chrome_trace` writes at most `most_bytes` of JSON. What is drawn are CTAs at
/// even distances in the order of launches and CTAs, clusters whole, the first one among them; one CTA or cluster at
/// least, however large. Nothing is left out where all fits.
///
/// Exact: the size of a choice is found by writing it to nowhere, some times at most, and no further than the limit.
void limit_drawing(timeline& of, std::uint64_t most_bytes, const chrome_options& options);

}  // namespace iket::analysis
