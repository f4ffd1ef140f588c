// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "chunk_walker.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

#include "load.hpp"
#include "parallel.hpp"

namespace iket::analysis {
namespace {

constexpr std::size_t header_bytes = sizeof(file::chunk_header);

// The chunk header at `offset`, if a whole one is there.
std::optional<file::chunk_header> header_at(std::span<const std::byte> file, std::size_t offset) {
  if (offset > file.size() || file.size() - offset < header_bytes) return std::nullopt;
  const auto header = load<file::chunk_header>(file.data() + offset);
  if (header.marker != file::chunk_marker) return std::nullopt;
  if (header.header_crc != iket::detail::crc32c(&header, offsetof(file::chunk_header, header_crc))) return std::nullopt;
  return header;
}

std::uint32_t checksum_of(std::span<const std::byte> payload) {
  return iket::detail::crc32c(payload.data(), payload.size());
}

/// The checksums of the chunks as far as each stands behind the other, which is all of a whole file: found on all cores
/// before the chunks are looked at one by one.
class known_checksums {
 public:
  explicit known_checksums(std::span<const std::byte> file) {
    std::vector<std::span<const std::byte>> payloads;
    for (std::size_t offset = sizeof(file::file_header);;) {
      const std::optional<file::chunk_header> header = header_at(file, offset);
      if (!header || header->payload_bytes > file.size() - offset - header_bytes) break;
      payloads.push_back(file.subspan(offset + header_bytes, static_cast<std::size_t>(header->payload_bytes)));
      const std::size_t end = offset + header_bytes + payloads.back().size();
      offset = end + (8 - end % 8) % 8;
    }
    for (const std::span<const std::byte> payload : payloads) known_.push_back({payload.data(), payload.size(), 0});
    // A few a job: most are of a megabyte, but a file may have very many small ones.
    constexpr std::size_t of_job = 4;
    for_each_job((known_.size() + of_job - 1) / of_job, [&](std::size_t job, unsigned) {
      for (std::size_t i = job * of_job; i < std::min(known_.size(), (job + 1) * of_job); ++i)
        known_[i].checksum = checksum_of(payloads[i]);
    });
  }

  /// Of payloads in the order of the file.
  [[nodiscard]] std::uint32_t of(std::span<const std::byte> payload) {
    while (next_ < known_.size() && known_[next_].begin < payload.data()) ++next_;
    const bool is_known =
        next_ < known_.size() && known_[next_].begin == payload.data() && known_[next_].size == payload.size();
    return is_known ? known_[next_].checksum : checksum_of(payload);
  }

 private:
  struct known {
    const std::byte* begin = nullptr;
    std::size_t size = 0;
    std::uint32_t checksum = 0;
  };
  std::vector<known> known_;  // in file order
  std::size_t next_ = 0;
};

class chunk_walker {
 public:
  chunk_walker(std::span<const std::byte> file, damage_list& damages)
      : file_(file), damages_(damages), checksums_(file), checksum_bytes_left_(4 * file.size()) {}

  std::vector<chunk> walk() {
    offset_ = sizeof(file::file_header);
    while (!ended_ && offset_ < file_.size()) step();
    if (!ended_ && !cut_) damages_.truncated(file_.size(), "expected the end chunk; what came behind is lost");
    return std::move(chunks_);
  }

 private:
  [[nodiscard]] std::size_t left() const { return file_.size() - offset_; }

  [[nodiscard]] std::optional<file::chunk_header> header_at(std::size_t offset) const {
    return analysis::header_at(file_, offset);
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
    if (checksums_.of(payload) == header.payload_crc) {
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
  known_checksums checksums_;
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
