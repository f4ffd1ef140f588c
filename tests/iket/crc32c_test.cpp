// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <iket/detail/crc32c.hpp>
#include <string>
#include <vector>

#include "catch.hpp"

using iket::detail::crc32c;

namespace {

/// The definition: one bit at a time.
std::uint32_t crc32c_by_bits(const std::vector<unsigned char>& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const unsigned char byte : bytes)
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool one = ((crc ^ (byte >> bit)) & 1u) != 0;
      crc = (crc >> 1) ^ (one ? 0x82F63B78u : 0u);
    }
  return ~crc;
}

}  // namespace

TEST_CASE("CRC-32C of the examples in RFC 3720") {
  CHECK(crc32c(std::string(32, '\0').data(), 32) == 0x8A9136AAu);
  CHECK(crc32c(std::string(32, '\xFF').data(), 32) == 0x62A8AB43u);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  CHECK(crc32c(rising.data(), 32) == 0x46DD794Eu);
  CHECK(crc32c(std::string(rising.rbegin(), rising.rend()).data(), 32) == 0x113FDB5Cu);
  CHECK(crc32c("123456789", 9) == 0xE3069283u);
  CHECK(crc32c(nullptr, 0) == 0u);
}

TEST_CASE("CRC-32C of every length and alignment is that of its definition") {
  std::vector<unsigned char> bytes;
  for (unsigned i = 0; i < 80; ++i) bytes.push_back(static_cast<unsigned char>(i * i * 7 + i * 31));
  for (std::size_t first = 0; first < 9; ++first)
    for (std::size_t size = 0; size <= 70; ++size) {
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<unsigned char> part(begin, begin + static_cast<std::ptrdiff_t>(size));
      REQUIRE(crc32c(bytes.data() + first, size) == crc32c_by_bits(part));
    }
}

TEST_CASE("CRC-32C goes on over pieces") {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  const std::uint32_t whole = crc32c(text.data(), text.size());
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::uint32_t first = crc32c(text.data(), cut);
    REQUIRE(crc32c(text.data() + cut, text.size() - cut, first) == whole);
  }
}
