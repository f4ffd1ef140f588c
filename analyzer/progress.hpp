// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A progress bar for work that takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace iket::analysis {

/// Draws on standard error, and only once the work has taken a second: short work leaves no trace.
class progress {
 public:
  /// `visible` is false where standard error is no terminal.
  progress(std::string label, std::uint64_t total, bool visible);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  /// Cheap enough to be called for every small step.
  void update(std::uint64_t done);

 private:
  using clock = std::chrono::steady_clock;

  std::string label_;
  std::uint64_t total_;
  bool visible_;
  bool drawn_ = false;
  clock::time_point next_;
};

}  // namespace iket::analysis
