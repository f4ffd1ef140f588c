// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "gzip_sink.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>

#include <zlib.h>

namespace iket::analysis {
namespace {

// The fastest: others take three times as long for a file that is a fourth smaller.
constexpr int level = 1;
constexpr int gzip_window = 15 + 16;  // the largest window, and gzip's own header
constexpr int memory_level = 9;

}  // namespace

struct gzip_sink::packer {
  explicit packer(byte_sink sink) : to(std::move(sink)) {
    if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  packer(const packer&) = delete;
  packer& operator=(const packer&) = delete;
  ~packer() { deflateEnd(&stream); }

  /// Packs all of `stream`'s input, and with Z_FINISH all that is held back.
  void pack(int flush) {
    do {
      stream.next_out = buffer.data();
      stream.avail_out = static_cast<uInt>(buffer.size());
      deflate(&stream, flush);
      if (const std::size_t size = buffer.size() - stream.avail_out; size != 0) to(buffer.data(), size);
    } while (stream.avail_out == 0);
  }

  byte_sink to;
  z_stream stream{};
  std::array<Bytef, std::size_t{1} << 16> buffer;
};

gzip_sink::gzip_sink(byte_sink to) : packer_(std::make_unique<packer>(std::move(to))) {}
gzip_sink::~gzip_sink() = default;

void gzip_sink::append(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const Bytef*>(data);
  while (size != 0) {
    const auto part = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    packer_->stream.next_in = const_cast<Bytef*>(bytes);
    packer_->stream.avail_in = part;
    packer_->pack(Z_NO_FLUSH);
    bytes += part;
    size -= part;
  }
}

void gzip_sink::finish() { packer_->pack(Z_FINISH); }

}  // namespace iket::analysis
