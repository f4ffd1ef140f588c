// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The files of a command line: which there are, and that nothing is written over what is read.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "cli.hpp"

namespace iket::analysis {

/// Throws `usage_error` unless the name ends in one of these. Pipes and devices take any name.
void check_ending(const std::string& option, const std::string& path, std::initializer_list<const char*> endings);

/// Puts in the place of a folder that iket-capture has left what is in it: of a trace all its runs and pages, of a
/// baseline the traced run, of the trace with the sites its first file. Throws `usage_error` for a capture among
/// several traces.
void unfold_captures(cli_options& options);

/// Where the Chrome trace goes unless the user says so: in a capture's folder, else beside the first trace.
[[nodiscard]] std::string output_beside(const cli_options& options);

/// All files that are read.
[[nodiscard]] std::vector<std::string> input_files(const cli_options& options);

/// Throws `usage_error` where an output is an input, by whatever name, a page of a capture, or the other output; and
/// where an input is named twice.
void check_files(const cli_options& options);

}  // namespace iket::analysis
