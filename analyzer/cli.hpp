// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The command line of iket-analyze.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "chrome_trace.hpp"
#include "compare/bootstrap.hpp"
#include "compare/gate.hpp"
#include "statistics/scope.hpp"
#include "trace_slice.hpp"

namespace iket::analysis {

enum exit_code : int {
  exit_done = 0,         ///< also for a damaged file of which a part could be read: with a warning
  exit_gate_failed = 1,  ///< a gate asked for on the command line failed
  exit_usage = 2,        ///< wrong usage
  exit_unreadable = 3,   ///< nothing readable; or any damage with --strict; or no launch that the pages fit
  exit_unwritten = 4,    ///< output not written
};

/// Perfetto opens a Chrome trace of this size in some seconds.
inline constexpr std::uint64_t default_json_bytes = 100'000'000;

struct cli_options {
  std::vector<std::string> traces;  ///< the files to read, at least one
  std::string output;               ///< the Chrome trace, packed if it ends in .gz; empty: none
  std::string report;               ///< the report as a file, whose ending says of what kind; empty: none
  std::string sites;                ///< a file to take names of sites from; empty: none
  slice_request slice;              ///< what to report and draw
  track_grouping group_by = track_grouping::cta;
  std::optional<std::uint64_t> most_json_bytes = default_json_bytes;  ///< of the Chrome trace; none: all it takes
  std::optional<std::uint64_t> most_memory;  ///< that the program may take [bytes]; none: no limit
  bool strict = false;                       ///< any damage is an error
  bool quiet = false;                        ///< print no report
  std::optional<std::size_t> columns;        ///< of the printed report
  analysis::scope scope = scope::cta;        ///< of what relates warps
  std::string capture;                       ///< the folder of iket-capture that all this is in; empty: none
  std::vector<std::string> plain;            ///< files of a run beside the traced one, of which times are taken
  std::vector<std::string> profiled;         ///< files of the run that the profiler looked at
  std::vector<std::string> ncu;              ///< pages of a profiler to take hardware counters from
  std::string ncu_kernel;                    ///< a part of the name of whose figures they are; empty: by its own name
  std::vector<std::string> baseline;         ///< the files to compare with; none: no comparison
  std::vector<gate> gates;                   ///< what must not be
  bootstrap_options bootstrap;               ///< of the comparison's intervals
};

/// A command line that asks for nothing sensible; `what()` is one line.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Text that the command line asked for instead of work: --help, --version.
struct requested_text {
  std::string text;
};

/// Throws `usage_error`.
[[nodiscard]] std::variant<cli_options, requested_text> parse_command_line(int argc, const char* const* argv);

}  // namespace iket::analysis
