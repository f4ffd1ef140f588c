// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The forms with a condition: what they record and, to the record, what they do not.
#include <cstdint>
#include <set>
#include <string>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void sentinels(bool on, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_END(rec, iket::token{});
  const iket::token conditional = IKET_START_IF(rec, on, "conditional", 1);
  IKET_END(rec, conditional);
  const iket::token started = IKET_START(rec, "ended where it holds");
  IKET_END_IF(rec, on, started);
}

enum class form : unsigned { role, range, wait, push, push_wait, start, start_wait, end, mark, counter, sync, count };
// What each form adds to the warp's records and events where its condition holds, as written below.
constexpr std::uint64_t records_of[] = {0, 3, 2, 3, 2, 5, 3, 2, 2, 3, 3};
constexpr std::uint64_t events_of[] = {0, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1};
constexpr unsigned all_masks = 1u << static_cast<unsigned>(form::count);

// The CTA's number says which conditions hold.
__global__ void conditional_forms(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const auto on = [](form which) { return (blockIdx.x >> static_cast<unsigned>(which) & 1) != 0; };
  IKET_ROLE_IF(rec, on(form::role), "role");
  { IKET_RANGE_IF(rec, on(form::range), "range", 1); }
  { IKET_WAIT_IF(rec, on(form::wait), "wait"); }
  IKET_PUSH_IF(rec, on(form::push), "push", 1.0f);
  IKET_POP_IF(rec, on(form::push));
  IKET_PUSH_WAIT_IF(rec, on(form::push_wait), "push wait");
  IKET_POP_IF(rec, on(form::push_wait));
  const iket::token started = IKET_START_IF(rec, on(form::start), "start", 1ull);
  IKET_END(rec, started);
  const iket::token waiting = IKET_START_WAIT_IF(rec, on(form::start_wait), "start wait");
  IKET_END(rec, waiting);
  const iket::token always = IKET_START(rec, "end");
  IKET_END_IF(rec, on(form::end), always);
  IKET_MARK_IF(rec, on(form::mark), "mark", true);
  IKET_COUNTER_IF(rec, on(form::counter), "counter", 1.0);
  IKET_SYNC_IF(rec, on(form::sync));
}

// Counts how often conditions are evaluated: nine of them, once each.
__global__ void conditions_with_effects(int* evaluated, iket::tracer tracer) {
  iket::recorder rec(tracer);
  bool on = blockIdx.x % 2 == 0;
  int times = 0;
  {
    IKET_RANGE_IF(rec, on, "kept");
    on = !on;
    IKET_MARK_IF(rec, on, "after the change");
  }
  { IKET_WAIT_IF(rec, ++times == 1, "counted"); }
  IKET_MARK_IF(rec, ++times != 2, "never");
  IKET_COUNTER_IF(rec, ++times == 3, "value", 5);
  const iket::token none = IKET_START_IF(rec, ++times != 4, "never started");
  IKET_END_IF(rec, ++times == 5, none);
  IKET_SYNC_IF(rec, ++times != 6);
  IKET_ROLE_IF(rec, ++times == 7, "role");
  IKET_PUSH_IF(rec, ++times == 8, "pushed");
  IKET_POP_IF(rec, ++times == 9);
  if (threadIdx.x == 0) evaluated[blockIdx.x] = times;
}

std::set<std::string> whole_stages(const timeline& trace, const warp_timeline& warp) {
  std::set<std::string> names;
  for (const range& range : warp.ranges)
    if (range.state == range_state::whole) names.insert(trace.stages.at(range.stage).name);
  return names;
}

}  // namespace

TEST_CASE("sentinels and conditional starts and ends record nothing where they should not") {
  iket::session session(gpu_test::small_session());
  sentinels<<<1, 32>>>(false, session.trace("off", 1, 32));
  sentinels<<<1, 32>>>(true, session.trace("on", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& off = trace.launches.at(0).warps.at(0);
  CHECK(off.written == 1);
  CHECK(gpu_test::odd_events_of(off).open == 1);
  CHECK(whole_stages(trace, off).empty());
  const warp_timeline& on = trace.launches.at(1).warps.at(0);
  CHECK(on.written == 7);
  CHECK(on.odd.empty());
  CHECK(whole_stages(trace, on) == std::set<std::string>{"conditional", "ended where it holds"});
}

TEST_CASE("conditional forms record where their condition holds, in every combination") {
  iket::session_options options = gpu_test::small_session();
  options.records_per_warp = 32;
  iket::session session(options);
  conditional_forms<<<all_masks, 32>>>(session.trace("conditional_forms", all_masks, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  REQUIRE(launch.warps.size() == all_masks);
  const std::string stages[] = {"", "range", "wait", "push", "push wait", "start", "start wait", "end"};
  std::uint64_t wrong = 0;
  for (const warp_timeline& warp : launch.warps) {
    const auto on = [&](form which) { return (warp.cta_linear >> static_cast<unsigned>(which) & 1) != 0; };
    std::uint64_t written = 1, events = 1;  // the start whose end is conditional
    std::set<std::string> names;
    for (unsigned i = 0; i < static_cast<unsigned>(form::count); ++i) {
      if (!on(static_cast<form>(i))) continue;
      written += records_of[i];
      events += events_of[i];
      if (i > 0 && i < std::size(stages)) names.insert(stages[i]);
    }
    const std::size_t points = (on(form::mark) ? 1 : 0) + (on(form::counter) ? 1 : 0);
    const odd_events odd = gpu_test::odd_events_of(warp);
    const bool right = warp.written == written && warp.events == events && whole_stages(trace, warp) == names &&
                       warp.points.size() == points && (warp.role != none) == on(form::role) && odd.unmatched == 0 &&
                       odd.cut == 0 && odd.open == (on(form::end) ? 0u : 1u);
    wrong += right ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a condition is evaluated once, also for a range's two ends") {
  int* evaluated = nullptr;
  REQUIRE(cudaMalloc(&evaluated, 2 * sizeof(int)) == cudaSuccess);
  iket::session session(gpu_test::small_session());
  conditions_with_effects<<<2, 32>>>(evaluated, session.trace("conditions_with_effects", 2, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  int counts[2] = {};
  REQUIRE(cudaMemcpy(counts, evaluated, sizeof(counts), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(cudaFree(evaluated) == cudaSuccess);
  CHECK(counts[0] == 9);
  CHECK(counts[1] == 9);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& even = trace.launches.at(0).warps.at(0);
  const warp_timeline& odd = trace.launches[0].warps.at(1);
  CHECK(even.written == 8);
  CHECK(odd.written == 7);
  CHECK(even.odd.empty());
  CHECK(odd.odd.empty());
  CHECK(whole_stages(trace, even) == std::set<std::string>{"kept", "counted", "pushed"});
  CHECK(whole_stages(trace, odd) == std::set<std::string>{"counted", "pushed"});
  CHECK(even.points.size() == 1);
  CHECK(odd.points.size() == 2);
  for (const warp_timeline* const warp : {&even, &odd}) CHECK(warp->role != none);
}
