// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <iket/detail/payload.hpp>

#include <cstring>
#include <limits>
#include <type_traits>

#include "catch.hpp"

using namespace iket;
using detail::encode;

namespace {

template <class T>
T decoded(detail::payload64 payload) {
  const detail::u64 bits = detail::u64{payload.high} << 32 | payload.low;
  T value;
  static_assert(sizeof(T) == 8);
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <class T>
T decoded(detail::payload32 payload) {
  T value;
  static_assert(sizeof(T) == 4);
  std::memcpy(&value, &payload.word, sizeof(value));
  return value;
}

template <class T, class = void>
struct can_encode : std::false_type {};
template <class T>
struct can_encode<T, std::void_t<decltype(encode(std::declval<T>()))>> : std::true_type {};

}  // namespace

TEST_CASE("every payload type keeps its type and its value") {
  CHECK(encode(-7).type == payload_type::i32);
  CHECK(decoded<int>(encode(std::numeric_limits<int>::min())) == std::numeric_limits<int>::min());
  CHECK(encode(7u).type == payload_type::u32);
  CHECK(decoded<unsigned>(encode(0xFFFFFFFFu)) == 0xFFFFFFFFu);
  CHECK(encode(-7L).type == payload_type::i64);
  CHECK(encode(-7LL).type == payload_type::i64);
  CHECK(decoded<long long>(encode(-5'000'000'000LL)) == -5'000'000'000LL);
  CHECK(encode(7UL).type == payload_type::u64);
  CHECK(encode(7ULL).type == payload_type::u64);
  CHECK(decoded<unsigned long long>(encode(0x123456789ABCDEF0ULL)) == 0x123456789ABCDEF0ULL);
  CHECK(encode(1.5f).type == payload_type::f32);
  CHECK(decoded<float>(encode(-1.5e-40f)) == -1.5e-40f);
  CHECK(encode(1.5).type == payload_type::f64);
  CHECK(decoded<double>(encode(-1.5e-310)) == -1.5e-310);
  CHECK(encode(true).type == payload_type::boolean);
  CHECK(encode(true).word == 1);
  CHECK(encode(false).word == 0);
}

TEST_CASE("narrow integers and plain enums go as int") {
  enum color { red = 3 };
  CHECK(encode(static_cast<short>(-2)).type == payload_type::i32);
  CHECK(decoded<int>(encode(static_cast<signed char>(-2))) == -2);
  CHECK(decoded<unsigned>(encode(red)) == 3);
}

TEST_CASE("what has no place in a record does not compile") {
  enum class strict { a };
  CHECK(can_encode<int>::value);
  CHECK_FALSE(can_encode<int*>::value);
  CHECK_FALSE(can_encode<const char*>::value);
  CHECK_FALSE(can_encode<long double>::value);
  CHECK_FALSE(can_encode<strict>::value);
}

TEST_CASE("a payload's tag says its type, its part and how many records it takes") {
  for (const payload_type type : {payload_type::i32, payload_type::u32, payload_type::i64, payload_type::u64,
                                  payload_type::f32, payload_type::f64, payload_type::boolean})
    for (const detail::u32 part : {0u, 1u}) {
      const detail::u32 tag = payload_tag(type, part);
      CHECK(kind_of(tag) == record_kind::payload);
      CHECK(payload_type_of(tag) == type);
      CHECK(payload_part_of(tag) == part);
    }
  CHECK(payload_records(payload_type::none) == 0);
  CHECK(payload_records(payload_type::f32) == 1);
  CHECK(payload_records(payload_type::boolean) == 1);
  CHECK(payload_records(payload_type::f64) == 2);
  CHECK(payload_records(payload_type::u64) == 2);
}
