// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Listings of pages `source`, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ncu_profile.hpp"

namespace iket::analysis::counters {

/// Knows a launch's listing again: a page of several launches prints each twice, and one run may be given as a page
/// with source lines and as one without. Rows with the same addresses, instructions and figures are one launch: of
/// another one the samples differ.
class known_listings {
 public:
  /// `listings`, which may have some, outlives this. Linear in them.
  explicit known_listings(std::vector<source_listing>& listings);

  /// Appends the listing, unless it is there; the one with source lines stays. Linear in its rows.
  void add(source_listing&& listing);

  /// Whether the listing is the beginning of the last one, and shorter: a repetition that was cut off.
  [[nodiscard]] bool is_cut_repetition(const source_listing& listing) const;

 private:
  std::vector<source_listing>& listings_;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> places_;  // by kernel and hash of the rows
};

}  // namespace iket::analysis::counters
