// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// CRC-32C (Castagnoli), the checksum of trace.bin.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace iket {
inline namespace abi_1 {
namespace detail {

/// Tables for slicing by eight: `table[0]` is the plain byte table, `table[k]` advances it by k zero bytes.
/// 0x82F63B78 is the Castagnoli polynomial 0x1EDC6F41 with its bits reversed (RFC 3720, appendix B.4).
constexpr std::array<std::array<std::uint32_t, 256>, 8> make_crc32c_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF];
  return tables;
}

/// The CRC-32C of `size` bytes. Pass the result of one call as `crc` of the next to go on over several pieces.
/// Eight bytes a step: about 1.5 GB/s, so that the sum is never what a reader waits for.
inline std::uint32_t crc32c(const void* data, std::size_t size, std::uint32_t crc = 0) noexcept {
  static constexpr auto table = make_crc32c_tables();
  const auto* bytes = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    word ^= crc;
    crc = table[7][word & 0xFF] ^ table[6][(word >> 8) & 0xFF] ^ table[5][(word >> 16) & 0xFF] ^
          table[4][(word >> 24) & 0xFF] ^ table[3][(word >> 32) & 0xFF] ^ table[2][(word >> 40) & 0xFF] ^
          table[1][(word >> 48) & 0xFF] ^ table[0][word >> 56];
  }
  for (; size != 0; --size, ++bytes) crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 0xFF];
  return ~crc;
}

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
