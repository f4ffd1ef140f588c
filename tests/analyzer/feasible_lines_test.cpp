// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "feasible_lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "synthetic.hpp"

using iket::analysis::feasible_lines;

namespace {

struct bound {
  double x = 0;
  double y = 0;
  bool is_lower = false;
};

bool keep(feasible_lines& lines, const bound& one, std::size_t owner) {
  return one.is_lower ? lines.keep_above(one.x, one.y, owner) : lines.keep_below(one.x, one.y, owner);
}

struct range {
  double least = 1e300;
  double largest = -1e300;
};
range at(const feasible_lines& lines, double x) {
  range found;
  for (const feasible_lines::corner& one : lines.corners()) {
    found.least = std::min(found.least, one.offset + one.slope * x);
    found.largest = std::max(found.largest, one.offset + one.slope * x);
  }
  return found;
}

double any(synthetic::random_numbers& random, double limit) {
  return (static_cast<double>(random.below(1u << 30)) / (1u << 29) - 1) * limit;
}

}  // namespace

TEST_CASE("lines between two gates spread out behind them") {
  feasible_lines lines(-100, 100, 10);
  CHECK(at(lines, 0).least == -100);
  CHECK(at(lines, 1).largest == 110);
  REQUIRE(lines.keep_above(0, -1, 0));
  REQUIRE(lines.keep_below(0, 1, 0));
  REQUIRE(lines.keep_above(2, 3, 1));
  REQUIRE(lines.keep_below(2, 5, 1));
  CHECK(at(lines, 0).least == Approx(-1));
  CHECK(at(lines, 0).largest == Approx(1));
  CHECK(at(lines, 1).least == Approx(1));
  CHECK(at(lines, 1).largest == Approx(3));
  CHECK(at(lines, 4).least == Approx(5));
  CHECK(at(lines, 4).largest == Approx(11));
  REQUIRE(lines.keep_below(4, 1000, 2));
  CHECK(lines.corners().size() == 4);
}

TEST_CASE("bounds that cannot be kept change nothing, and are named with two that they contradict") {
  feasible_lines lines(-100, 100, 10);
  REQUIRE(lines.keep_above(0, 0, 5));
  REQUIRE(lines.keep_above(2, 0, 6));
  const range before = at(lines, 1);
  CHECK_FALSE(lines.keep_below(1, -1, 7));
  CHECK(lines.contradiction()[0] == 7);
  CHECK(std::min(lines.contradiction()[1], lines.contradiction()[2]) == 5);
  CHECK(std::max(lines.contradiction()[1], lines.contradiction()[2]) == 6);
  CHECK(at(lines, 1).least == before.least);
  // Against the largest slope, which nobody gave.
  feasible_lines steep(-100, 100, 10);
  REQUIRE(steep.keep_below(0, 0, 1));
  CHECK_FALSE(steep.keep_above(1, 11, 2));
  CHECK(steep.contradiction()[0] == 2);
  CHECK(std::min(steep.contradiction()[1], steep.contradiction()[2]) == 1);
  CHECK(std::max(steep.contradiction()[1], steep.contradiction()[2]) == feasible_lines::nobody);
}

TEST_CASE("whichever bounds contradict, the three that are named exclude each other by themselves") {
  int contradictions = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    synthetic::random_numbers random(seed);
    std::vector<bound> bounds(3 + random.below(40));
    const double spread = seed % 2 == 0 ? 100 : 10;
    for (bound& one : bounds) {
      one.is_lower = random.below(2) == 0;
      one.x = any(random, 1000);
      one.y = 0.05 * one.x + (one.is_lower ? -spread : spread) + any(random, 110);
    }
    feasible_lines lines(-1e4, 1e4, 0.4);
    std::size_t next = 0;
    while (next < bounds.size() && keep(lines, bounds[next], next)) ++next;
    if (next == bounds.size()) continue;
    ++contradictions;
    REQUIRE(lines.contradiction()[0] == next);
    feasible_lines alone(-1e4, 1e4, 0.4);
    bool are_kept = true;
    for (const std::size_t owner : lines.contradiction()) {
      if (owner == feasible_lines::nobody) continue;
      REQUIRE(owner <= next);
      are_kept = are_kept && keep(alone, bounds[owner], owner);
    }
    REQUIRE_FALSE(are_kept);
  }
  CHECK(contradictions > 1000);
}

TEST_CASE("bounds that leave a single line leave it, whatever rounding does") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    synthetic::random_numbers random(seed);
    const double offset = any(random, 1e7 / 7);  // with a fraction, so that something is rounded
    const double slope = any(random, 290 / 3.0);
    feasible_lines lines(-1e9, 1e9, 100);
    for (std::size_t i = 0; i < 50; ++i) {
      const double x = 4e4 * static_cast<double>(i * 17 % 50) - 1e6;
      REQUIRE(lines.keep_above(x, offset + slope * x, i));
      REQUIRE(lines.keep_below(x, offset + slope * x, i));
    }
    for (const double x : {-1e6, 0.0, 1e6}) {
      CHECK(at(lines, x).least == Approx(offset + slope * x).margin(1));
      CHECK(at(lines, x).largest == Approx(offset + slope * x).margin(1));
    }
  }
}
