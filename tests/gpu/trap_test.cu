// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// A kernel that fails, with the records in the host's memory: the last ones of every warp are there. One case, because
// behind it the program has no GPU any more. Built twice: IKET_TEST_TRAP says how the kernel fails.
#include <cstddef>
#include <cstdint>
#include <string>

#include "iket/read_back.hpp"
#include "iket/scratch_folder.hpp"
#include "support.hpp"

using namespace iket::analysis;

namespace {

constexpr unsigned threads = 256, warps_per_cta = threads / 32;
constexpr unsigned works = 40;
constexpr std::uint64_t records_per_warp = 3 * works + 2 + 1;

/// Every warp records and is counted; the first one waits for all of them and fails, while the others stand in a wait.
/// No fence anywhere.
__global__ void fail(unsigned* arrived, unsigned all, bool fails, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "worker");
  for (unsigned i = 0; i < works; ++i) {
    IKET_RANGE(rec, "work", i);
  }
  const unsigned warp = blockIdx.x * warps_per_cta + threadIdx.x / 32;
  IKET_MARK(rec, "last", warp);
  IKET_WAIT(rec, "wait for the end");
  if (threadIdx.x % 32 == 0) atomicAdd(arrived, 1U);
  const volatile unsigned* const count = arrived;
  if (!fails) return;
  while (*count != (warp == 0 ? all : ~0U)) {
  }
#if IKET_TEST_TRAP
  __trap();
#else
  *reinterpret_cast<volatile unsigned*>(arrived[0] == 0 ? 64 : 16) = 1;
  // The store is on its way only: without this the warp would record that its wait ends.
  while (*count != ~0U) {
  }
#endif
}

/// All records of every warp are in the file, and their names.
void check_failed(const std::string& path, std::size_t warps) {
  const read_back file(content_of(path));
  REQUIRE(file.is_whole);
  CHECK(file.snapshots.empty());
  const load_result result = load_timeline(path);
  REQUIRE(result.trace.has_value());
  CHECK_FALSE(result.damaged);
  REQUIRE(result.trace->launches.size() == 1);
  const launch& failed = result.trace->launches[0];
  CHECK(failed.kernel == "fails");
  CHECK((file.launches.begin()->second.info.flags & iket::file::launch_failed) != 0);
  REQUIRE(failed.warps.size() == warps);
  CHECK(file.launches.begin()->second.records == warps * records_per_warp);
  CHECK(gpu_test::ranges_of(*result.trace, failed, "work").size() == warps * works);
  for (const warp_timeline& warp : failed.warps) {
    CAPTURE(warp.cta_linear, warp.warp, warp.kept);
    REQUIRE(warp.points.size() == 1);
    CHECK(result.trace->points.at(warp.points[0].name).name == "last");
    CHECK(warp.points[0].payload_bits == warp.cta_linear * warps_per_cta + warp.warp);
    REQUIRE_FALSE(warp.ranges.empty());
    CHECK(result.trace->stages.at(warp.ranges.back().stage).name == "wait for the end");
    CHECK(warp.ranges.back().state == range_state::open);
    CHECK(result.trace->roles.at(warp.role) == "worker");
  }
}

}  // namespace

TEST_CASE("behind a kernel that failed, the host has the last records of every warp") {
  cudaDeviceProp properties{};
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const auto ctas = static_cast<unsigned>(properties.multiProcessorCount);
  const std::size_t warps = std::size_t{ctas} * warps_per_cta;
  iket::session_options options;
  options.storage = iket::storage::host;
  options.memory_limit = std::size_t{64} << 20;
  options.records_per_warp = 256;
  iket::session session(options);
  unsigned* arrived = nullptr;
  REQUIRE(cudaMalloc(&arrived, sizeof(*arrived)) == cudaSuccess);
  REQUIRE(cudaMemset(arrived, 0, sizeof(*arrived)) == cudaSuccess);

  fail<<<ctas, threads>>>(arrived, 0, false, session.trace("good", ctas, threads));
  {
    const timeline good = gpu_test::written_by(session);
    REQUIRE(good.launches.size() == 1);
    REQUIRE(good.launches[0].warps.size() == warps);
    CHECK(gpu_test::ranges_of(good, good.launches[0], "work").size() == warps * works);
    CHECK(good.launches[0].recorders_refused == 0);
  }

  REQUIRE(cudaMemset(arrived, 0, sizeof(*arrived)) == cudaSuccess);
  fail<<<ctas, threads>>>(arrived, static_cast<unsigned>(warps), true, session.trace("fails", ctas, threads));
  const cudaError_t status = gpu_test::finish();
  CAPTURE(cudaGetErrorName(status));
  CHECK(status != cudaSuccess);

  const gpu_test::dump_path snapshot, written;
  session.snapshot(snapshot.string());
  check_failed(snapshot.string(), warps);
  std::string text;
  try {
    session.write(written.string());
  } catch (const iket::error& failure) {
    text = failure.what();
  }
  CAPTURE(text);
  CHECK(text.find("A kernel of the program failed") != std::string::npos);
  CHECK(text.find("What was recorded up to then is in") != std::string::npos);
  check_failed(written.string(), warps);
}
