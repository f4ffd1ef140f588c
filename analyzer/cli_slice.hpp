// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The options of the command line that choose a part of the trace.
#pragma once

#include <string>
#include <vector>

#include "cli.hpp"

namespace CLI {
class App;
}

namespace iket::analysis {

/// Adds its options to a command line, and then says what was asked for.
class slice_options {
 public:
  /// `app` writes into this object when it parses.
  void add_to(CLI::App& app);

  /// Throws `usage_error` on wrong text, and on options for a Chrome trace of which there is none.
  void read_into(cli_options& options, bool no_trace) const;

 private:
  std::vector<std::string> launches_, ctas_, warps_, roles_;
  std::string stage_, from_, to_, group_by_, most_json_;
};

}  // namespace iket::analysis
