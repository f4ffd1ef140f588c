// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "pair_vote.hpp"

#include <catch.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "clock_truth.hpp"

using iket::analysis::clock_point;
using iket::analysis::outvoted;
using iket::analysis::standing_out;
using iket::analysis::vote_rule;

namespace {

constexpr vote_rule rule{0.125, 2, 264, 4};

/// At 2 cycles a ns, a pair each 10 us.
std::vector<clock_point> straight(std::size_t count) {
  std::vector<clock_point> points;
  for (std::size_t i = 0; i < count; ++i)
    points.push_back({static_cast<double>(i) * 20'000, static_cast<double>(i) * 10'000, 0, 0});
  return points;
}

std::vector<std::size_t> places(const std::vector<bool>& of) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i]) found.push_back(i);
  return found;
}

}  // namespace

TEST_CASE("a pair that its neighbours contradict is outvoted, and they are not") {
  std::vector<clock_point> points = straight(20);
  CHECK(places(outvoted(points, rule)).empty());
  points[7].ns += 1e6;
  CHECK(places(outvoted(points, rule)) == std::vector<std::size_t>{7});
}

TEST_CASE("a right pair among wrong ones that came together is asked for again") {
  std::vector<clock_point> points = straight(20);
  for (const std::size_t i : {14u, 15u, 16u, 17u}) points[i].ns = -1e7 * static_cast<double>(i);
  CHECK(places(outvoted(points, rule)) == std::vector<std::size_t>{14, 15, 16, 17});
}

TEST_CASE("where nobody agrees with anybody, all are out") {
  CHECK(places(outvoted(std::vector<clock_point>{{0, 0, 0, 0}, {10, 1e6, 0, 0}, {20, -1e6, 0, 0}}, rule)).size() == 3);
}

TEST_CASE("many that lose cost no more than others") {
  clock_truth::dice random(1);
  std::vector<clock_point> points;
  for (int i = 0; i < 500'000; ++i) points.push_back({i * 1e3, random.uniform(0, 1e9), 0, 0});
  CHECK(places(outvoted(points, rule)).size() > points.size() / 2);
}

TEST_CASE("a pair far off the lines between its neighbours stands out, also at the ends") {
  for (const std::size_t wrong : {0u, 1u, 12u, 37u, 38u, 39u}) {
    std::vector<clock_point> points = straight(40);
    points[wrong].ns += wrong < 2 ? -30'000 : 30'000;
    const vote_rule narrow{0.49, 0.51, 200, 8};
    CAPTURE(wrong);
    CHECK(places(standing_out(points, narrow)) == std::vector<std::size_t>{wrong});
  }
}
