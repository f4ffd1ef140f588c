// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Files from the command line to one timeline.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "build_timeline.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// A file of which nothing can be read, or in strict mode one that is damaged; `what()` is one line.
struct unreadable_trace : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The files on one time line; `paths` has one at least. With `strict` any damage is an error, else a warning of the
/// timeline. Names of sites that a file lacks are taken from the file `sites`, unless that is empty, of which damage
/// counts as that of the others does. Throws `unreadable_trace`.
[[nodiscard]] timeline load_traces(const std::vector<std::string>& paths, bool strict, const std::string& sites = {},
                                   nameless_sites nameless = nameless_sites::advise);

}  // namespace iket::analysis
