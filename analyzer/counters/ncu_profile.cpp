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

std::optional<double> samples_of(const profiled_kernel& launch) {
  const auto at = launch.raw.find("smsp__pcsamp_sample_count");
  return at == launch.raw.end() ? std::nullopt : std::optional(at->second.value);
}

std::optional<std::uint64_t> samples_of(const source_listing& listing) {
  // Divided by lines, a sample counts in each line that it is inlined through.
  for (std::size_t i = 0; i < listing.columns.size() && listing.has_instructions; ++i)
    if (listing.columns[i].key == "samples") return sums_of(listing)[i];
  return std::nullopt;
}

}  // namespace iket::analysis::counters
