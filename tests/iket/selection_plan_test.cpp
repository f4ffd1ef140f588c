// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// From what the user selects to the slot that each CTA finds in its kernel, against the definition: CTA by CTA.
#include <iket/detail/selection_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace iket;
using detail::extent;
using detail::selection_plan;

namespace {

/// A tracer and its list, as a session makes them for a plan.
struct planned_tracer {
  explicit planned_tracer(const selection_plan& plan) : entries(plan.list_entries()) {
    of.odd = entries.empty() ? 0 : detail::odd_listed;
    of.list_span = plan.listed.empty() ? 0 : plan.span;
    of.first_cta = plan.first_cta;
    of.stride = detail::make_stride(plan.stride);
    of.ctas = plan.ctas();
  }

  /// As a recorder finds its CTA: `of.ctas` or more where it has no slot.
  [[nodiscard]] std::uint32_t rank(std::uint32_t cta) const {
    if (of.odd == 0) return detail::rank_strided(of, cta);
    return detail::rank_listed(of, cta, [&](std::uint32_t entry) { return entries.at(entry); });
  }

  tracer of;
  std::vector<detail::listed_ctas> entries;
};

/// Number of the cluster in which a CTA is: clusters count x first, as CTAs do.
std::uint32_t cluster_of(std::uint32_t cta, const extent& grid, const extent& cluster) {
  const extent clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  const std::uint32_t x = cta % grid.x, y = cta / grid.x % grid.y, z = cta / (grid.x * grid.y);
  return (z / cluster.z * clusters.y + y / cluster.y) * clusters.x + x / cluster.x;
}

bool names(const cta_selection& selection, std::uint32_t cta, std::uint32_t cluster) {
  if (selection.choice == file::cta_choice::every) return cluster % selection.stride == 0;
  if (selection.choice == file::cta_choice::range) return cta >= selection.first && cta < selection.last;
  return std::count(selection.list.begin(), selection.list.end(), cta) > 0;
}

/// By the definition, for each CTA whether it is traced: clusters of which a CTA is selected, every `thinning`-th.
std::vector<bool> traced_ctas(const cta_selection& selection, const extent& grid, const extent& cluster,
                              std::uint32_t thinning) {
  const auto ctas = static_cast<std::uint32_t>(grid.count());
  std::vector<bool> chosen(static_cast<std::size_t>(grid.count() / cluster.count()));
  for (std::uint32_t cta = 0; cta < ctas; ++cta) {
    const std::uint32_t number = cluster_of(cta, grid, cluster);
    if (names(selection, cta, number)) chosen[number] = true;
  }
  std::uint32_t seen = 0;
  for (std::size_t number = 0; number < chosen.size(); ++number)
    if (chosen[number]) chosen[number] = seen++ % thinning == 0;
  std::vector<bool> traced;
  for (std::uint32_t cta = 0; cta < ctas; ++cta) traced.push_back(chosen[cluster_of(cta, grid, cluster)]);
  return traced;
}

/// All that are traced, and no others, have ranks below the number of CTAs, each once.
void check_plan(const cta_selection& selection, const extent& grid, const extent& cluster, std::uint32_t thinning) {
  CAPTURE(static_cast<int>(selection.choice), selection.stride, selection.first, selection.last, selection.list);
  CAPTURE(grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z, thinning);
  const selection_plan plan = detail::plan_selection(selection, grid, cluster, thinning);
  REQUIRE(plan.stride > 0);
  const planned_tracer made(plan);
  const std::vector<bool> traced = traced_ctas(selection, grid, cluster, thinning);

  REQUIRE(plan.ctas() == static_cast<std::uint32_t>(std::count(traced.begin(), traced.end(), true)));
  std::vector<bool> taken(plan.ctas());
  std::uint32_t wrong = 0;
  for (std::uint32_t cta = 0; cta < traced.size(); ++cta) {
    const std::uint32_t rank = made.rank(cta);
    if ((rank < plan.ctas()) != traced[cta] || (traced[cta] && taken[rank])) {
      ++wrong;
    } else if (traced[cta]) {
      taken[rank] = true;
    }
  }
  REQUIRE(wrong == 0);
  REQUIRE(made.entries.size() * sizeof(detail::listed_ctas) == plan.list_bytes());
}

/// Clusters that divide the grid in ways of their own.
std::vector<extent> clusters_of(const extent& grid) {
  std::vector<extent> clusters;
  for (const extent cluster : {extent{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 2}, {4, 2, 2}})
    if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) clusters.push_back(cluster);
  return clusters;
}

constexpr extent grids[] = {{1, 1, 1},   {2, 1, 1}, {31, 1, 1}, {32, 1, 1}, {33, 1, 1}, {64, 1, 1},
                            {132, 1, 1}, {1, 7, 1}, {1, 1, 5},  {4, 6, 1},  {12, 4, 2}, {8, 8, 4}};
constexpr std::uint32_t thinnings[] = {1, 2, 3, 7, 100};

template <class Check>
void for_each_layout(Check check) {
  for (const extent& grid : grids)
    for (const extent& cluster : clusters_of(grid))
      for (const std::uint32_t thinning : thinnings) check(grid, cluster, thinning);
}

}  // namespace

TEST_CASE("every n-th CTA or cluster has a slot of its own") {
  for_each_layout([](const extent& grid, const extent& cluster, std::uint32_t thinning) {
    for (const std::uint32_t stride : {1u, 2u, 3u, 5u, 8u, 33u, 0x80000000u, 0xFFFFFFFFu})
      check_plan(ctas::every(stride), grid, cluster, thinning);
  });
}

TEST_CASE("a range of CTAs has slots, with the rest of its clusters") {
  for_each_layout([](const extent& grid, const extent& cluster, std::uint32_t thinning) {
    const auto ctas = static_cast<std::uint32_t>(grid.count());
    for (const std::uint32_t first : {0u, 1u, ctas / 3, ctas - 1})
      for (const std::uint32_t last : {first + 1, first + 2, ctas / 2, ctas, ctas + 5, 0xFFFFFFFFu})
        if (first < std::min(last, ctas)) check_plan(ctas::range(first, last), grid, cluster, thinning);
  });
}

TEST_CASE("listed CTAs have slots, in whatever order and however often they are named") {
  std::mt19937 random(2);
  for_each_layout([&](const extent& grid, const extent& cluster, std::uint32_t thinning) {
    const auto ctas = static_cast<std::uint32_t>(grid.count());
    for (const std::uint32_t named : {1u, 2u, 5u, 40u}) {
      std::vector<std::uint32_t> list;
      for (std::uint32_t i = 0; i < named; ++i) list.push_back(static_cast<std::uint32_t>(random()) % ctas);
      check_plan(ctas::list(list), grid, cluster, thinning);
    }
    check_plan(ctas::list({ctas - 1, 0}), grid, cluster, thinning);
  });
}

TEST_CASE("a list takes memory between its first and its last CTA alone") {
  const extent grid{1u << 30, 1, 1}, alone{1, 1, 1};
  CHECK(detail::plan_selection(ctas::all(), grid, alone).list_bytes() == 0);
  CHECK(detail::plan_selection(ctas::every(3), grid, alone, 5).list_bytes() == 0);
  CHECK(detail::plan_selection(ctas::range(5, 1u << 29), grid, alone, 5).list_bytes() == 0);
  CHECK(detail::plan_selection(ctas::all(), grid, {2, 1, 1}).list_bytes() == 0);
  const selection_plan plan = detail::plan_selection(ctas::list({1u << 29, (1u << 29) + 32}), grid, alone);
  CHECK(plan.list_bytes() == 16);
  CHECK(planned_tracer(plan).rank((1u << 29) + 32) == 1);
  CHECK(planned_tracer(plan).rank(0) >= plan.ctas());
}

TEST_CASE("in the largest grid, CTAs around the selected ones are told apart") {
  constexpr std::uint32_t last = std::numeric_limits<std::int32_t>::max();
  const extent grid{last, 1, 1};
  std::mt19937 random(3);
  for (const std::uint32_t stride : {1u, 2u, 3u, 1000u, 65536u, 0x40000000u, last, 0xFFFFFFFFu})
    for (const std::uint32_t thinning : {1u, 2u, 12345u}) {
      CAPTURE(stride, thinning);
      const selection_plan plan = detail::plan_selection(ctas::every(stride), grid, {1, 1, 1}, thinning);
      const planned_tracer made(plan);
      const std::uint64_t step = std::uint64_t{stride} * thinning;
      REQUIRE(plan.ctas() == (last - 1) / step + 1);
      for (int trial = 0; trial < 300; ++trial) {
        const auto near = static_cast<std::uint32_t>(random() % plan.ctas() * step);
        for (const std::uint32_t cta : {near, near - 1, near + 1, near + 2, last - 1}) {
          if (cta >= last) continue;
          if (cta % step == 0)
            REQUIRE(made.rank(cta) == cta / step);
          else
            REQUIRE(made.rank(cta) >= plan.ctas());
        }
      }
    }
}

TEST_CASE("what selects nothing, or what is not there, is refused") {
  const extent grid{10, 2, 1}, alone{1, 1, 1};
  const auto plan = [&](const cta_selection& selection) { return detail::plan_selection(selection, grid, alone); };
  CHECK_THROWS_AS(plan(ctas::every(0)), error);
  CHECK_THROWS_AS(plan(ctas::range(3, 3)), error);
  CHECK_THROWS_AS(plan(ctas::range(4, 3)), error);
  CHECK_THROWS_AS(plan(ctas::range(20, 30)), error);
  CHECK_THROWS_AS(plan(ctas::list({})), error);
  CHECK_THROWS_AS(plan(ctas::list({3, 20})), error);
  CHECK_THROWS_AS(detail::plan_selection(ctas::all(), grid, {3, 1, 1}), error);
  CHECK_THROWS_AS(detail::plan_selection(ctas::all(), grid, {1, 4, 1}), error);
  CHECK_THROWS_AS(detail::plan_selection(ctas::all(), grid, {1, 1, 2}), error);
  CHECK(plan(ctas::range(19, 30)).ctas() == 1);
}
