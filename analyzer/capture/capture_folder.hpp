// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The folder that iket-capture leaves.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace iket::analysis {

/// The files of its runs, each in the order in which they were written; and the pages that the profiler printed,
/// packed by gzip or not.
struct capture_folder {
  std::vector<std::string> traced;
  std::vector<std::string> plain;
  std::vector<std::string> profiled;
  std::vector<std::string> pages;
};

/// What is in the folder; none where `path` is no folder, or one without a traced.bin.
[[nodiscard]] std::optional<capture_folder> find_capture(const std::string& path);

}  // namespace iket::analysis
