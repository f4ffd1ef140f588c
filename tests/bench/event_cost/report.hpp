// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Tables and limits as text of at most 100 columns.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace event_cost {

/// A promise and what was measured.
struct limit {
  std::string what;
  double measured;
  double bound;
  bool at_most;  ///< else at least

  [[nodiscard]] bool holds() const { return at_most ? measured <= bound : measured >= bound; }
};

/// Prints all and names those missed; true if none is.
inline bool print_limits(const std::vector<limit>& limits) {
  std::string missed;
  std::printf("\nlimits\n");
  for (const limit& one : limits) {
    std::printf("  %-4s  %-62s %8.2f  (at %s %g)\n", one.holds() ? "pass" : "FAIL", one.what.c_str(), one.measured,
                one.at_most ? "most" : "least", one.bound);
    if (!one.holds()) missed += "\n  " + one.what;
  }
  if (missed.empty())
    std::printf("all limits are held\n");
  else
    std::printf("missed:%s\n", missed.c_str());
  return missed.empty();
}

/// The head of a table with a column for each number of warps, on one CTA and on all SMs.
inline void print_head(const char* title, const unsigned (&warp_counts)[4]) {
  std::printf("\n%-36s %-30s  %s\n%-36s", title, "  one CTA on the GPU, warps", "  one CTA on each SM, warps", "");
  for (int half = 0; half < 2; ++half) {
    for (unsigned warps : warp_counts) std::printf(" %6u", warps);
    std::printf(half == 0 ? "   " : "\n");
  }
}

/// A row of that table: first the columns of one CTA, then those of all SMs.
inline void print_row(const char* name, const std::vector<double>& values, int decimals) {
  std::printf("%-36s", name);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::printf("%s %6.*f", i * 2 == values.size() ? "   " : "", decimals, values[i]);
  std::printf("\n");
}

}  // namespace event_cost
