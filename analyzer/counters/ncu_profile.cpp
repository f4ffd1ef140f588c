// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "ncu_profile.hpp"

namespace iket::analysis::counters {

std::vector<std::uint64_t> sums_of(const source_listing& listing) {
  std::vector<std::uint64_t> sums(listing.columns.size());
  for (const source_row& row : listing.rows)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row.values[i];
  return sums;
}

}  // namespace iket::analysis::counters
