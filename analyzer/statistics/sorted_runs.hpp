// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Sorting of what comes in runs that are sorted already, or nearly so: warp by warp, in order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace iket::analysis {

/// A list that grows run by run, and is then merged; its memory is used again.
template <class Element>
class sorted_runs {
 public:
  std::vector<Element> elements;

  void clear() {
    elements.clear();
    ends_.clear();
  }

  /// All behind the last run is one; it is sorted if it is not. O(n) if it is.
  template <class Less>
  void end_run(const Less& less) {
    const auto begin = at(elements, ends_.empty() ? 0 : ends_.back());
    if (begin == elements.end()) return;
    if (!std::is_sorted(begin, elements.end(), less)) std::stable_sort(begin, elements.end(), less);
    ends_.push_back(elements.size());
  }

  /// Makes all runs one; of equal elements those of an earlier run come first. O(n log r) with r runs.
  template <class Less>
  void merge(const Less& less) {
    for (; ends_.size() > 1; elements.swap(merged_)) {
      merged_.resize(elements.size());
      std::size_t begin = 0;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < ends_.size(); i += 2) {
        const std::size_t middle = ends_[i];
        const std::size_t end = i + 1 < ends_.size() ? ends_[i + 1] : middle;
        std::merge(at(elements, begin), at(elements, middle), at(elements, middle), at(elements, end),
                   at(merged_, begin), less);
        ends_[kept++] = end;
        begin = end;
      }
      ends_.resize(kept);
    }
  }

 private:
  static auto at(std::vector<Element>& of, std::size_t place) {
    return of.begin() + static_cast<std::ptrdiff_t>(place);
  }

  std::vector<Element> merged_;
  std::vector<std::size_t> ends_;  // of the runs
};

}  // namespace iket::analysis
