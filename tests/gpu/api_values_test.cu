// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// Values, types and names arrive bit by bit, wherever their site stands.
#include <cstdint>
#include <string>
#include <vector>

#include "support.hpp"

using namespace iket::analysis;

#define TEXT10 "0123456789"
#define TEXT100 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10 TEXT10
#define TEXT500 TEXT100 TEXT100 TEXT100 TEXT100 TEXT100
#define TEXT2000 TEXT500 TEXT500 TEXT500 TEXT500
// "Groesse" with umlaut and sharp s, two CJK characters, and a rocket, which takes four bytes.
#define TEXT_UTF8      \
  "Gr\xC3\xB6\xC3\x9F" \
  "e \xE6\xB8\xAC\xE5\xAE\x9A \xF0\x9F\x9A\x80"
#define TEXT_QUOTES "\"both\" 'kinds', a \\, 100 %s, {}, a\ttab"

namespace {

constexpr std::size_t pattern_count = 10;

struct bit_patterns {
  unsigned long long bits[pattern_count];
};

constexpr bit_patterns patterns = {{
    0, 1,
    0xFFFFFFFFFFFFFFFFull,  // -1
    0x8000000000000000ull,  // 2^63, and the least of the signed
    0x7FFFFFFFFFFFFFFFull,
    0xFFFFFFFF80000000ull,  // the least int
    0x7FF4000000000ABCull,  // a signalling NaN of type double
    0xFFF8000000000000ull,
    0x000000007FA12345ull,  // a signalling NaN of type float
    0x0000000100000000ull,  // true, although its low half is 0
}};

#define MARK_AND_COUNT(name, value) \
  IKET_MARK(rec, name, value);      \
  IKET_COUNTER(rec, name, value)

__global__ void all_types(bit_patterns from, iket::tracer tracer) {
  iket::recorder rec(tracer);
  for (std::size_t i = 0; i < pattern_count; ++i) {
    const unsigned long long bits = from.bits[i];
    MARK_AND_COUNT("int", static_cast<int>(bits));
    MARK_AND_COUNT("unsigned", static_cast<unsigned>(bits));
    MARK_AND_COUNT("long", static_cast<long>(bits));
    MARK_AND_COUNT("unsigned long", static_cast<unsigned long>(bits));
    MARK_AND_COUNT("long long", static_cast<long long>(bits));
    MARK_AND_COUNT("unsigned long long", bits);
    MARK_AND_COUNT("float", __uint_as_float(static_cast<unsigned>(bits)));
    MARK_AND_COUNT("double", __longlong_as_double(static_cast<long long>(bits)));
    MARK_AND_COUNT("bool", bits != 0);
    MARK_AND_COUNT("short", static_cast<short>(bits));
    MARK_AND_COUNT("unsigned short", static_cast<unsigned short>(bits));
  }
}

struct value {
  std::string name;
  iket::payload_type type;
  std::uint64_t bits;
};

std::vector<value> values_of(std::uint64_t bits) {
  using iket::payload_type;
  const std::uint64_t low = bits & 0xFFFFFFFF;
  return {{"int", payload_type::i32, low},
          {"unsigned", payload_type::u32, low},
          {"long", payload_type::i64, bits},
          {"unsigned long", payload_type::u64, bits},
          {"long long", payload_type::i64, bits},
          {"unsigned long long", payload_type::u64, bits},
          {"float", payload_type::f32, low},
          {"double", payload_type::f64, bits},
          {"bool", payload_type::boolean, bits != 0 ? 1u : 0u},
          {"short", payload_type::i32, static_cast<std::uint32_t>(static_cast<std::int16_t>(bits))},
          {"unsigned short", payload_type::i32, bits & 0xFFFF}};
}

__global__ void all_names(iket::tracer tracer) {
  iket::recorder rec(tracer);
  IKET_MARK(rec, "x");
  IKET_MARK(rec, TEXT2000);
  IKET_MARK(rec, TEXT_UTF8, 1);
  IKET_MARK(rec, TEXT_QUOTES);
  IKET_ROLE(rec, TEXT_UTF8);
}

constexpr unsigned template_line = __LINE__ + 3;
template <class Value, int N>
__device__ void in_template(iket::recorder& rec, Value value) {
  IKET_RANGE(rec, "in a template", value);
  if constexpr (N > 1) {
    IKET_MARK(rec, "larger");
  } else {
    IKET_MARK(rec, "smaller");
  }
}

constexpr unsigned inline_line = __LINE__ + 1;
inline __device__ void in_inline_function(iket::recorder& rec) { IKET_MARK(rec, "in an inline function"); }

struct tile_loader {
  static __device__ void load(iket::recorder& rec, int tile) { IKET_WAIT(rec, "in a member", tile); }
};

constexpr unsigned lambda_line = __LINE__ + 3;
__global__ void all_places(iket::tracer tracer) {
  iket::recorder rec(tracer);
  const auto generic = [&](auto value) { IKET_MARK(rec, "in a generic lambda", value); };
  generic(1);
  generic(true);
  in_template<int, 1>(rec, -1);
  in_template<float, 2>(rec, 0.5f);
  in_template<double, 3>(rec, 0.5);
  in_inline_function(rec);
  tile_loader::load(rec, 3);
  tile_loader::load(rec, 4);
}

template <class Named>
const Named& find_named(const std::vector<Named>& table, const std::string& name) {
  INFO(name);
  for (const Named& entry : table)
    if (entry.name == name) return entry;
  FAIL("no such name");
  return table.front();
}

std::size_t count_points(const timeline& trace, const std::string& name) {
  std::size_t count = 0;
  for (const point& point : trace.launches.at(0).warps.at(0).points)
    count += trace.points.at(point.name).name == name ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("payloads and counters of every type survive bit by bit") {
  iket::session session(gpu_test::small_session());
  all_types<<<1, 32>>>(patterns, session.trace("all_types", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& warp = trace.launches.at(0).warps.at(0);
  CHECK(warp.written == pattern_count * 2 * 27);
  CHECK(warp.lost == 0);
  const std::size_t types = values_of(0).size();
  REQUIRE(warp.points.size() == pattern_count * types * 2);
  for (std::size_t i = 0; i < warp.points.size(); ++i) {
    const std::uint64_t bits = patterns.bits[i / (types * 2)];
    const value expected = values_of(bits)[i / 2 % types];
    INFO(expected.name << " of bits " << bits);
    CHECK(trace.points.at(warp.points[i].name).name == expected.name);
    CHECK(warp.points[i].counter == (i % 2 == 1));
    CHECK(warp.points[i].payload().type == expected.type);
    CHECK(warp.points[i].payload().bits == expected.bits);
  }
}

TEST_CASE("names of any length and content arrive whole") {
  iket::session session(gpu_test::small_session());
  all_names<<<1, 32>>>(session.trace("all_names", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& warp = trace.launches.at(0).warps.at(0);
  std::vector<std::string> names;
  for (const point& point : warp.points) names.push_back(trace.points.at(point.name).name);
  CHECK(names == std::vector<std::string>{"x", TEXT2000, TEXT_UTF8, TEXT_QUOTES});
  CHECK(std::string(TEXT2000).size() == 2000);
  CHECK(trace.roles.at(warp.role) == TEXT_UTF8);
}

TEST_CASE("a site in a template, a lambda, a member or an inline function is one place in the source") {
  iket::session session(gpu_test::small_session());
  all_places<<<1, 32>>>(session.trace("all_places", 1, 32));
  REQUIRE(gpu_test::finish() == cudaSuccess);
  const timeline trace = gpu_test::written_by(session);
  const warp_timeline& warp = trace.launches.at(0).warps.at(0);
  CHECK(warp.written == 2 + 2 + (2 + 1 + 1) * 2 + (3 + 1 + 1) + 1 + 2 * 3);
  CHECK(warp.odd.empty());

  const stage& in_template = find_named(trace.stages, "in a template");
  CHECK(in_template.sources == std::vector<source_location>{{__FILE__, template_line}});
  const auto ranges = gpu_test::ranges_of(trace, trace.launches[0], "in a template");
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0]->payload().type == iket::payload_type::i32);
  CHECK(ranges[1]->payload().type == iket::payload_type::f32);
  CHECK(ranges[2]->payload().type == iket::payload_type::f64);
  CHECK(count_points(trace, "smaller") == 1);
  CHECK(count_points(trace, "larger") == 2);
  CHECK(find_named(trace.points, "larger").sources.size() == 1);

  CHECK(count_points(trace, "in a generic lambda") == 2);
  CHECK(find_named(trace.points, "in a generic lambda").sources ==
        std::vector<source_location>{{__FILE__, lambda_line}});
  CHECK(find_named(trace.points, "in an inline function").sources ==
        std::vector<source_location>{{__FILE__, inline_line}});
  CHECK(find_named(trace.stages, "in a member").kind == stage_kind::wait);
  CHECK(gpu_test::ranges_of(trace, trace.launches[0], "in a member").size() == 2);
}
