// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Two translation units that are compiled separately (-rdc=true) and linked into one module: sites in functions that
// both have, and a recorder that goes by reference into a function of the other one.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rdc_names.cuh"
#include "support.hpp"

using namespace iket::analysis;

namespace {

__global__ void kernel_of_this_unit(int count, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "this unit");
  for (int i = 0; i < count; ++i) {
    in_shared_function(rec, i);
    in_shared_template(rec, i);
    in_other_unit(rec, i);
  }
  IKET_MARK(rec, "here alone");
}

const stage& stage_named(const timeline& trace, const std::string& name) {
  const auto found =
      std::find_if(trace.stages.begin(), trace.stages.end(), [&](const stage& s) { return s.name == name; });
  REQUIRE(found != trace.stages.end());
  return *found;
}

}  // namespace

TEST_CASE("separately compiled units share their sites' names, and a recorder goes from one into the other") {
  iket::session session(gpu_test::small_session());
  kernel_of_this_unit<<<2, 64>>>(10, session.trace("this unit", 2, 64));
  launch_in_other_unit(session.trace("other unit", 2, 64));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 2);
  const auto count = [&](std::size_t launch, const char* name) {
    return gpu_test::ranges_of(trace, trace.launches[launch], name).size();
  };
  CHECK(count(0, "in a shared function") == 4 * 20);
  CHECK(count(0, "in the other unit") == 4 * 10);
  CHECK(count(1, "in a shared function") == 4 * 2);
  CHECK(count(1, "in the other unit") == 4);
  CHECK(trace.stages.size() == 2);
  CHECK(stage_named(trace, "in the other unit").kind == stage_kind::wait);
  const stage& shared = stage_named(trace, "in a shared function");
  REQUIRE(shared.sources.size() == 1);
  CHECK(shared.sources[0].line == shared_line);
  CHECK(shared.sources[0].file.find("rdc_names.cuh") != std::string::npos);
  CHECK(trace.points.size() == 2);

  for (const warp_timeline& warp : trace.launches[0].warps) {
    CHECK(trace.roles.at(warp.role) == "this unit");
    // A turn: the shared function 3, the template 2, and in the other unit 3 and 3.
    CHECK(warp.written == 10 * 11 + 1);
    CHECK(warp.points.size() == 11);
    CHECK(warp.odd.empty());
    for (const range& range : warp.ranges) CHECK(range.payload().type == iket::payload_type::i32);
  }
  for (const warp_timeline& warp : trace.launches[1].warps) {
    CHECK(trace.roles.at(warp.role) == "other unit");
    CHECK(warp.written == 3 + 2 + 3 + 6);
    CHECK(warp.odd.empty());
  }
}
