// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is wrong with a file, part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "read_error.hpp"

namespace iket::analysis {

/// Collects damage. Keeps the first few and counts the others, so that a file made of nothing but damage does not fill
/// the memory with words about it.
class damage_list {
 public:
  void malformed(std::uint64_t offset, std::string text) { add({read_error_kind::malformed, offset, std::move(text)}); }
  void truncated(std::uint64_t offset, std::string text) { add({read_error_kind::truncated, offset, std::move(text)}); }

  /// A name was longer than what is taken of one. That is no damage.
  void cut_name() noexcept { ++cut_names_; }
  [[nodiscard]] std::uint64_t cut_names() const noexcept { return cut_names_; }

  [[nodiscard]] bool empty() const noexcept { return errors_.empty(); }

  /// All that was collected, by offset.
  [[nodiscard]] std::vector<read_error> take() {
    std::stable_sort(errors_.begin(), errors_.end(),
                     [](const read_error& a, const read_error& b) { return a.offset < b.offset; });
    if (left_out_ != 0)
      errors_.push_back({read_error_kind::malformed, errors_.back().offset,
                         "further damage in " + std::to_string(left_out_) + " places is not listed"});
    return std::move(errors_);
  }

 private:
  static constexpr std::size_t most = 100;

  void add(read_error error) {
    if (errors_.size() < most)
      errors_.push_back(std::move(error));
    else
      ++left_out_;
  }

  std::vector<read_error> errors_;
  std::uint64_t left_out_ = 0;
  std::uint64_t cut_names_ = 0;
};

}  // namespace iket::analysis
