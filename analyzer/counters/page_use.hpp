// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What came of a profiler's pages: which were of use, and which launches went without.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launch_matcher.hpp"
#include "ncu_profile.hpp"
#include "report.hpp"

namespace iket::analysis::counters {

/// Notes what was used, and warns of what was not.
class page_use {
 public:
  explicit page_use(const ncu_profile& profile);

  void note(const std::set<std::string>& files) { used_.insert(files.begin(), files.end()); }

  /// Several kernels fit a launch: that is the warning.
  void note_ambiguous(const launch_report& launch, const profiled_kernels& found, std::vector<std::string>& warnings);

  /// To be called at the end. Where no launch has counters: what the pages have, and what was looked for, unless
  /// another warning tells why. Else pages that were not used, and launches without counters. `kernel` is what was
  /// asked for.
  void warn(const std::string& kernel, report& to) const;

 private:
  void warn_of_no_match(const std::string& kernel, report& to) const;

  static constexpr std::size_t most_names = 100;  // of a file

  std::map<std::string, std::set<std::string>> names_in_file_;  // of kernels, as a message tells them
  std::set<std::string> used_;                                  // files
  std::set<std::string> ambiguous_;                             // launches
  bool pages_warn_;
};

}  // namespace iket::analysis::counters
