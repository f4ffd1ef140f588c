// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Which SMs share a cycle counter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "clock_pairs.hpp"

namespace iket::analysis {

/// The pairs of SMs that share a counter, by cycles.
struct clock_domain {
  std::vector<std::uint32_t> sms;  ///< in order
  std::vector<sm_pair> pairs;
};

/// Groups SMs by their pairs, which are sorted by (SM, cycles). `ns_per_cycle` is right to a quarter.
///
/// An SM joins a domain where its pairs lie on the domain's: between two neighbours, near in time, on the line through
/// them. (Measured on an H200: counters of a GPC agree to 5 ns, those of different GPCs differ by milliseconds.) It
/// stays by itself where no pair of the domain is near enough to tell, or where more than one domain would do about as
/// well. The SMs with most pairs come first, of those the earlier ones. O(domains * pairs * log pairs).
[[nodiscard]] std::vector<clock_domain> group_into_domains(std::span<const sm_pair> pairs, double ns_per_cycle,
                                                           const timer_reading& reading);

}  // namespace iket::analysis
