// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// iket::launch: passes what a launch passes, and times it.
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "support.hpp"

using namespace iket::analysis;

// An 80 cannot compile it, and never runs it.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define CLUSTER_OF_TWO __cluster_dims__(2, 1, 1)
#else
#define CLUSTER_OF_TWO
#endif

namespace {

struct pair_of_ints {
  int first, second;
};

__global__ void note_arguments(long long* out, long long a, float b, pair_of_ints c, bool d, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "a", a);
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  out[0] = a;
  out[1] = static_cast<long long>(b * 2);
  out[2] = c.first * 100 + c.second;
  out[3] = d ? 1 : 0;
}

__global__ void mark(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "here");
}

__global__ void CLUSTER_OF_TWO mark_in_clusters(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "here");
}

__device__ unsigned long long read_globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__global__ void spin(unsigned long long ns, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_RANGE(rec, "spin");
  const unsigned long long begin = read_globaltimer();
  while (read_globaltimer() - begin < ns) {
  }
}

cudaLaunchConfig_t config_of(dim3 grid, dim3 block, cudaStream_t stream = nullptr) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  return config;
}

bool has_every_other_cluster(const launch& launch) {
  if (launch.cluster != std::array<std::uint32_t, 3>{2, 1, 1} || launch.warps.size() != 4) return false;
  const std::uint32_t ctas[] = {0, 1, 4, 5};
  for (std::size_t i = 0; i < 4; ++i)
    if (launch.warps[i].cta_linear != ctas[i] || launch.warps[i].cluster_rank != i % 2) return false;
  return true;
}

}  // namespace

TEST_CASE("arguments are converted to the kernel's parameters, whatever they are") {
  long long* out = nullptr;
  REQUIRE(cudaMalloc(&out, 4 * sizeof(*out)) == cudaSuccess);
  iket::session session(gpu_test::small_session());
  const auto config = config_of(3, 64);
  const auto check = [&](const std::array<long long, 4>& expected) {
    std::array<long long, 4> found{};
    REQUIRE(cudaMemcpy(found.data(), out, sizeof(found), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(found == expected);
  };
  iket::launch(session, "temporaries", config, note_arguments, out, -5, 1.5, pair_of_ints{1, 2}, true);
  check({-5, 3, 102, 1});

  int a = 7;
  const double b = 2.5;
  pair_of_ints c{3, 4};
  const pair_of_ints& by_reference = c;
  const int d = 0;
  iket::launch(session, "lvalues", config, note_arguments, out, a, b, by_reference, d);
  a = 0;
  c = {0, 0};
  check({7, 5, 304, 0});

  iket::trace_options options;
  options.ctas = iket::ctas::range(1, 2);
  iket::launch(session, "with options", config, options, note_arguments, out, 9u, 4.0f, c, d != 0);
  check({9, 8, 0, 0});
  iket::launch(session, "the tracer alone", config, mark);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  CHECK(cudaFree(out) == cudaSuccess);

  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 4);
  const std::string names[] = {"temporaries", "lvalues", "with options", "the tracer alone"};
  const std::uint64_t values[] = {static_cast<std::uint64_t>(-5), 7, 9, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    const launch& launch = trace.launches[i];
    CHECK(launch.kernel == names[i]);
    CHECK(launch.warps.size() == (i == 2 ? 2 : 6));
    for (const warp_timeline& warp : launch.warps) {
      REQUIRE(warp.points.size() == 1);
      CHECK(warp.points[0].payload().bits == values[i]);
    }
    CHECK(launch.event_time_ns != 0);
  }
}

TEST_CASE("the cluster is that of the configuration, else that of the kernel") {
  if (!gpu_test::has_clusters()) return;
  iket::session session(gpu_test::small_session());
  iket::trace_options options;
  options.ctas = iket::ctas::every(2);
  auto config = config_of(8, 32);
  iket::launch(session, "of the kernel", config, options, mark_in_clusters);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  iket::launch(session, "of the configuration", config, options, mark);
  config.numAttrs = 0;
  iket::launch(session, "none", config, options, mark);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 3);
  CHECK(has_every_other_cluster(trace.launches[0]));
  CHECK(has_every_other_cluster(trace.launches[1]));
  CHECK_FALSE(trace.launches[2].has_clusters());
  REQUIRE(trace.launches[2].warps.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(trace.launches[2].warps[i].cta_linear == 2 * i);
}

TEST_CASE("the time between the events is about that inside", "[no sanitizer]") {
  iket::session session;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  const auto config = config_of(132, 128, stream);
  iket::launch(session, "loads the kernel", config, spin, 1000);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  for (int i = 0; i < 3; ++i) iket::launch(session, "spin", config, spin, 1000000);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  REQUIRE(trace.launches.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) {
    const double inside_ns = static_cast<double>(trace.launches[i].end - trace.launches[i].begin) / 1000;
    const auto event_ns = static_cast<double>(trace.launches[i].event_time_ns);
    INFO("inside " << inside_ns << " ns, events " << event_ns << " ns");
    CHECK(inside_ns >= 990000);
    CHECK(event_ns <= inside_ns * 1.2 + 20000);
    CHECK(event_ns >= inside_ns * 0.8 - 20000);
  }
}

// A sanitizer reports the refused launches as errors of the program.
TEST_CASE("a launch that fails throws, and leaves no error behind", "[no sanitizer]") {
  iket::session session(gpu_test::small_session());
  CHECK_THROWS_AS(iket::launch(session, "too many threads", config_of(2, 2048), mark), iket::error);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  auto config = config_of(2, 64);
  config.dynamicSmemBytes = std::size_t{1} << 30;
  try {
    iket::launch(session, "too much shared memory", config, mark);
    FAIL_CHECK("no exception");
  } catch (const iket::error& failure) {
    CHECK(std::string(failure.what()).find("'too much shared memory'") != std::string::npos);
  }
  CHECK(cudaPeekAtLastError() == cudaSuccess);
  iket::launch(session, "fits", config_of(2, 64), mark);
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);  // of those that failed nothing is left
  CHECK(trace.launches[0].kernel == "fits");
  CHECK(trace.launches[0].warps.size() == 4);
  CHECK(trace.launches[0].event_time_ns != 0);
}

TEST_CASE("under stream capture a launch is not timed, and its graph traces when it runs") {
  iket::session session(gpu_test::small_session());
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  mark<<<1, 32, 0, stream>>>(iket::tracer{});  // loads the kernel, which not every driver does under capture
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  iket::launch(session, "captured", config_of(4, 64, stream), mark);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  std::size_t nodes = 0;
  REQUIRE(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 1);
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  CHECK(gpu_test::finish() == cudaSuccess);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].event_time_ns == 0);
  CHECK(trace.launches[0].warps_opened == 8);
  for (const warp_timeline& warp : trace.launches[0].warps) CHECK(warp.points.size() == 1);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("one thread launches while another drains") {
  iket::session session;
  std::atomic<bool> launched = false;
  std::thread drains([&] {
    while (!launched) session.drain();
  });
  constexpr std::size_t count = 200;
  for (std::size_t i = 0; i < count; ++i) iket::launch(session, "mark", config_of(4, 64), mark);
  launched = true;
  drains.join();
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == count);
  std::size_t whole = 0;
  for (const launch& one : trace.launches) {
    whole += one.warps.size() == 8 ? 1 : 0;
    for (const warp_timeline& warp : one.warps) CHECK(warp.points.size() == 1);
  }
  CHECK(whole == count);
}
