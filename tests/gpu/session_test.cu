// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What a session promises: launches, streams, memory limits, dumps.
#include <cstdint>

#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void tick(int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (int i = 0; i < count; ++i) {
    IKET_RANGE(rec, "tick", i);
  }
}

__global__ void note_cluster(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "here");
}

constexpr std::size_t kibibyte = 1024;

std::uint64_t ticks_in(const timeline& trace, const launch& launch) {
  return gpu_test::ranges_of(trace, launch, "tick").size();
}

}  // namespace

TEST_CASE("several launches of one session land in one dump, in order") {
  iket::session session;
  for (int count = 1; count <= 20; ++count)
    tick<<<count, 64>>>(count, session.trace("tick " + std::to_string(count), count, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 20);
  for (unsigned count = 1; count <= 20; ++count) {
    const launch& launch = trace.launches[count - 1];
    CHECK(launch.kernel == "tick " + std::to_string(count));
    CHECK(ticks_in(trace, launch) == count * count * 2);
    if (count > 1) CHECK(launch.begin >= trace.launches[count - 2].begin);
  }
  REQUIRE(trace.devices.size() == 1);
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  CHECK(trace.devices[0].name == properties.name);
  CHECK(trace.devices[0].sm_count == static_cast<std::uint32_t>(properties.multiProcessorCount));
}

TEST_CASE("a second write has what came since the first") {
  iket::session session;
  tick<<<1, 32>>>(3, session.trace("first", 1, 32));
  const timeline first = gpu_test::written_by(session);
  tick<<<1, 32>>>(5, session.trace("second", 1, 32));
  const timeline second = gpu_test::written_by(session);
  const timeline third = gpu_test::written_by(session);
  REQUIRE(first.launches.size() == 1);
  REQUIRE(second.launches.size() == 1);
  CHECK(first.launches[0].kernel == "first");
  CHECK(ticks_in(first, first.launches[0]) == 3);
  CHECK(second.launches[0].kernel == "second");
  CHECK(ticks_in(second, second.launches[0]) == 5);
  CHECK(third.launches.empty());
}

TEST_CASE("memory that was drained is used again, clean") {
  iket::session_options options;
  options.memory_limit = 64 * kibibyte;
  options.records_per_warp = 64;
  iket::session session(options);
  for (int round = 0; round < 30; ++round) {
    // Large first, small later: what an earlier round left would show as records or warps too many.
    const int count = round % 3 == 0 ? 30 : 2;
    tick<<<8, 128>>>(count, session.trace("tick", 8, 128));
    session.drain();
  }
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 30);
  for (std::size_t round = 0; round < 30; ++round) {
    const std::uint64_t count = round % 3 == 0 ? 30 : 2;
    const launch& launch = trace.launches[round];
    CHECK(launch.ctas_traced == 8);
    CHECK(launch.warps_opened == 32);
    for (const warp_timeline& warp : launch.warps) CHECK(warp.written == 3 * count);
  }
}

TEST_CASE("two sessions in one process do not mix") {
  iket::session a, b;
  tick<<<2, 32>>>(3, a.trace("of a", 2, 32));
  tick<<<4, 32>>>(5, b.trace("of b", 4, 32));
  const timeline of_a = gpu_test::written_by(a);
  const timeline of_b = gpu_test::written_by(b);
  REQUIRE(of_a.launches.size() == 1);
  REQUIRE(of_b.launches.size() == 1);
  CHECK(of_a.launches[0].kernel == "of a");
  CHECK(ticks_in(of_a, of_a.launches[0]) == 6);
  CHECK(of_b.launches[0].kernel == "of b");
  CHECK(ticks_in(of_b, of_b.launches[0]) == 20);
}

TEST_CASE("a drain waits for the streams that were named") {
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams)
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  iket::session session;
  for (int round = 0; round < 10; ++round)
    for (cudaStream_t stream : streams) {
      iket::trace_options options;
      options.stream = stream;
      tick<<<16, 64, 0, stream>>>(200, session.trace("tick", 16, 64, options));
    }
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 20);
  for (const launch& launch : trace.launches) CHECK(ticks_in(trace, launch) == 16 * 2 * 200);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("records per warp are rounded up to a power of two, and 0 is refused") {
  iket::session_options options;
  options.records_per_warp = 100;
  iket::session session(options);
  iket::trace_options own;
  own.records_per_warp = 33;
  tick<<<1, 32>>>(1000, session.trace("session's", 1, 32));
  tick<<<1, 32>>>(1000, session.trace("own", 1, 32, own));
  own.records_per_warp = 0;
  CHECK_THROWS_AS((void)session.trace("none", 1, 32, own), iket::error);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 2);
  CHECK(trace.launches[0].records_per_warp == 128);
  CHECK(trace.launches[1].records_per_warp == 64);
  CHECK(trace.launches[1].warps.at(0).written == 3000);
  CHECK(trace.launches[1].warps.at(0).kept == 64);
  CHECK(trace.launches[1].warps.at(0).lost == 3000 - 64);
  options.records_per_warp = 0;
  CHECK_THROWS_AS(iket::session(options), iket::error);
}

TEST_CASE("what cannot be a launch is refused") {
  iket::session session;
  CHECK_THROWS_AS((void)session.trace("k", 0, 32), iket::error);
  CHECK_THROWS_AS((void)session.trace("k", dim3(1, 0, 1), 32), iket::error);
  CHECK_THROWS_AS((void)session.trace("k", 1, 0), iket::error);
  CHECK_THROWS_AS((void)session.trace("k", 1, 1025), iket::error);
  CHECK_THROWS_AS((void)session.trace("k", 1, dim3(32, 33, 1)), iket::error);
  CHECK_THROWS_AS((void)session.trace("k", dim3(0x7FFFFFFF, 65535, 65535), 32), iket::error);
  CHECK(gpu_test::finish() == cudaSuccess);
}

TEST_CASE("a launch that needs more memory than there is has an evenly spaced part of its CTAs traced") {
  iket::session_options options;
  options.memory_limit = 256 * kibibyte;
  options.records_per_warp = 64;
  const iket::memory_estimate one = iket::estimate_memory(1, 32, {}, options.records_per_warp);
  const auto bytes_of = [&](std::uint64_t ctas) { return one.bytes + (ctas - 1) * one.bytes_per_warp; };
  for (const unsigned ctas : {1u, 100u, 101u, 404u, 405u, 406u, 407u, 1000u, 12345u}) {
    iket::session session(options);
    tick<<<ctas, 32>>>(4, session.trace("tick", ctas, 32));
    const timeline trace = gpu_test::written_by(session);
    const launch& launch = trace.launches.at(0);
    CHECK(launch.ctas_total == ctas);
    CHECK(launch.ctas_traced == (ctas + launch.cta_stride - 1) / launch.cta_stride);
    CHECK(launch.over_limit == (bytes_of(ctas) > options.memory_limit));
    CHECK(launch.over_limit == (launch.ctas_traced < ctas));
    CHECK(launch.bytes_needed == bytes_of(ctas));
    CHECK(launch.bytes_limit == options.memory_limit);
    // No more is left out than the limit asks for: with a stride less by one it would not have fitted.
    if (launch.cta_stride > 1)
      CHECK(bytes_of((ctas + launch.cta_stride - 2) / (launch.cta_stride - 1)) > options.memory_limit);
    REQUIRE(launch.warps.size() == launch.ctas_traced);
    for (std::size_t i = 0; i < launch.warps.size(); ++i) CHECK(launch.warps[i].cta_linear == i * launch.cta_stride);
    CHECK(ticks_in(trace, launch) == launch.ctas_traced * 4);
  }
}

TEST_CASE("a launch for which no memory is left runs untraced, which the dump says; or throws where that was asked") {
  iket::session_options options;
  options.memory_limit = 20 * kibibyte;
  options.records_per_warp = 1024;
  iket::session session(options);
  tick<<<1, 32>>>(4, session.trace("fits", 1, 32));
  tick<<<1, 64>>>(4, session.trace("does not", 1, 64));
  iket::trace_options strict;
  strict.when_over_limit = iket::over_limit::fail;
  try {
    (void)session.trace("strict", 1, 64, strict);
    FAIL_CHECK("no exception");
  } catch (const iket::error& failure) {
    const std::string text = failure.what();
    CHECK(text.find("strict") != std::string::npos);
    CHECK(text.find("20480") != std::string::npos);
  }
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 2);
  CHECK(ticks_in(trace, trace.launches[0]) == 4);
  CHECK(trace.launches[1].ctas_traced == 0);
  CHECK(trace.launches[1].over_limit);
  CHECK(trace.launches[1].warps.empty());
}

// A sanitizer reports the refused cudaMalloc as an error of the program.
TEST_CASE("a session that asks for more memory than the device has says how much", "[no sanitizer]") {
  iket::session_options options;
  options.memory_limit = std::size_t{1} << 50;
  try {
    const iket::session session(options);
    FAIL_CHECK("no exception");
  } catch (const iket::error& failure) {
    CHECK(std::string(failure.what()).find("1125899906842624 bytes") != std::string::npos);
  }
  CHECK(gpu_test::finish() == cudaSuccess);  // no error stays behind for the program to find
}

TEST_CASE("a dump that cannot be written is still there to be written elsewhere") {
  iket::session session;
  tick<<<1, 32>>>(3, session.trace("tick", 1, 32));
  CHECK_THROWS_AS(session.write("/no/such/folder/trace.bin"), iket::error);
  CHECK_THROWS_AS(session.write("/"), iket::error);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(ticks_in(trace, trace.launches[0]) == 3);
}

TEST_CASE("an error of the program stays for the program to read", "[no sanitizer]") {
  cudaError_t failed = cudaSuccess;
  {
    iket::session session;
    tick<<<1, 2048>>>(1, iket::tracer{});  // too many threads
    failed = cudaPeekAtLastError();
    session.drain();
  }
  REQUIRE(failed != cudaSuccess);
  CHECK(cudaGetLastError() == failed);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("clusters are noted") {
  if (!gpu_test::has_clusters()) return;
  iket::session session;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(8, 2, 1);
  config.blockDim = dim3(64);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 2;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  iket::trace_options options;
  options.cluster = dim3(2, 2, 1);
  REQUIRE(cudaLaunchKernelEx(&config, note_cluster,
                             session.trace("note_cluster", config.gridDim, config.blockDim, options)) == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const launch& launch = trace.launches.at(0);
  CHECK(launch.cluster == std::array<std::uint32_t, 3>{2, 2, 1});
  REQUIRE(launch.warps.size() == 32);
  for (const warp_timeline& warp : launch.warps) {
    CHECK(warp.cluster_rank == warp.cta[0] % 2 + 2 * (warp.cta[1] % 2));
    REQUIRE(warp.points.size() == 1);
    CHECK(trace.points.at(warp.points[0].name).name == "here");
  }
}
