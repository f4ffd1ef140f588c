// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <cmath>
#include <limits>
#include <random>

#include "compare/bootstrap.hpp"
#include "compare/same_ctas.hpp"
#include "compare/student.hpp"
#include "parallel.hpp"

namespace iket::test {
namespace {

using namespace iket::analysis;

/// Normal contributions, less their means: of each launch so many blocks.
influences normal_influences(std::size_t figures, std::size_t launches, std::size_t blocks, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  influences result;
  result.figures = figures;
  for (std::size_t launch = 0; launch <= launches; ++launch) result.first_block.push_back(launch * blocks);
  for (std::size_t i = 0; i < launches * blocks * figures; ++i) result.values.push_back(normal(random));
  for (std::size_t figure = 0; figure < figures; ++figure) {
    double sum = 0;
    for (std::size_t i = figure; i < result.values.size(); i += figures) sum += result.values[i];
    for (std::size_t i = figure; i < result.values.size(); i += figures)
      result.values[i] -= sum * static_cast<double>(figures) / static_cast<double>(result.values.size());
  }
  return result;
}

TEST_CASE("Student's quantiles are those of tables") {
  CHECK(student_quantile(0.5, 1) == Approx(1.0).epsilon(1e-7));
  CHECK(student_quantile(0.95, 1) == Approx(12.7062047).epsilon(1e-7));
  CHECK(student_quantile(0.95, 2) == Approx(4.30265273).epsilon(1e-7));
  CHECK(student_quantile(0.99, 5) == Approx(4.03214298).epsilon(1e-7));
  CHECK(student_quantile(0.95, 10) == Approx(2.22813885).epsilon(1e-7));
  CHECK(student_quantile(0.999, 30) == Approx(3.64595864).epsilon(1e-7));
  CHECK(student_quantile(0.95, 1000) == Approx(1.96233908).epsilon(1e-7));
  CHECK(student_quantile(0.95, 1e9) == student_quantile(0.95, 1000));
  // Between whole numbers it falls.
  CHECK(student_quantile(0.95, 1.5) < student_quantile(0.95, 1));
  CHECK(student_quantile(0.95, 1.5) > student_quantile(0.95, 2));
  CHECK(student_quantile(0, 3) == 0);
  CHECK(std::isinf(student_quantile(1, 3)));
}

TEST_CASE("one figure of many normal blocks has the interval of theory") {
  const influences before = normal_influences(1, 1, 2000, 1), after = normal_influences(1, 1, 2000, 2);
  const bootstrap_result result = bootstrap(before, after, {});
  CHECK(!result.over_launches);
  CHECK(result.half_widths.at(0) == Approx(1.96 * std::sqrt(4000.0)).epsilon(0.08));
}

TEST_CASE("the more figures, the wider each interval") {
  const double one = bootstrap(normal_influences(1, 1, 200, 1), normal_influences(1, 1, 200, 2), {}).half_widths[0];
  const double twenty =
      bootstrap(normal_influences(20, 1, 200, 1), normal_influences(20, 1, 200, 2), {}).half_widths[0];
  // The normal quantile at 0.95^(1/20) is 3.02.
  CHECK(twenty / one == Approx(3.02 / 1.96).epsilon(0.15));
}

TEST_CASE("a figure that few blocks have makes the intervals of the others no wider") {
  influences before = normal_influences(4, 1, 40, 1), after = normal_influences(4, 1, 40, 2);
  const bootstrap_result without = bootstrap(before, after, {});
  for (influences* const side : {&before, &after})
    for (std::size_t block = 0; block < 40; ++block) side->values[4 * block + 3] = block == 0 ? 39 : -1;
  const bootstrap_result with = bootstrap(before, after, {});
  for (std::size_t figure = 0; figure < 3; ++figure)
    CHECK(with.half_widths[figure] < 1.2 * without.half_widths[figure]);
}

TEST_CASE("the same seed gives the same intervals on any number of threads, another one others") {
  const influences before = normal_influences(5, 3, 30, 1), after = normal_influences(5, 2, 40, 2);
  const bootstrap_result first = bootstrap(before, after, {});
  CHECK(first.over_launches);
  for (const unsigned threads : {1u, 2u, 5u}) {
    limit_threads(threads);
    CHECK(bootstrap(before, after, {}).half_widths == first.half_widths);
  }
  limit_threads(0);
  bootstrap_options other;
  other.seed = 2;
  CHECK(bootstrap(before, after, other).half_widths != first.half_widths);
}

TEST_CASE("launches that differ as a whole widen the intervals, blocks that differ always alike do not") {
  influences before = normal_influences(1, 6, 20, 1), after = normal_influences(1, 6, 20, 2);
  const double alike = bootstrap(before, after, {}).half_widths[0];
  influences uneven_before = before, uneven_after = after;
  for (influences* const side : {&uneven_before, &uneven_after})
    for (std::size_t i = 0; i < side->values.size(); ++i) side->values[i] += i / 20 % 2 == 0 ? 3 : -3;
  CHECK(bootstrap(uneven_before, uneven_after, {}).half_widths[0] > 3 * alike);
  influences steep_before = before, steep_after = after;
  for (influences* const side : {&steep_before, &steep_after})
    for (std::size_t i = 0; i < side->values.size(); ++i) side->values[i] += 10 * (static_cast<double>(i % 20) - 9.5);
  CHECK(bootstrap(steep_before, steep_after, {}).half_widths[0] > 10 * alike);
  CHECK(hold_against_itself(before, after));
  CHECK(hold_against_itself(steep_before, steep_after));
  CHECK(bootstrap(steep_before, steep_after, {}).half_widths[0] ==
        Approx(bootstrap(before, after, {}).half_widths[0]).epsilon(1e-6));
}

TEST_CASE("several launches against one are the blocks of one launch") {
  const influences before = normal_influences(3, 6, 5, 1), after = normal_influences(3, 1, 16, 2);
  influences together = before;
  together.first_block = {0, 30};
  CHECK(bootstrap(before, after, {}).half_widths == bootstrap(together, after, {}).half_widths);
  CHECK(bootstrap(after, before, {}).half_widths == bootstrap(after, together, {}).half_widths);
  // Launches of one block each vary, too.
  influences single = normal_influences(3, 6, 1, 1);
  for (const double width : bootstrap(single, after, {}).half_widths) CHECK(width > 0);
}

TEST_CASE("launches with other numbers of blocks are not held against themselves") {
  for (const std::size_t launches : {1, 2}) {
    influences before = normal_influences(2, launches, 20, 1), after = normal_influences(2, launches, 10, 2);
    const influences old_side = before, new_side = after;
    CHECK(!hold_against_itself(before, after));
    CHECK(!hold_against_itself(after, before));
    CHECK(before.values == old_side.values);
    CHECK(after.values == new_side.values);
  }
  influences uneven = normal_influences(2, 2, 10, 1), even = uneven;
  uneven.first_block = {0, 7, 20};
  CHECK(!hold_against_itself(uneven, even));
}

TEST_CASE("blocks that are all alike leave no width") {
  influences none = normal_influences(2, 1, 10, 1);
  for (double& value : none.values) value = 0;
  CHECK(bootstrap(none, none, {}).half_widths == std::vector<double>{0, 0});
}

TEST_CASE("with two launches each the interval is that of two degrees of freedom at least") {
  const influences before = normal_influences(1, 2, 1, 1), after = normal_influences(1, 2, 1, 2);
  double variance = 0;
  for (const influences* const side : {&before, &after})
    for (const double value : side->values) variance += 2 * value * value;
  CHECK(bootstrap(before, after, {}).half_widths[0] >= 4.3 * std::sqrt(variance) * 0.99);
}

}  // namespace
}  // namespace iket::test
