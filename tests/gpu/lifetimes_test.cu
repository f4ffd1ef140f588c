// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// What may end before what, and a kernel that fails: docs/host.md. tests/iket/session_test.cpp tries the host's side of
// it without a GPU. In this order: behind the last test the process can use its GPU no more.
#include <filesystem>
#include <optional>
#include <string>

#include "graph.hpp"
#include "support.hpp"

using namespace iket::analysis;
using namespace gpu_test;

namespace {

__global__ void mark(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "mark");
}

__global__ void fail(int* nowhere) { *nowhere = 1; }

std::string error_of_write(iket::session& session, const std::string& path) {
  try {
    session.write(path);
  } catch (const iket::error& failure) {
    return failure.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

cudaLaunchConfig_t config_in(cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(64);
  config.stream = stream;
  return config;
}

}  // namespace

TEST_CASE("lifetimes 1: a stream may end before the drain of what was launched into it with events") {
  iket::session session(small_session());
  {
    const own_stream stream;
    iket::launch(session, "mark", config_in(stream.get()), mark);
  }
  const timeline trace = written_by(session);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.size() == 8);
  CHECK(trace.launches[0].event_time_ns != 0);
}

TEST_CASE("lifetimes 2: a session may end before its kernels") {
  const own_stream stream;
  for (int i = 0; i < 10; ++i) {
    iket::session session(small_session());
    for (int k = 0; k < 100; ++k) iket::launch(session, "mark", config_in(stream.get()), mark);
  }
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("lifetimes 3: a session that outlives its context frees nothing of what came after", "[no sanitizer]") {
  std::optional<iket::session> old(std::in_place, small_session());
  mark<<<4, 64>>>(old->trace("drained", 4, 64));
  old->drain();
  mark<<<4, 64>>>(old->trace("lost", 4, 64));
  REQUIRE(finish() == cudaSuccess);
  REQUIRE(cudaDeviceReset() == cudaSuccess);

  iket::session fresh(small_session());
  const dump_path path;
  const std::string text = error_of_write(*old, path.string());
  CAPTURE(text);
  CHECK(has(text, "the CUDA context in which the session was made has ended"));
  CHECK(std::filesystem::exists(path.string()));
  old.reset();
  mark<<<4, 64>>>(fresh.trace("fresh", 4, 64));
  const timeline trace = written_by(fresh);
  REQUIRE(trace.launches.size() == 1);
  CHECK(trace.launches[0].warps.size() == 8);
  CHECK(finish() == cudaSuccess);
}

TEST_CASE("lifetimes 4: a kernel that fails is the program's, and what was drained is written", "[no sanitizer]") {
  const dump_path path;
  {
    iket::session session(small_session());
    mark<<<4, 64>>>(session.trace("drained", 4, 64));
    session.drain();
    mark<<<4, 64>>>(session.trace("lost", 4, 64));
    fail<<<1, 1>>>(nullptr);
    const std::string text = error_of_write(session, path.string());
    CAPTURE(text);
    CHECK(has(text, "cudaErrorIllegalAddress"));
    CHECK(has(text, "A kernel of the program failed"));
  }
  const load_result result = load_timeline(path.string());
  REQUIRE(result.trace.has_value());
  CHECK_FALSE(result.damaged);
  REQUIRE(result.trace->launches.size() == 1);
  CHECK(result.trace->launches[0].kernel == "drained");
}
