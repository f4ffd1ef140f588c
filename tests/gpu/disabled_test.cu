// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "support.hpp"

void launch_disabled_kernel(int* out, iket::tracer tracer);
std::string write_disabled_session(const std::string& path);

using namespace iket::analysis;

TEST_CASE("a kernel that was built with IKET_DISABLE runs with a live tracer and leaves no record") {
  int* out = nullptr;
  REQUIRE(cudaMalloc(&out, sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(out, 0, sizeof(int)) == cudaSuccess);
  iket::session session;
  launch_disabled_kernel(out, session.trace("disabled_kernel", 2, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  int result = 0;
  REQUIRE(cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(result == 42);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps_opened == 0);
  CHECK(trace.launches[0].recorders_refused == 0);
  CHECK_FALSE(trace.launches[0].compiled_out);
  CHECK(cudaFree(out) == cudaSuccess);
}

TEST_CASE("a session that was built with IKET_DISABLE hands out inert tracers and says so in its dump") {
  const gpu_test::dump_path path;
  CHECK(write_disabled_session(path.string()) == "inert");
  const load_result result = load_timeline(path.string());
  REQUIRE(result.trace.has_value());
  REQUIRE(result.trace->launches.size() == 1);
  CHECK(result.trace->launches[0].compiled_out);
  CHECK(result.trace->launches[0].kernel == "disabled_kernel");
}
