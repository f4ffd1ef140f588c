// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// A trace.bin taken apart into its chunks, whatever is in them, and put together again with right checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

namespace fuzz {

/// A chunk: its type and its payload.
struct piece {
  std::uint32_t type = 0;
  std::string payload;
};

/// The file header's bytes, all whole chunks behind it, and what is behind those.
struct pieces {
  std::string header;
  std::vector<piece> chunks;
  std::string rest;
};

/// Takes apart what looks like a trace; checksums are not looked at. Anything that is none is all `rest`.
inline pieces pieces_of(std::string_view bytes) {
  pieces result;
  if (bytes.size() < sizeof(iket::file::file_header)) return {{}, {}, std::string(bytes)};
  result.header = bytes.substr(0, sizeof(iket::file::file_header));
  bytes.remove_prefix(result.header.size());
  iket::file::chunk_header header;
  while (bytes.size() >= sizeof(header)) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (header.marker != iket::file::chunk_marker || header.payload_bytes > bytes.size() - sizeof(header)) break;
    const auto size = static_cast<std::size_t>(header.payload_bytes);
    result.chunks.push_back({header.type, std::string(bytes.substr(sizeof(header), size))});
    bytes.remove_prefix(std::min(bytes.size(), sizeof(header) + (size + 7) / 8 * 8));
  }
  result.rest = bytes;
  return result;
}

/// The bytes of a file of these chunks. `count_chunks`: an end chunk states how many stand before it.
inline std::string bytes_of(const pieces& from, bool count_chunks = true) {
  using iket::detail::crc32c;
  std::string bytes = from.header;
  if (bytes.size() == sizeof(iket::file::file_header)) {
    const std::uint32_t crc = crc32c(bytes.data(), offsetof(iket::file::file_header, header_crc));
    std::memcpy(bytes.data() + offsetof(iket::file::file_header, header_crc), &crc, sizeof(crc));
  }
  std::uint32_t count = 0;
  for (const piece& one : from.chunks) {
    std::string payload = one.payload;
    if (count_chunks && one.type == iket::file::chunk_end && payload.size() >= sizeof(iket::file::end_info))
      std::memcpy(payload.data() + offsetof(iket::file::end_info, chunk_count), &count, sizeof(count));
    ++count;
    iket::file::chunk_header header{};
    header.marker = iket::file::chunk_marker;
    header.type = one.type;
    header.payload_bytes = payload.size();
    header.payload_crc = crc32c(payload.data(), payload.size());
    header.header_crc = crc32c(&header, offsetof(iket::file::chunk_header, header_crc));
    bytes.append(reinterpret_cast<const char*>(&header), sizeof(header)).append(payload);
    bytes.append((8 - payload.size() % 8) % 8, '\0');
  }
  return bytes + from.rest;
}

}  // namespace fuzz
