// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <iket/detail/divisor.hpp>

#include <algorithm>
#include <cstdint>
#include <random>

#include "catch.hpp"

using iket::detail::divisor;
using iket::detail::make_divisor;

namespace {

constexpr std::uint32_t largest = 0x7FFFFFFFu;

bool divides_like_the_language(const divisor& by, std::uint32_t x) { return by.quotient(x) == x / by.value; }

}  // namespace

TEST_CASE("a divisor that nobody set divides by one") {
  for (const std::uint32_t x : {0u, 1u, 77u, largest}) CHECK(divisor{}.quotient(x) == x);
}

TEST_CASE("small numbers are divided by small divisors as the language does") {
  std::uint32_t wrong = 0;
  for (std::uint32_t value = 1; value <= 300; ++value) {
    const divisor by = make_divisor(value);
    for (std::uint32_t x = 0; x <= 3000; ++x) wrong += divides_like_the_language(by, x) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("division is exact around every multiple of every kind of divisor, up to the largest number") {
  std::mt19937 random(1);
  std::uint32_t wrong = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const std::uint32_t value = std::max(1u, static_cast<std::uint32_t>(random()) >> (1 + random() % 31));
    const divisor by = make_divisor(value);
    const std::uint32_t multiple = (static_cast<std::uint32_t>(random()) >> 1) / value * value;
    for (const std::uint32_t x :
         {multiple, multiple == 0 ? 0 : multiple - 1, std::min(largest, multiple + value - 1), largest, largest - 1})
      wrong += divides_like_the_language(by, x) ? 0 : 1;
  }
  for (std::uint32_t shift = 0; shift < 31; ++shift)
    for (const std::uint32_t value : {1u << shift, (1u << shift) + 1, (1u << shift) - 1})
      if (value != 0) wrong += divides_like_the_language(make_divisor(value), largest) ? 0 : 1;
  CHECK(wrong == 0);
}
