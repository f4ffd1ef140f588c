// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What of a trace was drawn, and what was left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chrome_trace.hpp"
#include "timeline.hpp"
#include "trace_slice.hpp"

namespace iket::analysis {

/// How much of a timeline there is.
struct drawn_counts {
  std::uint64_t launches = 0;  ///< with warps
  std::uint64_t ctas = 0;
  std::uint64_t warps = 0;
  std::uint64_t ranges = 0;
  std::uint64_t points = 0;

  bool operator==(const drawn_counts&) const = default;
};

/// Without what is left out.
[[nodiscard]] drawn_counts counts_of(const timeline& of);

struct slice_summary {
  slice_request asked;
  track_grouping group_by = track_grouping::cta;
  std::optional<std::uint64_t> most_bytes;  ///< of the Chrome trace's JSON; none: no limit
  drawn_counts all;                         ///< of the trace
  drawn_counts chosen;                      ///< what was asked for
  std::optional<drawn_counts> drawn;        ///< what there was room for; none where no Chrome trace is written

  /// CTAs that were left out for the size alone.
  [[nodiscard]] std::uint64_t ctas_over_limit() const { return drawn ? chosen.ctas - drawn->ctas : 0; }
  /// Whether there is anything to say.
  [[nodiscard]] bool tells_anything() const {
    return asked.has_launches() || asked.has_parts() || ctas_over_limit() != 0;
  }
};

/// As report.json has it, on one line.
[[nodiscard]] std::string slice_json(const slice_summary& of);

/// "64 of 1024 CTAs drawn, evenly spaced (--max-json)"; empty where all was drawn.
[[nodiscard]] std::string slice_text(const slice_summary& of);

}  // namespace iket::analysis
