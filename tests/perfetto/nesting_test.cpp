// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT

// Slices in random positions against a model that compares all pairs.

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "json_number.hpp"
#include "rules.hpp"
#include "trace_text.hpp"

using iket::perfetto::check;
using iket::perfetto::rule;
using iket::perfetto::statistics;
using trace_text::file;
using trace_text::slice;

namespace {

struct span {
  std::int64_t begin, end;
  [[nodiscard]] bool empty() const { return begin == end; }
};

std::string all(const std::vector<span>& spans) {
  std::string text;
  for (const span& one : spans) text += (text.empty() ? "" : ",") + slice(one.begin, one.end);
  return text;
}

bool overlap_in_part(const span& a, const span& b) { return a.begin < b.begin && b.begin < a.end && a.end < b.end; }

bool holds(const span& outer, const span& inner) {
  if (outer.begin > inner.begin || inner.end > outer.end) return false;
  return inner.begin < outer.end || (outer.empty() && inner.empty());
}

// Takes the slices by begin, longest first, and keeps each that crosses none of those kept.
struct outcome {
  std::size_t moved = 0, kept = 0, depth = 0;
};

outcome compare_all_pairs(std::vector<span> spans) {
  std::stable_sort(spans.begin(), spans.end(),
                   [](const span& a, const span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  outcome result;
  std::vector<span> kept;
  for (const span& one : spans) {
    if (std::any_of(kept.begin(), kept.end(), [&](const span& other) { return overlap_in_part(other, one); })) {
      ++result.moved;
      continue;
    }
    const auto around = std::count_if(kept.begin(), kept.end(), [&](const span& other) { return holds(other, one); });
    result.depth = std::max(result.depth, static_cast<std::size_t>(around) + 1);
    kept.push_back(one);
  }
  result.kept = kept.size();
  return result;
}

// Splits a range into children that touch each other and its ends as often as not.
void grow(std::mt19937& random, span within, int depth, std::vector<span>& out) {
  out.push_back(within);
  if (depth == 0) return;
  std::vector<std::int64_t> cuts{within.begin, within.end};
  std::uniform_int_distribution<std::int64_t> place(within.begin, within.end);
  for (int count = 0; count < 3; ++count) cuts.push_back(place(random));
  std::sort(cuts.begin(), cuts.end());
  for (std::size_t at = 1; at < cuts.size(); ++at)
    if (random() % 3 != 0) grow(random, {cuts[at - 1], cuts[at]}, depth - 1, out);
}

std::string nested(std::size_t count, std::int64_t step) {
  std::vector<span> spans;
  for (std::size_t at = 0; at < count; ++at) {
    const auto inset = static_cast<std::int64_t>(at) * step;
    spans.push_back({inset, 2000 - inset});
  }
  return all(spans);
}

}  // namespace

TEST_CASE("random slices are moved exactly where two cross") {
  std::mt19937 random(1);
  std::size_t crossing = 0;
  for (int round = 0; round < 3000; ++round) {
    const int range = 3 + static_cast<int>(random() % 60);
    std::vector<span> spans(1 + random() % 9);
    for (span& one : spans) {
      one.begin = static_cast<std::int64_t>(random() % static_cast<unsigned>(range));
      one.end = one.begin + static_cast<std::int64_t>(random() % 4 == 0 ? 0 : random() % static_cast<unsigned>(range));
    }
    const outcome expected = compare_all_pairs(spans);
    statistics counts;
    const auto found = check(file(all(spans)), &counts);
    CAPTURE(all(spans));
    REQUIRE(found.size() == expected.moved);
    for (const auto& one : found) REQUIRE(one.broken == rule::moved);
    REQUIRE(counts.slices == expected.kept);
    REQUIRE(counts.max_depth == expected.depth);
    crossing += expected.moved != 0;
  }
  CHECK(crossing > 500);  // both outcomes were tried
  CHECK(crossing < 2500);
}

TEST_CASE("nested slices with shared ends are kept at any time, and one more nanosecond is found") {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const auto begin = static_cast<std::int64_t>(random()) * (round % 2 == 0 ? 1 : 250);
    std::vector<span> spans;
    grow(random, {begin, begin + 1000 + static_cast<std::int64_t>(random() % 100000)}, 3, spans);
    std::shuffle(spans.begin(), spans.end(), random);
    statistics counts;
    REQUIRE(check(file(all(spans)), &counts).empty());
    REQUIRE(counts.slices == spans.size());

    // A slice that leaves the outermost one by a nanosecond, which it began in.
    const auto outer = std::max_element(spans.begin(), spans.end(),
                                        [](const span& a, const span& b) { return a.end - a.begin < b.end - b.begin; });
    spans.push_back({outer->end - 1, outer->end + 1});
    REQUIRE(contains(check(file(all(spans))), rule::moved));
  }
}

TEST_CASE("512 slices nest, and 513 do not") {
  statistics counts;
  CHECK(check(file(nested(512, 1)), &counts).empty());
  CHECK(counts.max_depth == 512);
  CHECK(check(file(nested(512, 0))).empty());

  const auto found = check(file(nested(513, 1)), &counts);
  REQUIRE(found.size() == 1);
  CHECK(found.front().broken == rule::too_deep);
  CHECK(counts.slices == 512);
  CHECK(contains(check(file(nested(513, 0))), rule::too_deep));
}

TEST_CASE("marks at one nanosecond of one thread nest, so their number is limited") {
  const std::string mark = trace_text::on_thread('i', R"("ts":1,"s":"t")");
  std::string marks = mark;
  for (int count = 1; count < 512; ++count) marks += ',' + mark;
  CHECK(check(file(marks)).empty());
  CHECK(contains(check(file(marks + ',' + mark)), rule::too_deep));
}

TEST_CASE("a slice of no length may stand anywhere in another, and at its end is its sibling") {
  statistics counts;
  for (const std::int64_t at : {1000, 1500}) {
    CHECK(check(file(slice(at, at) + ',' + slice(1000, 2000)), &counts).empty());
    CHECK(counts.max_depth == 2);
  }
  CHECK(check(file(slice(2000, 2000) + ',' + slice(1000, 2000)), &counts).empty());
  CHECK(counts.max_depth == 1);
}

TEST_CASE("decimals of a microsecond come back as their nanoseconds") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100000; ++round) {
    const auto ns = static_cast<std::int64_t>(random() % 1'000'000'000'000'000);  // eleven days
    const auto time = iket::perfetto::read_time(trace_text::us(ns));
    REQUIRE(time.ns == ns);
    REQUIRE(time.exact);
  }
  CHECK(iket::perfetto::read_time("0.0005").ns == 1);  // half away from zero
  CHECK(iket::perfetto::read_time("-1.5").ns == -1500);
  CHECK(iket::perfetto::read_time("25e-1").ns == 2500);
}
