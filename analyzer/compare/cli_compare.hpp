// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The options of the command line that hold a trace against a baseline, and against bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.hpp"

namespace CLI {
class App;
}

namespace iket::analysis {

/// Adds its options to a command line, and then says what was asked for.
class compare_options {
 public:
  /// `app` writes into this object when it parses.
  void add_to(CLI::App& app);

  /// Throws `usage_error` on gates that are none, and on what needs a baseline where there is none.
  void read_into(cli_options& options) const;

  /// How gates are written, for --help.
  [[nodiscard]] static const char* help();

 private:
  std::vector<std::string> baseline_, gates_;
  std::optional<std::string> seed_;
};

}  // namespace iket::analysis
