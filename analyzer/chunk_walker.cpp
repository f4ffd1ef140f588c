// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chunk_walker.hpp"

#include <cstdio>
#include <optional>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

#include "load.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t header_bytes = sizeof(file::chunk_header);

class chunk_walker {
 public:
  chunk_walker(std::span<const std::byte> file, damage_list& damages)
      : file_(file), damages_(damages), checksum_bytes_left_(4 * file.size()) {}

  std::vector<chunk> walk() {
    offset_ = sizeof(file::file_header);
    while (!ended_ && offset_ < file_.size()) step();
    if (!ended_ && !cut_) damages_.truncated(file_.size(), "expected the end chunk; what came behind is lost");
    return std::move(chunks_);
  }

 private:
  [[nodiscard]] std::size_t left() const { return file_.size() - offset_; }

  // The chunk header at `offset`, if one is there.
  [[nodiscard]] std::optional<file::chunk_header> header_at(std::size_t offset) const {
    if (file_.size() - offset < header_bytes) return std::nullopt;
    const auto header = load<file::chunk_header>(file_.data() + offset);
    if (header.marker != file::chunk_marker) return std::nullopt;
    if (header.header_crc != iket::detail::crc32c(&header, offsetof(file::chunk_header, header_crc)))
      return std::nullopt;
    return header;
  }

  // The offset of the first chunk header from `offset` on, or the end of the file.
  [[nodiscard]] std::size_t find_header(std::size_t offset) const {
    for (; offset < file_.size() && file_.size() - offset >= header_bytes; offset += 8)
      if (load<std::uint32_t>(file_.data() + offset) == file::chunk_marker && header_at(offset)) return offset;
    return file_.size();
  }

  void step() {
    const std::optional<file::chunk_header> header = header_at(offset_);
    if (!header) {
      skip_bytes();
    } else if (header->payload_bytes > left() - header_bytes) {
      ++headers_;
      cut_ = true;
      damages_.truncated(offset_, "expected " + std::to_string(header->payload_bytes) + " bytes in a chunk of type " +
                                      chunk_name(header->type) + ", found " + std::to_string(left() - header_bytes) +
                                      "; the chunk is lost");
      offset_ = find_header(offset_ + header_bytes);
    } else {
      ++headers_;
      take_chunk(*header);
    }
  }

  void skip_bytes() {
    if (left() < header_bytes) {
      cut_ = true;
      damages_.truncated(offset_, "expected a chunk header of " + std::to_string(header_bytes) + " bytes, found " +
                                      std::to_string(left()));
      offset_ = file_.size();
      return;
    }
    const std::size_t next = find_header(offset_ + 8);
    damages_.malformed(offset_, "expected a chunk header; " + std::to_string(next - offset_) + " bytes up to " +
                                    (next == file_.size() ? "the end of the file" : "the next one") + " are lost");
    offset_ = next;
  }

  void take_chunk(const file::chunk_header& header) {
    const std::span<const std::byte> payload =
        file_.subspan(offset_ + header_bytes, static_cast<std::size_t>(header.payload_bytes));
    // A chunk may claim to hold all those behind it: without a limit such a file takes time as its size squared.
    if (payload.size() > checksum_bytes_left_) {
      damages_.malformed(offset_, "expected chunks that do not overlap; the rest of the file is not read");
      offset_ = file_.size();
      return;
    }
    checksum_bytes_left_ -= payload.size();
    const std::size_t end = offset_ + header_bytes + payload.size();
    const std::size_t next = end + std::min((8 - end % 8) % 8, file_.size() - end);
    if (iket::detail::crc32c(payload.data(), payload.size()) == header.payload_crc) {
      if (header.type == file::chunk_end)
        check_end(payload, next);
      else
        chunks_.push_back({header.type, offset_, payload});
      offset_ = next;
      return;
    }
    damages_.malformed(offset_, "expected the checksum of a chunk of type " + chunk_name(header.type) + " with " +
                                    std::to_string(payload.size()) + " bytes; the chunk is lost");
    offset_ = next == file_.size() || header_at(next) ? next : find_header(offset_ + header_bytes);
  }

  void check_end(std::span<const std::byte> payload, std::size_t next) {
    ended_ = true;
    if (next != file_.size())
      damages_.malformed(next, "expected the end of the file behind the end chunk; " +
                                   std::to_string(file_.size() - next) + " bytes are not read");
    if (payload.size() < sizeof(file::end_info)) {
      damages_.malformed(offset_, "expected " + std::to_string(sizeof(file::end_info)) +
                                      " bytes in the end chunk, found " + std::to_string(payload.size()));
      return;
    }
    // With other damage before, chunks are missing anyway.
    const std::uint64_t announced = load<file::end_info>(payload.data()).chunk_count;
    if (announced != headers_ - 1 && damages_.empty())
      damages_.malformed(offset_, "expected " + std::to_string(announced) + " chunks before the end chunk, found " +
                                      std::to_string(headers_ - 1));
  }

  std::span<const std::byte> file_;
  damage_list& damages_;
  std::size_t checksum_bytes_left_;
  std::size_t offset_ = 0;
  std::uint64_t headers_ = 0;  // whole chunk headers so far
  bool ended_ = false;
  bool cut_ = false;  // and it was said where
  std::vector<chunk> chunks_;
};

}  // namespace

std::string chunk_name(std::uint32_t type) {
  std::string name;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto character = static_cast<char>((type >> shift) & 0xFFu);
    if (character < ' ' || character > '~') {
      char number[16];
      std::snprintf(number, sizeof(number), "0x%08x", type);
      return number;
    }
    name += character;
  }
  return "'" + name + "'";
}

std::vector<chunk> find_chunks(std::span<const std::byte> file, damage_list& damages) {
  return chunk_walker(file, damages).walk();
}

}  // namespace iket::analysis
