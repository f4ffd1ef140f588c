// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "capture_folder.hpp"

#include <filesystem>
#include <system_error>

namespace iket::analysis {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

/// "plain.bin", "plain.2.bin", "plain.3.bin", as far as they go, without those that nobody came to fill.
std::vector<std::string> files_of(const fs::path& folder, const std::string& run) {
  std::vector<std::string> files;
  for (int number = 1;; ++number) {
    const fs::path file = folder / (run + (number == 1 ? "" : "." + std::to_string(number)) + ".bin");
    if (!is_file(file)) return files;
    std::error_code failure;
    if (fs::file_size(file, failure) != 0) files.push_back(file.string());
  }
}

}  // namespace

std::optional<capture_folder> find_capture(const std::string& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) return std::nullopt;
  capture_folder found;
  found.traced = files_of(path, "traced");
  if (found.traced.empty()) return std::nullopt;
  found.plain = files_of(path, "plain");
  found.profiled = files_of(path, "profiled");
  for (const std::string page : {"raw.csv", "details.csv", "source.csv"})
    for (const std::string& name : {page, page + ".gz"})
      if (const fs::path file = fs::path(path) / name; is_file(file)) {
        found.pages.push_back(file.string());
        break;
      }
  return found;
}

}  // namespace iket::analysis
