// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Names, files, lines, kinds and payloads come back as they stand in the source.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "sites_names.hpp"
#include "support.hpp"

void launch_other_unit(int* out, iket::tracer tracer);
void launch_components_1(iket::tracer tracer);
void launch_components_2(iket::tracer tracer);

using namespace iket::analysis;

// 16, 256 and 4096 characters.
#define TEXT16 "sixteen letters "
#define TEXT256 \
  TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16 TEXT16
#define TEXT4096                                                                                                  \
  TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 TEXT256 \
      TEXT256 TEXT256

namespace {

constexpr unsigned lambda_line = __LINE__ + 5;
__global__ void many_places(int* out, iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_ROLE(rec, "first role");
  IKET_ROLE(rec, "last role, with \"quotes\", a \\ and \xC3\xA9");
  const auto in_lambda = [&](int x) { IKET_WAIT(rec, "in a lambda", x); };
  in_lambda(5);
  templated<1>(rec);
  templated<2>(rec);
  *out = on_both_sides(rec, 41);
  { IKET_RANGE(rec, TEXT4096); }
  { IKET_RANGE(rec, ""); }
  IKET_PUSH_WAIT(rec, "pushed wait");
  IKET_POP(rec);
}

__global__ void all_payloads(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "none");
  IKET_MARK(rec, "i32", -7);
  IKET_MARK(rec, "u32", 0xFFFFFFFFu);
  IKET_MARK(rec, "i64", -5000000000LL);
  IKET_MARK(rec, "long", -5L);
  IKET_MARK(rec, "u64", 0xFEDCBA9876543210ULL);
  IKET_MARK(rec, "f32", 1.5f);
  IKET_MARK(rec, "f64", -1e300);
  IKET_MARK(rec, "true", threadIdx.x < 99);
  IKET_MARK(rec, "short", static_cast<short>(-3));
}

const stage& stage_named(const timeline& trace, const std::string& name) {
  const auto found =
      std::find_if(trace.stages.begin(), trace.stages.end(), [&](const stage& s) { return s.name == name; });
  REQUIRE(found != trace.stages.end());
  return *found;
}

int* device_int() {
  int* out = nullptr;
  REQUIRE(cudaMalloc(&out, sizeof(int)) == cudaSuccess);
  return out;
}

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

}  // namespace

TEST_CASE("sites keep their names, kinds, files and lines in every kind of function") {
  int* const out = device_int();
  iket::session session;
  many_places<<<1, 32>>>(out, session.trace("many_places", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& warp = trace.launches.at(0).warps.at(0);
  CHECK(trace.roles.at(warp.role) == "last role, with \"quotes\", a \\ and \xC3\xA9");

  const stage& in_lambda = stage_named(trace, "in a lambda");
  CHECK(in_lambda.kind == stage_kind::wait);
  REQUIRE(in_lambda.sources.size() == 1);
  CHECK(in_lambda.sources[0].file == __FILE__);
  CHECK(in_lambda.sources[0].line == lambda_line);
  CHECK(stage_named(trace, TEXT4096).kind == stage_kind::work);
  CHECK(stage_named(trace, "").kind == stage_kind::work);
  CHECK(stage_named(trace, "pushed wait").kind == stage_kind::wait);

  // Two instantiations are two objects on the device and one stage with one source.
  CHECK(stage_named(trace, "templated").sources.size() == 1);
  CHECK(gpu_test::ranges_of(trace, trace.launches[0], "templated").size() == 2);
  std::set<std::string> marks;
  for (const point& mark : warp.points) marks.insert(trace.points.at(mark.name).name);
  CHECK(marks == std::set<std::string>{"even instance", "odd instance"});

  const auto both = gpu_test::ranges_of(trace, trace.launches[0], "on both sides");
  REQUIRE(both.size() == 1);
  CHECK(both[0]->payload().bits == 41);
  CHECK(cudaFree(out) == cudaSuccess);
}

TEST_CASE("kernels of several translation units share stages in one dump") {
  int* const out = device_int();
  iket::session session;
  many_places<<<1, 32>>>(out, session.trace("many_places", 1, 32));
  launch_other_unit(out, session.trace("other_unit", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  REQUIRE(trace.launches.size() == 2);
  CHECK(std::count_if(trace.stages.begin(), trace.stages.end(), [](const stage& s) { return s.name == "templated"; }) ==
        1);
  CHECK(gpu_test::ranges_of(trace, trace.launches[1], "templated").size() == 2);
  CHECK(trace.roles.at(trace.launches[1].warps.at(0).role) == "other unit");
  CHECK(cudaFree(out) == cudaSuccess);
}

TEST_CASE("payloads keep type and value") {
  iket::session session;
  all_payloads<<<1, 32>>>(session.trace("all_payloads", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  std::map<std::string, payload> found;
  for (const point& mark : trace.launches.at(0).warps.at(0).points)
    found[trace.points.at(mark.name).name] = mark.payload();
  REQUIRE(found.size() == 10);
  const auto check = [&](const char* name, iket::payload_type type, std::uint64_t bits) {
    INFO(name);
    CHECK(found.at(name).type == type);
    CHECK(found.at(name).bits == bits);
  };
  check("none", iket::payload_type::none, 0);
  check("i32", iket::payload_type::i32, bits_of(-7));
  check("u32", iket::payload_type::u32, 0xFFFFFFFFu);
  check("i64", iket::payload_type::i64, bits_of(-5000000000LL));
  check("long", iket::payload_type::i64, bits_of(-5LL));
  check("u64", iket::payload_type::u64, 0xFEDCBA9876543210ULL);
  check("f32", iket::payload_type::f32, bits_of(1.5f));
  check("f64", iket::payload_type::f64, bits_of(-1e300));
  check("true", iket::payload_type::boolean, 1);
  check("short", iket::payload_type::i32, bits_of(-3));
}

TEST_CASE("sites carry as many components of their file's path as IKET_FILE_COMPONENTS says") {
  iket::session session;
  launch_components_1(session.trace("one", 1, 32));
  launch_components_2(session.trace("two", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const auto file_in = [&](std::size_t launch) {
    return trace.sources.at(trace.launches.at(launch).warps.at(0).points.at(0).source).file;
  };
  CHECK(file_in(0) == "file_components_1.cu");
  CHECK(file_in(1) == "gpu/file_components_2.cu");
}

TEST_CASE("on the host side the macros are nothing") {
  iket::recorder rec{iket::tracer{}};
  CHECK(on_both_sides(rec, 4) == 5);
}
