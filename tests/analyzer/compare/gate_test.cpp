// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "before_and_after.hpp"
#include "compare/gate.hpp"
#include "compare/judge_gates.hpp"

namespace iket::test {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_gate(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("gates are read, whatever the name") {
  const gate plain = parse_gate("stage:wait for data:p50>+10%");
  CHECK(plain.subject == gate_subject::stage);
  CHECK(plain.name == "wait for data");
  CHECK(plain.metric == "p50");
  CHECK(plain.above);
  CHECK(plain.bound == gate_bound::relative);
  CHECK(plain.limit == Approx(0.1));
  for (const std::string name : {"a:b", ":", "\"quoted\" 'name'", "5% > 3 < 4", "a>+10%", "-", " x "}) {
    const gate odd = parse_gate("stage:" + name + ":p99<-5%");
    CHECK(odd.name == name);
    CHECK(odd.metric == "p99");
    CHECK(!odd.above);
    CHECK(odd.limit == Approx(-0.05));
  }
  CHECK(parse_gate("launch:duration>2.5ms").name.empty());
  CHECK(parse_gate("launch:a:b:duration>2.5ms").name == "a:b");
}

TEST_CASE("bounds are changes, or stand for themselves") {
  const auto check = [](const std::string& bound, gate_bound kind, double limit) {
    const gate read = parse_gate("stage:x:mean>" + bound);
    CHECK(read.bound == kind);
    CHECK(read.limit == Approx(limit));
    CHECK(read.needs_baseline() == (kind != gate_bound::absolute));
  };
  check("+200ns", gate_bound::difference, 2e5);
  check("-1.5us", gate_bound::difference, -1.5e6);
  check("2us", gate_bound::absolute, 2e6);
  check("2 us", gate_bound::absolute, 2e6);
  check(".5ms", gate_bound::absolute, 5e8);
  check("1s", gate_bound::absolute, 1e12);
  check("+0%", gate_bound::relative, 0);
  CHECK(parse_gate("stage:x:share>40%").limit == Approx(0.4));
  CHECK(parse_gate("stage:x:share>40%").bound == gate_bound::absolute);
  CHECK(parse_gate("stage:x:share>+40%").bound == gate_bound::relative);
  CHECK(parse_gate("stage:x:count>64").limit == 64);
  CHECK(parse_gate("stage:x:count>+3").bound == gate_bound::difference);
}

TEST_CASE("what is no gate says why") {
  const auto check = [](const std::string& text, const std::string& why) {
    INFO(text);
    CHECK(refusal_of(text).find("not '" + text + "': ") != std::string::npos);
    CHECK(refusal_of(text).find(why) != std::string::npos);
  };
  check("", "no colon");
  check("duration>1us", "no colon");
  check("warp:x:p50>1us", "a stage, a role or a launch");
  check("stage:p50>1us", "no name");
  check("stage::p50>1us", "no name");
  check("stage:x:p50", "no > or <");
  check("stage:a>b:p50", "no > or <");
  check("stage:x:p51>1us", "figures are self, total, mean, min, p50, p90, p99, max, share, count, not 'p51'");
  check("stage:x:p50 >1us", "not 'p50 '");
  check("role:x:p50>1us", "work, wait, untracked");
  check("launch:x:p50>1us", "figures are duration");
  check("stage:x:p50>", "no bound");
  for (const char* const bound : {"+", "+%", "=1us", "x", "--1us", "inf us", "nan us", "+inf%", "1e3us"})
    CHECK(refusal_of(std::string("stage:x:p50>") + bound) != "none");
  check("stage:x:p50>1", "ns, us, ms or s");
  check("stage:x:p50>10%", "ns, us, ms or s");
  check("stage:x:p50>1min", "ns, us, ms or s");
  check("stage:x:count>1us", "a count has no unit");
  check("stage:x:share>0.4", "a share is in %");
  check("stage:x:share>+1ns", "a share is in %");
}

/// Three ranges of 100, 200 and 300 ns times `factor` a CTA, within 10 us.
timeline trace(double factor, const std::string& stage = "load") {
  hand_made made;
  made.launch("gemm", 2);
  for (std::uint32_t cta = 0; cta < 2; ++cta) {
    made.warp(cta, 0, "producer", 0, static_cast<picoseconds>(10'000'000 * factor));
    for (picoseconds i = 1; i <= 3; ++i) {
      const picoseconds begin = i * 1'000'000;
      made.work(stage, begin, begin + static_cast<picoseconds>(100'000 * static_cast<double>(i) * factor));
    }
    made.wait("wait: 5%", 5'000'000, 6'000'000);
  }
  return made.take();
}

bool fails(const std::string& text, const timeline& after, const timeline* before = nullptr) {
  std::optional<comparison> made;
  if (before != nullptr) made = compare(*before, after, {0.95, 10, 1});
  const std::vector<gate_result> results = judge_gates({parse_gate(text)}, after, made ? &*made : nullptr);
  REQUIRE(results.size() == 1);
  return results[0].failed;
}

TEST_CASE("every figure has a gate that fails and one that passes") {
  const timeline after = trace(1);
  const auto check = [&](const std::string& figure, const std::string& below, const std::string& above) {
    INFO(figure);
    CHECK(fails(figure + ">" + below, after));
    CHECK(!fails(figure + ">" + above, after));
    CHECK(fails(figure + "<" + above, after));
    CHECK(!fails(figure + "<" + below, after));
  };
  check("stage:load:self", "599ns", "601ns");
  check("stage:load:total", "599ns", "601ns");
  check("stage:load:mean", "199ns", "201ns");
  check("stage:load:min", "99ns", "101ns");
  check("stage:load:p50", "199ns", "201ns");
  for (const char* const figure : {"p90", "p99", "max"}) check("stage:load:" + std::string(figure), "299ns", "0.301us");
  check("stage:load:share", "5.9%", "6.1%");
  check("stage:load:count", "2", "4");
  check("stage:wait: 5%:mean", "999ns", "1001ns");
  check("role:producer:work", "599ns", "601ns");
  check("role:producer:wait", "999ns", "1001ns");
  check("role:producer:untracked", "8.39us", "8.41us");
  check("launch:duration", "9.9us", "10.1us");
  check("launch:gemm:duration", "9.9us", "10.1us");
  // The bound itself is neither above nor below.
  CHECK(!fails("stage:load:mean>200ns", after));
  CHECK(!fails("stage:load:mean<200ns", after));
}

TEST_CASE("changes are held against the baseline") {
  const timeline before = trace(1), after = trace(1.2);
  for (const char* const figure :
       {"stage:load:self", "stage:load:p50", "stage:load:max", "role:producer:work", "launch:duration"}) {
    const std::string text = figure;
    CHECK(fails(text + ">+19%", after, &before));
    CHECK(!fails(text + ">+21%", after, &before));
    CHECK(fails(text + "<+21%", after, &before));
    CHECK(!fails(text + "<+19%", after, &before));
    CHECK(fails(text + "<-16%", before, &after));
    CHECK(!fails(text + "<-17%", before, &after));
  }
  CHECK(fails("stage:load:mean>+39ns", after, &before));
  CHECK(!fails("stage:load:mean>+41ns", after, &before));
  CHECK(fails("stage:load:mean<-39ns", before, &after));
  CHECK(!fails("stage:load:count>+0%", after, &before));
  CHECK(!fails("stage:load:count<+0", after, &before));
}

TEST_CASE("a result says by how much") {
  const timeline before = trace(1), after = trace(1.2);
  const comparison made = compare(before, after, {0.95, 10, 1});
  const auto text_of = [&](const std::string& text) {
    return gate_text(judge_gates({parse_gate(text)}, after, &made).at(0));
  };
  CHECK(text_of("stage:load:p50>+10%") == "stage:load:p50>+10%: 240 ns in 'gemm', was 200 ns: +20.0 %");
  CHECK(text_of("stage:load:p50>1us") == "stage:load:p50>1us: 240 ns in 'gemm'");
  CHECK(text_of("stage:load:count>+1") == "stage:load:count>+1: 3 in 'gemm', was 3: 0.0 %");
  CHECK(text_of("stage:load:share>+1%").find("6.0 % in 'gemm', was 6.0 %") != std::string::npos);
}

TEST_CASE("a gate is judged for each kernel that has its stage, and for both kinds of a stage") {
  hand_made made;
  for (const char* const kernel : {"a", "b", "c"}) {
    made.launch(kernel).warp(0, 0, "", 0, 1'000'000);
    if (*kernel != 'c') made.work("x", 0, 100'000).wait("x", 100'000, 300'000);
  }
  const std::vector<gate_result> results = judge_gates({parse_gate("stage:x:max>150ns")}, made.take(), nullptr);
  REQUIRE(results.size() == 4);
  for (const gate_result& one : results) CHECK(one.failed == (one.after == 200'000));
  CHECK(results[0].kernel == "a");
  CHECK(results[3].kernel == "b");
}

std::string about_nothing(const std::string& text, const timeline& after, const timeline* before = nullptr) {
  try {
    (void)fails(text, after, before);
  } catch (const gate_about_nothing& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("a gate on what is not there is an error, not passed") {
  const timeline here = trace(1), renamed = trace(1, "fetch");
  CHECK(about_nothing("stage:lode:p50>1us", here) ==
        "--fail-on 'stage:lode:p50>1us' fits nothing: there are 'load', 'wait: 5%'");
  CHECK(about_nothing("role:x:work>1us", here).find("there are 'producer'") != std::string::npos);
  CHECK(about_nothing("launch:x:duration>1us", here).find("there are 'gemm'") != std::string::npos);
  // The stage is gone, or new: there is no change to judge.
  CHECK(about_nothing("stage:load:p50>1us", renamed).find("fits nothing") != std::string::npos);
  CHECK(about_nothing("stage:load:p50>+1%", renamed, &here).find("no figure to judge that both sides have") !=
        std::string::npos);
  CHECK(about_nothing("stage:fetch:p50>+1%", renamed, &here).find("no figure to judge that both sides have") !=
        std::string::npos);
  CHECK(about_nothing("stage:load:p50>+1%", here).find("needs --baseline") != std::string::npos);
  hand_made open;
  open.launch("k").warp(0, 0, "", 0, 1000).add(stage_kind::work, "x", 0, 1000, {}, range_state::open);
  CHECK(about_nothing("stage:x:p50>1us", open.take()).find("no figure to judge") != std::string::npos);
}

TEST_CASE("where records were lost, sums of what was kept are not judged") {
  const timeline whole = trace(1);
  // Half of the ranges are gone; those left are as long as before.
  timeline lossy = trace(1);
  for (warp_timeline& warp : lossy.launches[0].warps) {
    warp.lost = 10;
    warp.ranges.erase(warp.ranges.begin(), warp.ranges.begin() + 1);
  }
  // 250 ns a range, 500 ns a CTA; they were 200 ns and 600 ns.
  CHECK(fails("stage:load:self>+24%", lossy, &whole));
  CHECK(!fails("stage:load:self>+26%", lossy, &whole));
  CHECK(fails("stage:load:self>+49ns", lossy, &whole));
  CHECK(!fails("stage:load:self>+51ns", lossy, &whole));
  CHECK(fails("stage:load:self<-19%", whole, &lossy));
  CHECK(fails("stage:load:max>299ns", lossy));
  CHECK(!fails("launch:duration>+1%", lossy, &whole));
  for (const char* const text : {"stage:load:total>+1%", "stage:load:count<+0", "stage:load:count>-100%",
                                 "role:producer:work>+1%", "role:producer:wait<+1ns"})
    for (const auto& [after, before] : {std::pair<const timeline*, const timeline*>(&lossy, &whole), {&whole, &lossy}})
      CHECK(about_nothing(text, *after, before) ==
            "--fail-on '" + std::string(text) + "' has no figure to judge that both sides have: records were lost");
  for (const char* const text :
       {"stage:load:self>1ns", "stage:load:total>1ns", "stage:load:count>0", "role:producer:work>1ns"})
    CHECK(about_nothing(text, lossy) ==
          "--fail-on '" + std::string(text) + "' has no figure to judge: records were lost");
}

TEST_CASE("of a checked build no time is judged") {
  const timeline plain = trace(1);
  timeline checked = trace(2);
  checked.launches[0].checked = true;
  for (const char* const text : {"stage:load:self>+1%", "stage:load:p50>+1%", "stage:load:share>+1%",
                                 "role:producer:work>+1%", "launch:duration>+1%"})
    for (const auto& [after, before] :
         {std::pair<const timeline*, const timeline*>(&checked, &plain), {&plain, &checked}})
      CHECK(about_nothing(text, *after, before).ends_with(": a checked build ran: times are not to be trusted"));
  CHECK(about_nothing("stage:load:max>1ns", checked).find("a checked build ran") != std::string::npos);
  CHECK(!fails("stage:load:count>+0", checked, &plain));
}

TEST_CASE("of a launch that had not ended, whole ranges are judged, and it is said that open ones are not") {
  const auto hang = [](bool has_whole) {
    hand_made made;
    made.launch("k").warp(0, 0, "consumer", 0, 5'000'000);
    if (has_whole) made.wait("wait", 1000, 3000);
    made.add(stage_kind::wait, "wait", 4000, 5'000'000, {}, range_state::open);
    made.last_launch().running = true;
    return made.take();
  };
  const std::vector<gate_result> results = judge_gates({parse_gate("stage:wait:max>1us")}, hang(true), nullptr);
  REQUIRE(results.size() == 1);
  CHECK(!results[0].failed);
  CHECK(results[0].unended == 1);
  CHECK(gate_text(results[0]) ==
        "stage:wait:max>1us: 2.00 ns in 'k'; 1 launch had not ended: ranges that are still open do not count");
  CHECK(about_nothing("stage:wait:max>1us", hang(false)) ==
        "--fail-on 'stage:wait:max>1us' has no figure to judge: no range has ended, in a launch that had not");

  // What only the baseline has is missing for another reason.
  const timeline after = hang(false);
  hand_made other;
  other.launch("k").warp(0, 0, "producer", 0, 5'000'000);
  other.add(stage_kind::work, "load", 1000, 3000);
  const timeline before = other.take();
  for (const char* const text : {"role:producer:work>+1%", "stage:load:max>+1%"})
    CHECK(about_nothing(text, after, &before) ==
          "--fail-on '" + std::string(text) + "' has no figure to judge that both sides have");
}

}  // namespace
}  // namespace iket::test
