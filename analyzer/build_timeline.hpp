// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From trace.bin to the `timeline`: the one entry point that statistics and writers need.
#pragma once

#include <optional>
#include <string>

#include "borrowed_sites.hpp"
#include "read_error.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// What `load_timeline` found. Either `trace` or `error` is set.
struct load_result {
  std::optional<timeline> trace;     ///< all that could be read; its warnings say what could not
  std::optional<read_error> error;   ///< why nothing could be read
  bool damaged = false;              ///< a part of the file was lost or is not as it has to be
  std::optional<read_error> damage;  ///< the first such part, in file order; set where `damaged`
};

/// Reads, decodes, pairs and places on one time line everything in the file at `path`. Never throws for what is in the
/// file; memory may run out. Time and memory are linear in the size of the file.
///
/// What the file lacks of its sites is taken from `sites` where that is given.
[[nodiscard]] load_result load_timeline(const std::string& path, const site_source* sites = nullptr);

/// The same for a file that was read already. `name` becomes `timeline::file`.
[[nodiscard]] timeline build_timeline(const trace_view& view, const std::string& name);

}  // namespace iket::analysis
