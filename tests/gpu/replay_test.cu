// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Tracers that several launches use: CUDA graphs that are replayed, and launches that share one tracer.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "graph.hpp"
#include "sign_in.cuh"

using namespace iket::analysis;
using namespace gpu_test;

namespace {

__device__ unsigned long long read_grid_id() {
  unsigned long long id;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
  return id;
}

// What all warps of one launch see, and no other launch of its node: the last kernel of a graph counts it up.
__global__ void note_round(const unsigned* round, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "round", *round);
}

__global__ void note_and_end_round(unsigned* round, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "round", *round);
  rec.close();
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) ++*round;
}

__global__ void note_grid(unsigned long long spin_ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "grid", read_grid_id());
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin)::"memory");
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  } while (now - begin < spin_ns);
}

__global__ void note_number(unsigned number, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "number", number);
}

iket::trace_options replayable(std::uint32_t regions, cudaStream_t stream = nullptr) {
  iket::trace_options options;
  if (stream != nullptr) options.stream = stream;
  options.regions = regions;
  options.records_per_warp = 4;
  return options;
}

// CTA 1 makes a recorder in every second launch only, or two where `doubled`.
__global__ void come_and_go(unsigned number, bool doubled, iket::tracer tracer) {
  {
    iket::recorder rec(tracer, blockIdx.x != 1 || doubled || number % 2 == 0);
    IKET_MARK(rec, "number", number);
  }
  if (blockIdx.x == 1 && doubled) {
    iket::recorder again(tracer);
    IKET_MARK(again, "number", number);
  }
}

std::vector<const launch*> launches_of(const timeline& trace, const std::string& kernel) {
  std::vector<const launch*> found;
  for (const launch& one : trace.launches)
    if (one.kernel == kernel) found.push_back(&one);
  return found;
}

// Every one of `warps` warps is there once and marked `payload`.
bool is_whole(const launch& one, std::size_t warps, std::uint64_t payload) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const warp_timeline& warp : one.warps) {
    if (!warp.closed || warp.points.size() != 1 || warp.points[0].payload().bits != payload) return false;
    places.emplace(warp.cta_linear, warp.warp);
  }
  return places.size() == warps && one.warps.size() == warps && one.warps_opened == warps;
}

// The n-th launch saw round `first + n`.
void check_rounds(const std::vector<const launch*>& launches, std::size_t warps, std::uint64_t first) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    wrong += is_whole(*launches[i], warps, first + i) && launches[i]->replay == i + 1 ? 0 : 1;
    if (i != 0) CHECK(launches[i]->begin >= launches[i - 1]->end);
  }
  CHECK(wrong == 0);
}

// Three traced kernels: 4 CTAs of 2 warps, 3 of 1, 1 of 2. No node is IKET's own.
class three_kernels {
 public:
  three_kernels(iket::session& session, const iket::trace_options& options) : round_(1) {
    note_round<<<1, 32>>>(round_.get(), iket::tracer{});  // loads the kernels, which not every driver does in a capture
    note_and_end_round<<<1, 32>>>(round_.get(), iket::tracer{});
    REQUIRE(finish() == cudaSuccess);
    round_.zero();
    graph_ = capture([&](cudaStream_t stream) {
      iket::trace_options with_stream = options;
      with_stream.stream = stream;
      note_round<<<4, 64, 0, stream>>>(round_.get(), session.trace("first", 4, 64, with_stream));
      note_round<<<3, 32, 0, stream>>>(round_.get(), session.trace("second", 3, 32, with_stream));
      note_and_end_round<<<1, 64, 0, stream>>>(round_.get(), session.trace("third", 1, 64, with_stream));
    });
    CHECK(graph_.nodes() == 3);
  }
  void replay(unsigned times) {
    for (unsigned i = 0; i < times; ++i) graph_.launch(nullptr);
  }
  static void check(const timeline& trace, std::size_t count, std::uint64_t first_round) {
    for (const auto& [kernel, warps] : {std::pair("first", 8), std::pair("second", 3), std::pair("third", 2)}) {
      const auto launches = launches_of(trace, kernel);
      CHECK(launches.size() == count);
      check_rounds(launches, static_cast<std::size_t>(warps), first_round);
    }
  }

 private:
  device_words round_;
  executable_graph graph_;
};

}  // namespace

TEST_CASE("launches of one node of one executable graph share a grid id, all others have their own", "[no sanitizer]") {
  iket::session session(small_session());
  note_grid<<<1, 32>>>(0, iket::tracer{});
  REQUIRE(finish() == cudaSuccess);
  const iket::tracer tracer = session.trace("note_grid", 1, 32, replayable(64));
  const auto record = [&](cudaStream_t stream) {
    note_grid<<<1, 32, 0, stream>>>(0, tracer);
    note_grid<<<1, 32, 0, stream>>>(0, tracer);
  };
  executable_graph graph = capture(record);
  executable_graph same = graph.instantiate_again();
  for (int i = 0; i < 3; ++i) {
    graph.launch(nullptr);
    same.launch(nullptr);
    note_grid<<<1, 32>>>(0, tracer);
  }
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 15);
  std::map<std::uint64_t, int> seen;
  for (const launch& one : trace.launches) ++seen[one.warps.at(0).points.at(0).payload().bits];
  int graph_nodes = 0, single = 0;
  for (const auto& [grid, count] : seen) {
    graph_nodes += count == 3 ? 1 : 0;
    single += count == 1 ? 1 : 0;
    UNSCOPED_INFO("grid id " << grid << ": " << count);
  }
  CHECK(graph_nodes == 4);
  CHECK(single == 3);
}

TEST_CASE("1000 replays of a graph with three traced kernels are 3000 launches, every count right") {
  iket::session session(small_session(std::size_t{64} << 20));
  three_kernels graph(session, replayable(1000));
  graph.replay(1000);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  CHECK(trace.launches.size() == 3000);
  three_kernels::check(trace, 1000, 0);
  for (const launch& one : trace.launches) CHECK(one.replays_missed == 0);
  CHECK(warnings_of(trace).empty());
}

TEST_CASE("replays beyond the regions are counted, and a drain makes room again") {
  iket::session session(small_session());
  three_kernels graph(session, replayable(5));
  graph.replay(12);
  const timeline trace = written_by(session);
  three_kernels::check(trace, 5, 0);
  for (const char* kernel : {"first", "second", "third"}) {
    const auto launches = launches_of(trace, kernel);
    CHECK(launches.back()->replays_missed == 7);
    CHECK(launches.front()->replays_missed == 0);
    CHECK(launches.front()->regions == 5);
  }
  graph.replay(3);
  const timeline later = written_by(session);
  three_kernels::check(later, 3, 12);
  CHECK(written_by(session).launches.empty());
  graph.replay(5);
  three_kernels::check(written_by(session), 5, 15);
}

TEST_CASE("under capture a tracer is for eight launches, unless the options say otherwise") {
  iket::session session(small_session());
  three_kernels graph(session, {});
  graph.replay(9);
  const timeline trace = written_by(session);
  three_kernels::check(trace, 8, 0);
  CHECK(launches_of(trace, "second").back()->replays_missed == 1);
}

TEST_CASE("a graph that was never launched shows once, without warps") {
  iket::session session(small_session());
  three_kernels graph(session, replayable(2));
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 3);
  for (const launch& one : trace.launches) CHECK(one.warps.empty());
  CHECK(written_by(session).launches.empty());
  graph.replay(1);
  three_kernels::check(written_by(session), 1, 0);
}

TEST_CASE("two executables of one graph at once keep their launches apart") {
  iket::session session(small_session());
  note_grid<<<1, 32>>>(0, iket::tracer{});
  REQUIRE(finish() == cudaSuccess);
  executable_graph graph = capture([&](cudaStream_t stream) {
    note_grid<<<40, 64, 0, stream>>>(20'000, session.trace("note_grid", 40, 64, replayable(32, stream)));
  });
  executable_graph same = graph.instantiate_again();
  const own_stream one, other;
  for (int i = 0; i < 16; ++i) {
    graph.launch(one.get());
    same.launch(other.get());
  }
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  CHECK(trace.launches.size() == 32);
  std::size_t wrong = 0, at_once = 0;
  std::map<std::uint64_t, int> executables;
  for (std::size_t i = 0; i < trace.launches.size(); ++i) {
    const launch& each = trace.launches[i];
    REQUIRE(!each.warps.empty());
    const std::uint64_t grid = each.warps[0].points.at(0).payload().bits;
    wrong += is_whole(each, 80, grid) ? 0 : 1;
    ++executables[grid];
    if (i != 0 && each.begin < trace.launches[i - 1].end) ++at_once;
  }
  CHECK(wrong == 0);
  CHECK(executables.size() == 2);
  WARN(at_once << " of 32 launches began before the one before had ended");
}

TEST_CASE("launches of several streams share a replayable tracer") {
  iket::session session(small_session());
  const iket::tracer tracer = session.trace("note_number", 20, 96, replayable(40));
  const own_stream streams[3];
  for (unsigned i = 0; i < 40; ++i) note_number<<<20, 96, 0, streams[i % 3].get()>>>(i, tracer);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 40);
  std::set<std::uint64_t> numbers;
  for (const launch& one : trace.launches) {
    REQUIRE(!one.warps.empty());
    const std::uint64_t number = one.warps[0].points.at(0).payload().bits;
    CHECK(is_whole(one, 60, number));
    numbers.insert(number);
  }
  CHECK(numbers.size() == 40);
}

TEST_CASE("a replayable tracer selects as any other") {
  iket::session session(small_session());
  std::vector<iket::trace_options> used(4, replayable(3));
  used[0].ctas = iket::ctas::every(3);
  used[1].ctas = iket::ctas::list({1, 5, 16});
  used[2].ctas = iket::ctas::range(4, 9);
  used[2].warps = 0b101;
  used[3].warps = 0b10;
  for (const iket::trace_options& how : used) {
    const iket::tracer tracer = session.trace("sign_in", 17, 96, how);
    for (int i = 0; i < 3; ++i) sign_in<<<17, 96>>>(tracer);
  }
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 12);
  for (std::size_t i = 0; i < 12; ++i)
    check_places(trace.launches[i], selected_ctas(used[i / 3], 17), used[i / 3].warps);
}

TEST_CASE("launches of another shape than a replayable tracer was announced for are refused and counted") {
  iket::session session(small_session());
  const iket::tracer tracer = session.trace("sign_in", 8, 64, replayable(4));
  sign_in<<<8, 64>>>(tracer);
  sign_in<<<9, 64>>>(tracer);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.size() == 16);
  CHECK(trace.launches[0].recorders_refused == 18);
}

TEST_CASE("refusals behind a drain are reported, too") {
  iket::session session(small_session());
  const iket::tracer tracer = session.trace("sign_in", 8, 64, replayable(4));
  sign_in<<<8, 64>>>(tracer);
  REQUIRE(finish() == cudaSuccess);
  CHECK(written_by(session).launches.size() == 1);
  sign_in<<<9, 64>>>(tracer);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.empty());
  CHECK(trace.launches[0].recorders_refused == 18);
}

TEST_CASE("a graph of which a warp makes no recorder in some replay, or two, is said to be mixed up") {
  for (const bool doubled : {false, true}) {
    iket::session session(small_session());
    come_and_go<<<1, 32>>>(0, false, iket::tracer{});
    REQUIRE(finish() == cudaSuccess);
    const iket::tracer tracer = session.trace("come_and_go", 3, 32, replayable(16));
    // One node, so that all launches have one grid id: its argument changes from launch to launch.
    executable_graph graph =
        capture([&](cudaStream_t stream) { come_and_go<<<3, 32, 0, stream>>>(1, doubled, tracer); });
    for (unsigned number = 1; number <= 4; ++number) {
      graph.set_kernel_arguments(reinterpret_cast<const void*>(come_and_go), dim3(3), dim3(32), number, doubled,
                                 tracer);
      graph.launch(nullptr);
    }
    REQUIRE(finish() == cudaSuccess);
    const timeline trace = written_by(session);
    CAPTURE(doubled, trace.launches.size());
    REQUIRE(!trace.launches.empty());
    for (const launch& one : trace.launches) CHECK(one.replays_mixed);
  }
}

TEST_CASE("warps of launches at once that find no region are counted") {
  iket::session session(small_session());
  note_grid<<<1, 32>>>(0, iket::tracer{});
  REQUIRE(finish() == cudaSuccess);
  executable_graph graph = capture([&](cudaStream_t stream) {
    note_grid<<<40, 64, 0, stream>>>(20'000, session.trace("note_grid", 40, 64, replayable(3, stream)));
  });
  executable_graph same = graph.instantiate_again();
  const own_stream one, other;
  for (int i = 0; i < 4; ++i) {
    graph.launch(one.get());
    same.launch(other.get());
  }
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  std::uint64_t recorded = 0, unplaced = 0;
  for (const launch& each : trace.launches) {
    recorded += each.warps.size();
    unplaced += each.warps_unplaced;
  }
  CHECK(recorded == 3 * 80);
  CHECK(unplaced == 5 * 80);
}

TEST_CASE("a replayable tracer for which there is no memory says so at every drain") {
  iket::session session(small_session(std::size_t{64} << 10));
  const iket::tracer tracer = session.trace("sign_in", 4, 1024, replayable(1000));
  for (int i = 0; i < 2; ++i) {
    sign_in<<<4, 1024>>>(tracer);
    REQUIRE(finish() == cudaSuccess);
    const timeline trace = written_by(session);
    REQUIRE(trace.launches.size() == 1);
    CHECK(trace.launches[0].over_limit);
    CHECK(trace.launches[0].ctas_traced == 0);
  }
  session.end_replays();
  CHECK(written_by(session).launches.size() == 1);
  CHECK(written_by(session).launches.empty());
}

TEST_CASE("a tracer for one launch that is launched twice is reported") {
  iket::session session(small_session());
  const iket::tracer tracer = session.trace("sign_in", 2, 32);
  sign_in<<<2, 32>>>(tracer);
  sign_in<<<2, 32>>>(tracer);
  REQUIRE(finish() == cudaSuccess);
  const std::string warnings = warnings_of(written_by(session));
  CAPTURE(warnings);
  CHECK(warnings.find("launched more than once") != std::string::npos);
}

TEST_CASE("replayable tracers take the memory that was estimated, and give it back when they end") {
  for (const std::uint32_t regions : {1u, 3u, 100u})
    for (const std::uint32_t records : {1u, 16u, 100u}) {
      iket::trace_options how = replayable(regions);
      how.records_per_warp = records;
      how.ctas = iket::ctas::list({0, 3, 7});
      const iket::memory_estimate estimate = iket::estimate_memory(9, 96, how);
      iket::session session(small_session(estimate.bytes));
      for (int again = 0; again < 3; ++again) {
        const iket::tracer tracer = session.trace("sign_in", 9, 96, how);
        for (std::uint32_t i = 0; i < regions; ++i) sign_in<<<9, 96>>>(tracer);
        REQUIRE(finish() == cudaSuccess);
        session.end_replays();
        const timeline trace = written_by(session);
        REQUIRE(trace.launches.size() == regions);
        for (const launch& one : trace.launches) {
          CHECK_FALSE(one.over_limit);
          CHECK(one.warps.size() == 9);
        }
      }
    }
}

TEST_CASE("regions for which there is no memory cost CTAs, not launches") {
  iket::session session(small_session(std::size_t{1} << 20));
  iket::trace_options how = replayable(100);
  const iket::tracer tracer = session.trace("sign_in", 64, 64, how);
  for (int i = 0; i < 100; ++i) sign_in<<<64, 64>>>(tracer);
  REQUIRE(finish() == cudaSuccess);
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 100);
  for (const launch& one : trace.launches) {
    CHECK(one.over_limit);
    CHECK(one.ctas_traced > 1);
    CHECK(one.ctas_traced < 64);
    CHECK(one.warps.size() == 2 * one.ctas_traced);
  }
}

TEST_CASE("plain launches and replays share a session's memory") {
  iket::session session(small_session());
  three_kernels graph(session, replayable(4));
  for (int round = 0; round < 3; ++round) {
    graph.replay(2);
    sign_in<<<8, 64>>>(session.trace("plain", 8, 64));
    graph.replay(1);
    REQUIRE(finish() == cudaSuccess);
    const timeline trace = written_by(session);
    CHECK(trace.launches.size() == 10);
    three_kernels::check(trace, 3, static_cast<std::uint64_t>(round) * 3);
    REQUIRE(launches_of(trace, "plain").size() == 1);
    check_places(*launches_of(trace, "plain")[0], selected_ctas({}, 8), iket::warps::all);
  }
}
