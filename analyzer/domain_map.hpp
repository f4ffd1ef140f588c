// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The map of one clock domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "busy_times.hpp"
#include "clock_pairs.hpp"
#include "rate_bounds.hpp"
#include "reading_errors.hpp"
#include "sm_clock.hpp"

namespace iket::analysis {

/// SMs that share a counter, and their pairs.
struct domain_points {
  std::vector<std::uint32_t> sms;      ///< sorted
  std::uint64_t first_cycles = 0;      ///< where the points' zeros lie
  std::uint64_t first_ns = 0;          ///< on the global timer
  std::vector<clock_point> points;     ///< by cycles
  counter_windows windows;             ///< of them
  std::vector<sm_constant> constants;  ///< of each of `sms`

  /// Of an SM that is among them. O(log SMs).
  [[nodiscard]] const sm_constant& constant_of(std::uint32_t sm) const;
};

/// What all domains of a device have in common.
struct device_rates {
  rate_bounds bounds{1, true};
  double rough = 1;             ///< [ns per cycle]
  bool is_assumed = true;       ///< the pairs tell no rate: `rough` is the rated one
  timer_reading reading{};      ///< how a pair's readings may err
  bool is_measured = false;     ///< that comes from the pairs themselves, constants of judged SMs among it
  bool stays_busy = false;      ///< warps ran on behind the last pair
  std::vector<busy_time> busy;  ///< the numbers in the points are places here
};

/// A domain's map, and how many pairs it leaves out because they fit no clock.
struct domain_map {
  clock_chain chain;
  std::size_t left_out = 0;
};

/// `of` has one point at least; global time `zero_ns` becomes 0 ps. Linear in the points, but for what pairs tell
/// together (pair_means.hpp): about a microsecond a pair.
[[nodiscard]] domain_map make_domain_map(const domain_points& of, const device_rates& rates, std::uint64_t zero_ns);

}  // namespace iket::analysis
