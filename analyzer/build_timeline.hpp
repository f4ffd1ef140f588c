// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From trace.bin to the `timeline`: the one entry point that statistics and writers need.
#pragma once

#include <cstdint>
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

/// What is said of sites without a name, beside how many there are.
enum class nameless_sites : std::uint8_t {
  advise,  ///< where names may come from
  count,   ///< nothing
  told,    ///< not even that: it is said elsewhere
};

/// Reads, decodes, pairs and places on one time line everything in the file at `path`. Never throws for what is in the
/// file; memory may run out. Time and memory are linear in the size of the file.
///
/// What the file lacks of its sites is taken from `sites` where that is given; what was found there is said, and
/// `nameless` does not count.
[[nodiscard]] load_result load_timeline(const std::string& path, const site_source* sites = nullptr,
                                        nameless_sites nameless = nameless_sites::advise);

/// The same for a file that was read already. `name` becomes `timeline::file`.
[[nodiscard]] timeline build_timeline(const trace_view& view, const std::string& name,
                                      nameless_sites nameless = nameless_sites::advise);

}  // namespace iket::analysis
