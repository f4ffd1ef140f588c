// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <iket/detail/exact_stride.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>

#include "catch.hpp"

using iket::detail::exact_stride;
using iket::detail::make_stride;

namespace {

constexpr std::uint32_t largest = 0xFFFFFFFFu;

/// A multiple has its quotient as rank; everything else comes behind the last multiple that 32 bits hold.
bool is_right(const exact_stride& stride, std::uint32_t n, std::uint32_t x) {
  return x % n == 0 ? stride.rank(x) == x / n : stride.rank(x) > largest / n;
}

}  // namespace

TEST_CASE("a stride that nobody set takes every number") {
  for (const std::uint32_t x : {0u, 1u, 77u, largest}) CHECK(exact_stride{}.rank(x) == x);
  static_assert(make_stride(12).rank(36) == 3 && make_stride(12).rank(37) >= 3, "usable in constant expressions");
}

TEST_CASE("every small number is ranked by every small stride") {
  std::uint32_t wrong = 0;
  for (std::uint32_t n = 1; n <= 600; ++n) {
    const exact_stride stride = make_stride(n);
    for (std::uint32_t x = 0; x <= 3000; ++x) wrong += is_right(stride, n, x) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("numbers around the multiples of strides of every size are ranked") {
  std::mt19937 random(1);
  std::uint32_t wrong = 0;
  for (int trial = 0; trial < 300000; ++trial) {
    const std::uint32_t n = std::max(1u, static_cast<std::uint32_t>(random()) >> random() % 32);
    const exact_stride stride = make_stride(n);
    const std::uint32_t multiple = static_cast<std::uint32_t>(random()) / n * n;
    for (const std::uint32_t x : {0u, n, multiple, multiple - 1, multiple + 1, multiple + n / 2, largest / n * n,
                                  largest / n * n - 1, largest, largest - 1, static_cast<std::uint32_t>(random())})
      wrong += is_right(stride, n, x) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("strides around every power of two rank the largest numbers") {
  std::uint32_t wrong = 0;
  for (std::uint32_t shift = 0; shift < 32; ++shift)
    for (const std::uint32_t n : {1u << shift, (1u << shift) + 1, (1u << shift) - 1, largest - shift}) {
      if (n == 0) continue;
      const exact_stride stride = make_stride(n);
      for (std::uint32_t back = 0; back < 70; ++back) wrong += is_right(stride, n, largest - back) ? 0 : 1;
    }
  CHECK(wrong == 0);
}

TEST_CASE("no two numbers have the same rank") {
  for (const std::uint32_t n : {1u, 2u, 3u, 12u, 1u << 31, largest}) {
    const exact_stride stride = make_stride(n);
    std::set<std::uint32_t> ranks;
    for (std::uint32_t x = 0; x < 5000; ++x) {
      ranks.insert(stride.rank(x));
      ranks.insert(stride.rank(largest - x));
    }
    CHECK(ranks.size() == 10000);
  }
}
