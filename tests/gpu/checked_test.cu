// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Compiled with IKET_CHECKED: each kind of misuse is found where it is, as often as it happened, and nothing else is.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

using namespace iket::analysis;
using iket::file::fault_kind;

namespace {

__device__ bool is_lane(unsigned lane) { return threadIdx.x % 32 == lane; }

__global__ void clean(int turns, iket::tracer tracer) {
  if (blockIdx.x == 1) {  // one elected lane of each warp, with a recorder of its own
    if (!is_lane(5)) return;
    iket::recorder rec(tracer);
    IKET_ROLE(rec, "elected");
    IKET_RANGE(rec, "alone");
    return;
  }
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "everyone");
  iket::token in_flight;
  for (int i = 0; i < turns; ++i) {
    IKET_RANGE(rec, "turn", i);
    IKET_PUSH_IF(rec, i % 2 == 0, "even");
    const iket::token next = IKET_START(rec, "copy");
    IKET_END(rec, in_flight);
    in_flight = next;
    IKET_MARK(rec, "mark", 1.5);
    IKET_POP_IF(rec, i % 2 == 0);
  }
  IKET_END(rec, in_flight);
  if (blockIdx.x == 2) return;
  IKET_COUNTER(rec, "counter", 1);
  IKET_SYNC(rec);
  rec.close();
  IKET_MARK(rec, "behind the close");
}

constexpr unsigned apart_line = __LINE__ + 3;
__global__ void lanes_apart(iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (threadIdx.x % 32 >= 16) IKET_MARK(rec, "without the leader", 1);
}

constexpr unsigned left_line = __LINE__ + 4;
__global__ void leader_left(iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (is_lane(0)) return;
  IKET_MARK(rec, "behind the leader");
}

constexpr unsigned second_line = __LINE__ + 7;
__global__ void two_recorders(iket::tracer tracer) {
  {
    iket::recorder rec(tracer);
    IKET_MARK(rec, "first");
  }
  iket::recorder rec(tracer);
  IKET_MARK(rec, "second");
  IKET_MARK(rec, "second again");
}

__global__ void second_is_silent(iket::tracer tracer) {
  { iket::recorder rec(tracer); }
  iket::recorder rec(tracer);
}

constexpr unsigned pop_line = __LINE__ + 5;
__global__ void one_pop_more(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_PUSH(rec, "pushed");
  IKET_POP(rec);
  IKET_POP(rec);
}

constexpr unsigned token_line = __LINE__ + 3;
__global__ void ended_twice(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const iket::token started = IKET_START(rec, "ended twice", 3);
  const iket::token other = IKET_START(rec, "ended once");
  IKET_END(rec, started);
  IKET_END(rec, other);
  IKET_END(rec, started);
}

constexpr unsigned copy_line = __LINE__ + 6;
__global__ void copied(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "of the original");
  alignas(iket::recorder) unsigned char bytes[sizeof(iket::recorder)];
  memcpy(bytes, static_cast<const void*>(&rec), sizeof(bytes));
  IKET_MARK(*reinterpret_cast<iket::recorder*>(bytes), "of the copy");
}

// Two kinds of misuse, on one warp of one CTA, so many times.
__global__ void in_one_place(int times, iket::tracer tracer) {
  iket::recorder rec(tracer);
  if (blockIdx.x != 1 || blockIdx.y != 2 || threadIdx.x / 32 != 3) return;
  for (int i = 0; i < times; ++i) IKET_POP(rec);
  for (int i = 0; i < times; ++i) {
    const iket::token started = IKET_START(rec, "ended twice");
    IKET_END(rec, started);
    IKET_END(rec, started);
  }
}

template <int N>
__device__ void pop_at_site(iket::recorder& rec) {
  IKET_POP(rec);
}

template <int... N>
__device__ void pop_at_sites(iket::recorder& rec, std::integer_sequence<int, N...>) {
  (pop_at_site<N>(rec), ...);
}

constexpr int many = 100;

__global__ void many_faulty_sites(iket::tracer tracer) {
  iket::recorder rec(tracer);
  pop_at_sites(rec, std::make_integer_sequence<int, many>());
}

// What a kernel of one parameter did, with `grid` x `block`.
template <class Kernel>
timeline trace_of(Kernel kernel, dim3 grid, dim3 block, const iket::trace_options& options = {}) {
  iket::session session(gpu_test::small_session());
  kernel<<<grid, block>>>(session.trace("kernel", grid, block, options));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].checked);
  CHECK(trace.launches[0].faults_dropped == 0);
  return trace;
}

void check_fault(const fault& found, fault_kind kind, const std::string& site, unsigned line, std::uint64_t count) {
  INFO(site);
  CHECK(found.kind == kind);
  CHECK(found.site == site);
  CHECK(found.source.line == line);
  CHECK(found.source.file == (line == 0 ? "" : __FILE__));
  CHECK(found.count == count);
}

// The one fault of 6 CTAs of 3 warps that all do it once.
template <class Kernel>
void check_only_fault(Kernel kernel, fault_kind kind, const std::string& site, unsigned line) {
  const timeline trace = trace_of(kernel, 6, 96);
  const std::vector<fault>& faults = trace.launches[0].faults;
  REQUIRE(faults.size() == 1);
  check_fault(faults[0], kind, site, line, 18);
  CHECK(faults[0].cta[0] < 6);
  CHECK(faults[0].cta[1] == 0);
  CHECK(faults[0].cta[2] == 0);
  CHECK(faults[0].warp < 3);
}

}  // namespace

TEST_CASE("a kernel without a fault has none, and its launch is known to be checked") {
  iket::session session(gpu_test::small_session());
  clean<<<4, 96>>>(20, session.trace("clean", 4, 96));
  clean<<<4, 96>>>(20, iket::tracer{});
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  CHECK(launch.checked);
  CHECK(launch.faults.empty());
  CHECK(launch.faults_dropped == 0);
  REQUIRE(launch.warps.size() == 12);
  // A turn: the range with its payload 3, the copy 3, the mark 3, and every other time a push and a pop.
  for (const warp_timeline& warp : launch.warps) {
    CHECK(warp.written == (warp.cta_linear == 1 ? 2u : 20 * 9 + 20) + (warp.cta_linear % 3 == 0 ? 5u : 0u));
    CHECK(warp.odd.empty());
  }
}

TEST_CASE("events on lanes without the leader are found") {
  check_only_fault(lanes_apart, fault_kind::leader_absent, "without the leader", apart_line);
  check_only_fault(leader_left, fault_kind::leader_absent, "behind the leader", left_line);
}

TEST_CASE("a second recorder on a warp is found at its first event, or at its close") {
  check_only_fault(two_recorders, fault_kind::second_recorder, "second", second_line);
  check_only_fault(second_is_silent, fault_kind::second_recorder, "", 0);
}

TEST_CASE("a pop without a push is found") {
  check_only_fault(one_pop_more, fault_kind::pop_without_push, "IKET_POP", pop_line);
}

TEST_CASE("a token that is ended twice is found, by the place where it started") {
  check_only_fault(ended_twice, fault_kind::end_without_start, "ended twice", token_line);
}

TEST_CASE("a recorder whose bytes were copied is found") {
  check_only_fault(copied, fault_kind::recorder_copied, "of the copy", copy_line);
}

TEST_CASE("a fault is counted by kind and site, and its CTA and warp are told") {
  iket::session session(gpu_test::small_session());
  in_one_place<<<dim3(3, 4), 128>>>(7, session.trace("in_one_place", dim3(3, 4), 128));
  iket::trace_options others;
  others.ctas = iket::ctas::range(0, 7);
  in_one_place<<<dim3(3, 4), 128>>>(7, session.trace("not traced", dim3(3, 4), 128, others));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const std::vector<fault>& faults = trace.launches.at(0).faults;
  REQUIRE(faults.size() == 2);
  for (const fault& fault : faults) {
    CHECK(fault.cta == std::array<std::uint32_t, 3>{1, 2, 0});
    CHECK(fault.warp == 3);
    CHECK(fault.count == 7);
  }
  CHECK(faults[0].kind != faults[1].kind);
  // Linear index 7: a warp that has no ring reports nothing.
  CHECK(trace.launches.at(1).checked);
  CHECK(trace.launches[1].faults.empty());
}

TEST_CASE("faults at more sites than there is room for are counted as dropped") {
  iket::session session(gpu_test::small_session());
  many_faulty_sites<<<5, 64>>>(session.trace("many_faulty_sites", 5, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  CHECK(launch.checked);
  REQUIRE(launch.faults.size() == 64);
  for (const fault& fault : launch.faults) {
    CHECK(fault.kind == fault_kind::pop_without_push);
    CHECK(fault.count == 10);
  }
  CHECK(launch.faults_dropped == (many - 64) * 10);
}
