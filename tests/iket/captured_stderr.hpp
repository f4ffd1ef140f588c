// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a test's program says to its user.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>

#include <unistd.h>

#include "scratch_folder.hpp"

/// What is written to stderr, from its making on.
class captured_stderr {
 public:
  explicit captured_stderr(const scratch_folder& folder) : path_(folder / "stderr") {
    (void)std::fflush(stderr);
    before_ = dup(STDERR_FILENO);
    std::FILE* const file = std::fopen(path_.c_str(), "w");
    (void)dup2(fileno(file), STDERR_FILENO);
    (void)std::fclose(file);
  }
  captured_stderr(const captured_stderr&) = delete;
  captured_stderr& operator=(const captured_stderr&) = delete;
  ~captured_stderr() {
    (void)dup2(before_, STDERR_FILENO);
    (void)close(before_);
  }
  [[nodiscard]] std::string text() const { return content_of(path_); }
  /// Waits until that is there, for 10 s at most.
  [[nodiscard]] bool waits_for(const std::string& part) const {
    const auto has_come = [&] { return text().find(part) != std::string::npos; };
    for (int i = 0; i < 2000 && !has_come(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return has_come();
  }

 private:
  std::string path_;
  int before_;
};

inline std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}
