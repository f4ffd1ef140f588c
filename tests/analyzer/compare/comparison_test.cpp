// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <algorithm>
#include <numeric>

#include "before_and_after.hpp"
#include "build_timeline.hpp"
#include "compare/comparison.hpp"
#include "compare/kernel_pairs.hpp"
#include "limits.hpp"
#include "oracle/random_launches.hpp"
#include "report.hpp"

namespace iket::test {
namespace {

constexpr bootstrap_options quick{0.95, 400, 1};

timeline recorded(const std::string& name) {
  load_result loaded = load_timeline(std::string(IKET_RECORDED_DIR) + "/" + name);
  REQUIRE(loaded.trace.has_value());
  return std::move(*loaded.trace);
}

const compared_stage_row& row_of(const kernel_comparison& of, const std::string& stage) {
  const auto found = std::find_if(of.stages.begin(), of.stages.end(),
                                  [&](const compared_stage_row& row) { return row.stage == stage; });
  REQUIRE(found != of.stages.end());
  return *found;
}

bool any_significant(const kernel_comparison& of) {
  bool any = of.duration.verdict == verdict::significant;
  for (const compared_stage_row& row : of.stages) any = any || row.self.verdict == verdict::significant;
  for (const compared_role_row& row : of.roles) any = any || row.value.verdict == verdict::significant;
  return any;
}

bool has_note(const kernel_comparison& of, const std::string& part) {
  return std::any_of(of.notes.begin(), of.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

void check_no_difference(const timeline& of) {
  const comparison made = compare(of, of, quick);
  CHECK(!made.kernels.empty());
  CHECK(made.only_before.empty());
  CHECK(made.only_after.empty());
  for (const kernel_comparison& kernel : made.kernels) {
    CHECK(!any_significant(kernel));
    CHECK(kernel.duration.difference() == 0);
    for (const compared_stage_row& row : kernel.stages) CHECK(row.self.difference() == 0);
    for (const compared_role_row& row : kernel.roles) CHECK(row.value.difference() == 0);
  }
}

TEST_CASE("against itself nothing differs") {
  for (const char* const name : {"quickstart.bin", "ws_gemm_depth1.bin", "ws_gemm_depth4.bin"})
    check_no_difference(recorded(name));
  for (std::uint32_t seed = 1; seed <= 20; ++seed) check_no_difference(random_launches(seed).make());
  for (const std::size_t launches : {1, 3})
    check_no_difference(noisy_timeline({.launches = launches, .skewed = true}, 1));
}

void check_stretched(const timeline& before, const std::string& stage) {
  INFO(before.file << ", " << stage);
  const comparison made = compare(before, stretched(before, stage, 1.05), quick);
  REQUIRE(made.kernels.size() == 1);
  const kernel_comparison& kernel = made.kernels[0];
  const compared_stage_row& row = row_of(kernel, stage);
  CHECK(row.self.verdict == verdict::significant);
  CHECK(row.self.relative().value() == Approx(0.05).epsilon(0.01));
  CHECK(&row == &kernel.stages.front());
  for (const compared_stage_row& other : kernel.stages)
    if (&other != &row) {
      CHECK(other.self.difference() == 0);
      CHECK(other.self.verdict == verdict::noise);
    }
  const bool waits = row.kind == stage_kind::wait;
  for (const compared_role_row& role : kernel.roles) {
    const bool ran = std::count(row.after->roles.begin(), row.after->roles.end(), role.role) != 0;
    const bool changed = ran && role.time == (waits ? "wait" : "work");
    // The stage is a part of the role's time: among the noise of launches its change may be too little of that.
    if (!changed || !kernel.over_launches) CHECK((role.value.verdict == verdict::significant) == changed);
    CHECK((role.value.difference() != 0) == changed);
  }
}

TEST_CASE("a stage that takes 5 % more is found, and nothing else is") {
  for (const char* const name : {"ws_gemm_depth1.bin", "ws_gemm_depth4.bin", "quickstart.bin"}) {
    const timeline before = recorded(name);
    for (const stage& one : before.stages) check_stretched(before, one.name);
  }
  for (const std::size_t launches : {1, 3})
    for (const char* const stage : {"stage 0", "stage 3"})
      check_stretched(noisy_timeline({.launches = launches}, 7), stage);
}

/// How many of `seeds` pairs of traces, whose kernels are alike, have a significant difference.
int false_alarms(noisy_kernel before, noisy_kernel after, int seeds) {
  int found = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint32_t>(2 * seed);
    const comparison made = compare(noisy_timeline(before, number), noisy_timeline(after, number + 1), quick);
    found += any_significant(made.kernels.at(0)) ? 1 : 0;
  }
  return found;
}

// Of 200 pairs 10 are expected at 5 %; with that rate more than 18 come up in one run of a hundred.
TEST_CASE("of traces of one kernel hardly more than 5 % have anything significant") {
  constexpr int seeds = 200, most = 18;
  for (const bool skewed : {false, true}) {
    CHECK(false_alarms({.ctas = 8, .skewed = skewed}, {.ctas = 8, .skewed = skewed}, seeds) <= most);
    // Not the same CTAs: they cannot be paired.
    CHECK(false_alarms({.ctas = 12, .skewed = skewed}, {.ctas = 12, .first_cta = 12, .skewed = skewed}, seeds) <= most);
  }
  // Few CTAs seldom have one of the long ones, and then are both too fast and too much alike.
  CHECK(false_alarms({.ctas = 12, .skewed = true}, {.ctas = 60, .skewed = true}, seeds) <= most);
  CHECK(false_alarms({.ctas = 60}, {.ctas = 8}, seeds) <= most);
  CHECK(false_alarms({.ctas = 24, .cta_spread = 0.3}, {.ctas = 24, .cta_spread = 0.3}, seeds) <= most);
}

TEST_CASE("nor where launches differ as a whole, if several were traced") {
  constexpr int seeds = 200, most = 18;
  for (const std::size_t launches : {2, 3, 6}) {
    const noisy_kernel like{.launches = launches, .ctas = 8, .launch_noise = 0.05, .cta_spread = 0.2};
    CHECK(false_alarms(like, like, seeds) <= most);
  }
  const noisy_kernel calm{.launches = 3, .ctas = 8};
  CHECK(false_alarms(calm, calm, seeds) <= most);
  const noisy_kernel one{.launches = 3, .ctas = 8, .launch_noise = 0.05};
  noisy_kernel another = one;
  another.first_cta = 8;
  CHECK(false_alarms(one, another, seeds) <= most);
}

TEST_CASE("nor where one side has several launches of few CTAs, and the other one") {
  constexpr int seeds = 200, most = 18;
  for (const auto& [launches, ctas] : {std::pair<std::size_t, std::uint32_t>{6, 1}, {3, 2}}) {
    CHECK(false_alarms({.launches = launches, .ctas = ctas}, {.ctas = 16}, seeds) <= most);
    CHECK(false_alarms({.ctas = 16}, {.launches = launches, .ctas = ctas}, seeds) <= most);
  }
  CHECK(false_alarms({.launches = 2, .ctas = 6, .skewed = true}, {.ctas = 60, .skewed = true}, seeds) <= most);
}

TEST_CASE("a change of 5 % is found among noise of 3 %") {
  constexpr int seeds = 40;
  const auto found = [](const noisy_kernel& before, noisy_kernel after) {
    after.change = 0.05;
    int hits = 0;
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      const comparison made = compare(noisy_timeline(before, 2 * seed), noisy_timeline(after, 2 * seed + 1), quick);
      const compared_value& self = row_of(made.kernels.at(0), "stage 0").self;
      hits += self.verdict == verdict::significant && self.difference() > 0 ? 1 : 0;
    }
    return hits;
  };
  CHECK(found({.ctas = 32}, {.ctas = 32}) >= 38);
  CHECK(found({.ctas = 32}, {.ctas = 32, .first_cta = 32}) >= 38);
  // CTAs that differ by a third among themselves, always in the same way.
  CHECK(found({.ctas = 32, .cta_spread = 0.3}, {.ctas = 32, .cta_spread = 0.3}) >= 38);
  CHECK(found({.launches = 4, .ctas = 16, .launch_noise = 0.005}, {.launches = 4, .ctas = 16, .launch_noise = 0.005}) >=
        38);
}

TEST_CASE("the values are those of the statistics, whatever the launches") {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    const timeline trace = random_launches(seed).make();
    const report made = make_report(trace);
    const comparison with_itself = compare(trace, trace, {0.95, 50, 1});
    REQUIRE(with_itself.kernels.size() == made.launches.size());
    for (std::size_t i = 0; i < made.launches.size(); ++i) {
      const kernel_comparison& kernel = with_itself.kernels[i];
      const launch_report& launch = made.launches[i];
      CHECK(kernel.stages.size() == launch.stages.size());
      for (const stage_statistics& stage : launch.stages) {
        const auto row = std::find_if(kernel.stages.begin(), kernel.stages.end(), [&](const compared_stage_row& one) {
          return one.stage == stage.name && one.kind == stage.kind;
        });
        REQUIRE(row != kernel.stages.end());
        const std::uint64_t count = kernel.per_range ? stage.count : kernel.after.ctas_traced;
        CHECK(row->self.after.has_value() == (count != 0));
        if (count != 0) CHECK(*row->self.after == Approx(static_cast<double>(stage.self) / static_cast<double>(count)));
      }
      for (const role_statistics& role : launch.roles)
        for (const compared_role_row& row : kernel.roles) {
          if (row.role != role.name) continue;
          const picosecond_sum sum = row.time == "work" ? role.work : row.time == "wait" ? role.wait : role.untracked;
          CHECK(*row.value.before == Approx(static_cast<double>(sum) / static_cast<double>(role.warps)));
        }
    }
  }
}

TEST_CASE("the stages' parts and the untracked time make up the change of the warps' time") {
  const timeline before = noisy_timeline({.ctas = 20}, 1), after = noisy_timeline({.ctas = 20, .change = 0.2}, 2);
  const auto lifetime = [](const timeline& of) {
    double sum = 0;
    for (const warp_timeline& warp : of.launches[0].warps) sum += static_cast<double>(warp.close - warp.open);
    return sum;
  };
  const comparison made = compare(before, after, quick);
  double parts = 0;
  for (const compared_stage_row& row : made.kernels[0].stages) parts += row.contribution.value();
  // The gaps between ranges do not change.
  CHECK(parts == Approx(lifetime(after) / lifetime(before) - 1));
  CHECK(made.kernels[0].stages.front().stage == "stage 0");
}

TEST_CASE("the duration has an interval where each side has several launches") {
  const noisy_kernel before{.launches = 5, .launch_noise = 0.001};
  noisy_kernel after = before;
  after.change = 0.5;
  const comparison made = compare(noisy_timeline(before, 1), noisy_timeline(after, 2), quick);
  CHECK(made.kernels[0].over_launches);
  CHECK(made.kernels[0].duration.half_width.has_value());
  CHECK(made.kernels[0].duration.verdict == verdict::significant);
  after.launches = 1;
  const comparison single = compare(noisy_timeline(before, 1), noisy_timeline(after, 2), quick);
  CHECK(!single.kernels[0].over_launches);
  CHECK(!single.kernels[0].duration.half_width);
  CHECK(single.kernels[0].duration.verdict == verdict::unknown);
  CHECK(single.kernels[0].duration.relative().value() > 0.05);
  CHECK(has_note(single.kernels[0], "1 traced launch, was 5: the intervals tell how CTAs of a launch differ"));
}

TEST_CASE("a stage of one side only is said to be so") {
  hand_made before, after;
  for (hand_made* const side : {&before, &after}) {
    side->launch("k", 8);
    for (std::uint32_t cta = 0; cta < 8; ++cta) {
      side->warp(cta, 0, side == &before ? "a" : "b", 0, 10'000'000).work("both", 0, 1'000'000 + 1000 * cta);
      side->work(side == &before ? "gone" : "come", 2'000'000, 6'000'000);
    }
  }
  const comparison made = compare(before.take(), after.take(), quick);
  const kernel_comparison& kernel = made.kernels.at(0);
  CHECK(row_of(kernel, "gone").self.verdict == verdict::only_before);
  CHECK(row_of(kernel, "gone").self.difference() == -4'000'000);
  CHECK(row_of(kernel, "gone").contribution.value() == Approx(-0.4));
  CHECK(row_of(kernel, "come").self.verdict == verdict::only_after);
  CHECK(!row_of(kernel, "come").self.before);
  CHECK(row_of(kernel, "both").self.verdict == verdict::noise);
  for (const compared_role_row& row : kernel.roles)
    CHECK(row.value.verdict == (row.role == "a" ? verdict::only_before : verdict::only_after));
}

/// Eight CTAs in which "stage" takes `length` and a thousandth more each.
timeline plain(picoseconds length, std::uint32_t ctas = 8) {
  hand_made made;
  made.launch("k", ctas);
  for (std::uint32_t cta = 0; cta < ctas; ++cta)
    made.warp(cta, 0, "role", 0, 10'000'000).work("stage", 0, length + length * cta / 1000);
  return made.take();
}

TEST_CASE("what clocks and events do not resolve is not significant") {
  // A timer of 32 ns over launches of 10 us: rates are known to 0.32 % on each side.
  CHECK(row_of(compare(plain(2'000'000), plain(2'010'000)).kernels[0], "stage").self.verdict == verdict::too_small);
  CHECK(row_of(compare(plain(2'000'000), plain(2'020'000)).kernels[0], "stage").self.verdict == verdict::significant);
  const auto with_costs = [](timeline of, double cycles) {
    of.devices[0].calibration = {cycles / 2, cycles, 32, 1.98};
    return of;
  };
  // An event of 20 cycles takes 10.1 ns.
  const auto verdict_of = [&](picoseconds length) {
    const timeline before = with_costs(plain(length), 20), after = with_costs(plain(length + length / 10), 20);
    return row_of(compare(before, after).kernels[0], "stage").self.verdict;
  };
  CHECK(verdict_of(8'000) == verdict::too_small);
  CHECK(verdict_of(12'000) == verdict::significant);
}

TEST_CASE("of few CTAs and of a checked build nothing is said") {
  const comparison few = compare(plain(2'000'000, 4), plain(3'000'000, 4));
  CHECK(row_of(few.kernels[0], "stage").self.verdict == verdict::unknown);
  CHECK(!row_of(few.kernels[0], "stage").self.half_width);
  CHECK(has_note(few.kernels[0], "below 5"));
  CHECK(any_significant(compare(plain(2'000'000, 5), plain(3'000'000, 5)).kernels[0]));
  timeline checked = plain(3'000'000);
  checked.launches[0].checked = true;
  const comparison of_checked = compare(plain(2'000'000), checked);
  CHECK(!any_significant(of_checked.kernels[0]));
  CHECK(has_note(of_checked.kernels[0], "checked build"));
}

TEST_CASE("a stage that a single CTA runs has no interval, and nothing is said of it") {
  const auto with_rare = [](picoseconds length, std::uint32_t first) {
    hand_made made;
    made.launch("k", 16);
    for (std::uint32_t cta = first; cta < first + 8; ++cta) {
      made.warp(cta, 0, "role", 0, 10'000'000).work("always", 0, 1'000'000 + 1000 * cta);
      if (cta == first) made.work("rare", 2'000'000, 2'000'000 + length);
    }
    return made.take();
  };
  const comparison made = compare(with_rare(1'000'000, 0), with_rare(5'000'000, 8), quick);
  const compared_value& rare = row_of(made.kernels[0], "rare").self;
  CHECK(rare.before);
  CHECK(rare.after);
  CHECK(!rare.half_width);
  CHECK(rare.verdict == verdict::unknown);
  CHECK(row_of(made.kernels[0], "always").self.half_width);
}

TEST_CASE("of so few CTAs beside so many that they are drawn as one nothing is said") {
  const timeline few = noisy_timeline({.ctas = 5, .stages = 1}, 1),
                 many = noisy_timeline({.ctas = 11'000, .stages = 1}, 2);
  for (const bool few_first : {false, true}) {
    const comparison made = few_first ? compare(few, many, quick) : compare(many, few, quick);
    CHECK(row_of(made.kernels[0], "stage 0").self.verdict == verdict::unknown);
    CHECK(!row_of(made.kernels[0], "stage 0").self.half_width);
    CHECK(has_note(made.kernels[0], "5 CTAs or clusters are too few beside 11000"));
  }
}

TEST_CASE("where records were lost, ranges are compared, not CTAs") {
  const timeline before = plain(2'000'000);
  timeline after = plain(2'000'000);
  for (warp_timeline& warp : after.launches[0].warps) {
    warp.lost = 10;
    warp.ranges.insert(warp.ranges.end(), 2, warp.ranges[0]);
  }
  const comparison made = compare(before, after, quick);
  CHECK(made.kernels[0].per_range);
  CHECK(row_of(made.kernels[0], "stage").self.difference() == 0);
  CHECK(!row_of(made.kernels[0], "stage").contribution);
  CHECK(!any_significant(made.kernels[0]));
  CHECK(has_note(made.kernels[0], "80, was 0"));
}

TEST_CASE("figures of which nothing is said make the intervals of others no wider") {
  const auto with_roles = [](std::uint32_t roles, std::uint32_t seed) {
    timeline made = noisy_timeline({.ctas = 24, .stages = 1}, seed);
    made.launches[0].warps[0].lost = 1;
    for (std::uint32_t i = 2; i < roles; ++i) made.roles.push_back("role " + std::to_string(i));
    for (warp_timeline& warp : made.launches[0].warps) warp.role = warp.cta_linear % roles;
    return made;
  };
  const auto width = [&](std::uint32_t roles) {
    const comparison made = compare(with_roles(roles, 1), with_roles(roles, 2), quick);
    CHECK(made.kernels[0].roles.size() == 3 * roles);
    for (const compared_role_row& row : made.kernels[0].roles) CHECK(row.value.verdict == verdict::unknown);
    return row_of(made.kernels[0], "stage 0").self.half_width.value();
  };
  CHECK(width(8) == width(2));
}

TEST_CASE("of more stages and roles than the limit those with the most time are held against chance") {
  const auto number = static_cast<std::uint32_t>(limits::compared_names);
  const auto with_names = [&](picoseconds more) {
    hand_made made;
    made.launch("k", 8, number + 3);
    for (std::uint32_t cta = 0; cta < 8; ++cta)
      for (std::uint32_t warp = 0; warp < number + 3; ++warp) {
        made.warp(cta, warp, "role " + std::to_string(1000 + warp), 0, 10'000'000);
        if (warp < number + 2) made.work("stage " + std::to_string(warp), 0, 1'000'000 + 1000 * warp + 10 * cta + more);
      }
    return made.take();
  };
  const comparison made = compare(with_names(0), with_names(500'000), {0.95, 50, 1});
  const kernel_comparison& kernel = made.kernels[0];
  CHECK(kernel.stages.size() == number + 2);
  for (const compared_stage_row& row : kernel.stages) {
    const bool is_left_out = row.stage == "stage 0" || row.stage == "stage 1";
    CHECK(row.self.verdict == (is_left_out ? verdict::unknown : verdict::significant));
    CHECK(row.self.difference() == Approx(500'000));
  }
  CHECK(kernel.roles.size() == 3 * number);
  CHECK(has_note(kernel, "more than 512 stages"));
  CHECK(has_note(kernel, "more than 512 roles: the last 3 by name are not compared"));
}

TEST_CASE("of more kernels than the limit the first are compared") {
  hand_made made;
  const auto number = static_cast<std::uint32_t>(limits::groups);
  for (std::uint32_t i = 0; i < number + 2; ++i) made.launch("k", i + 1).warp(0, 0, "", 0, 1000);
  const timeline many = made.take();
  const comparison with_itself = compare(many, many, quick);
  CHECK(with_itself.kernels.size() == number);
  CHECK(with_itself.warnings ==
        std::vector<std::string>{"only 10000 of 10002 kernels are compared; --launch takes others"});
  hand_made other;
  other.launch("other").warp(0, 0, "", 0, 1000);
  const comparison with_other = compare(other.take(), many, quick);
  CHECK(with_other.only_after.size() == number);
  CHECK(with_other.warnings.size() == 1);
  CHECK(limits::groups_with(0) == number);
  CHECK(limits::groups_with(limits::group_stages + 1) == 1);
}

TEST_CASE("clocks, grids and GPUs that differ are told") {
  timeline after = plain(2'000'000);
  after.launches[0].clock.sm_ghz = 1.8;
  CHECK(has_note(
      compare(plain(2'000'000), after, quick).kernels[0],
      "ran at 1.800 GHz, was 1.980: times are real time, of which the same number of cycles takes 10.0 % more"));
  after.launches[0].clock.rate_assumed = true;
  CHECK(has_note(compare(plain(2'000'000), after, quick).kernels[0], "is assumed"));
  after.launches[0].grid = {4, 2, 1};
  after.launches[0].block = {32, 1, 1};
  after.devices[0].name = "other";
  const comparison made = compare(plain(2'000'000), after, quick);
  CHECK(has_note(made.kernels[0], "another grid: 4 x 2 x 1, was 8 x 1 x 1"));
  CHECK(has_note(made.kernels[0], "another block: 32 x 1 x 1, was 64 x 1 x 1"));
  CHECK(has_note(made.kernels[0], "another GPU: other, was NVIDIA H200"));
  CHECK(!made.kernels[0].paired);
  CHECK(compare(plain(2'000'000), plain(2'000'000), quick).kernels[0].paired);
}

TEST_CASE("CTAs are held against themselves only where they are in the same clusters") {
  const auto clustered = [](std::size_t launches, std::initializer_list<std::array<std::uint32_t, 3>> clusters) {
    timeline made = noisy_timeline({.launches = launches, .ctas = 16, .cta_spread = 0.3}, 1);
    std::size_t number = 0;
    for (const std::array<std::uint32_t, 3>& cluster : clusters) made.launches[number++].cluster = cluster;
    return made;
  };
  const auto check = [](const timeline& before, const timeline& after, bool paired) {
    const comparison made = compare(before, after, quick);
    REQUIRE(made.kernels.size() == 1);
    CHECK(made.kernels[0].paired == paired);
    CHECK(!any_significant(made.kernels[0]));
    for (const compared_stage_row& row : made.kernels[0].stages) CHECK(row.self.verdict == verdict::noise);
  };
  const timeline plain_one = clustered(1, {}), pairs = clustered(1, {{2, 1, 1}});
  check(plain_one, pairs, false);
  check(pairs, plain_one, false);
  check(pairs, pairs, true);
  const timeline plain_two = clustered(2, {}), all_pairs = clustered(2, {{2, 1, 1}, {2, 1, 1}});
  const timeline mixed = clustered(2, {{1, 1, 1}, {2, 1, 1}});
  check(plain_two, all_pairs, false);
  check(all_pairs, plain_two, false);
  check(all_pairs, all_pairs, true);
  check(mixed, mixed, false);
  check(mixed, plain_one, false);
  check(plain_one, mixed, false);
}

TEST_CASE("kernels are matched by name, grid and block, then by name, then alone") {
  const auto trace = [](const std::vector<std::pair<std::string, std::uint32_t>>& kernels) {
    hand_made made;
    for (const auto& [name, ctas] : kernels) made.launch(name, ctas).warp(0, 0, "", 0, 1000);
    return made.take();
  };
  const auto matched = [&](const timeline& before, const timeline& after) {
    const kernel_pairs made = match_kernels(before, after);
    std::string text;
    const auto name = [](const launch_group& of) {
      return of.front()->kernel + std::to_string(of.front()->grid[0]) + (of.size() > 1 ? "+" : "");
    };
    for (const kernel_pair& pair : made.pairs) text += name(pair.before) + "=" + name(pair.after) + " ";
    for (const launch_group& one : made.only_before) text += "-" + name(one) + " ";
    for (const launch_group& one : made.only_after) text += "+" + name(one) + " ";
    return text;
  };
  CHECK(matched(trace({{"a", 1}, {"b", 2}}), trace({{"b", 2}, {"a", 1}})) == "b2=b2 a1=a1 ");
  CHECK(matched(trace({{"a", 1}, {"a", 1}}), trace({{"a", 1}})) == "a1+=a1 ");
  CHECK(matched(trace({{"a", 1}, {"b", 2}}), trace({{"a", 3}, {"b", 2}})) == "a1=a3 b2=b2 ");
  CHECK(matched(trace({{"a", 1}, {"a", 2}}), trace({{"a", 3}})) == "-a1 -a2 +a3 ");
  CHECK(matched(trace({{"a", 1}, {"a", 2}}), trace({{"a", 3}, {"a", 2}})) == "a1=a3 a2=a2 ");
  CHECK(matched(trace({{"a", 1}}), trace({{"b", 2}})) == "a1=b2 ");
  CHECK(matched(trace({{"a", 1}, {"b", 1}}), trace({{"c", 1}})) == "-a1 -b1 +c1 ");
  CHECK(matched(trace({{"a", 1}}), trace({})) == "-a1 ");
  // Launches that are left out are partners, and then go.
  const auto without = [](timeline of, std::initializer_list<std::size_t> launches) {
    for (const std::size_t number : launches) of.launches[number].left_out = true;
    return of;
  };
  const timeline both = trace({{"a", 1}, {"b", 2}});
  CHECK(matched(both, without(both, {0})) == "b2=b2 ");
  CHECK(matched(both, without(both, {1})) == "a1=a1 ");
  CHECK(matched(trace({{"a", 1}, {"c", 1}}), without(both, {0})) == "-c1 +b2 ");
  CHECK(matched(trace({{"a", 1}, {"c", 1}}), without(both, {1})) == "a1=a1 -c1 ");
  CHECK(matched(trace({{"a", 1}}), without(trace({{"a", 2}, {"a", 3}}), {0})) == "-a1 +a3 ");
  CHECK(matched(both, without(trace({{"a", 1}, {"a", 1}, {"b", 2}}), {0, 2})) == "a1=a1 ");
}

}  // namespace
}  // namespace iket::test
