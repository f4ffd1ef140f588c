// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Where the readers of pages put what they find.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "known_kernels.hpp"
#include "known_listings.hpp"
#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// Puts each launch, each listing and each warning into a profile once.
class profile_builder {
 public:
  /// `to`, which may have some, outlives this. Linear in it.
  explicit profile_builder(ncu_profile& to) : to_(to), kernels_(to.kernels), listings_(to.listings) {}

  void add(profiled_kernel&& kernel) { kernels_.add(std::move(kernel)); }
  void add(source_listing&& listing) { listings_.add(std::move(listing)); }

  /// Whether the listing is the beginning of the last one, and shorter: a repetition that was cut off.
  [[nodiscard]] bool is_cut_repetition(const source_listing& listing) const {
    return listings_.is_cut_repetition(listing);
  }

  /// "'FILE'" and `text`.
  void warn(const std::string& file, const std::string& text) {
    if (std::string warning = "'" + file + "'" + text; warned_.insert(warning).second)
      to_.warnings.push_back(std::move(warning));
  }

 private:
  ncu_profile& to_;
  known_kernels kernels_;
  known_listings listings_;
  std::set<std::string> warned_;
};

}  // namespace iket::analysis::counters
