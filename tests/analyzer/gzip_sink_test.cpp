// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "gzip_sink.hpp"

#include <catch.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <zlib.h>

#include "synthetic.hpp"

namespace {

std::string packed(const std::string& text, std::size_t piece) {
  std::string result;
  iket::analysis::gzip_sink sink(
      [&](const void* data, std::size_t size) { result.append(static_cast<const char*>(data), size); });
  for (std::size_t i = 0; i < text.size(); i += piece) sink.append(text.data() + i, std::min(piece, text.size() - i));
  sink.finish();
  return result;
}

/// What one gzip member holds; "broken" where it is none, or is not all.
std::string unpacked(const std::string& bytes, std::size_t size) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::vector<Bytef> text(size + 1);
  std::string copy = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = text.data();
  stream.avail_out = static_cast<uInt>(text.size());
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  const std::size_t found = stream.total_out;
  inflateEnd(&stream);
  return whole ? std::string(reinterpret_cast<const char*>(text.data()), found) : "broken";
}

}  // namespace

TEST_CASE("What is packed is what was appended, in pieces of any size") {
  synthetic::random_numbers random(1);
  for (const std::size_t size : {0u, 1u, 1000u, 65536u, 300'000u}) {
    std::string noise, lines;
    while (noise.size() < size) noise += static_cast<char>(random.next());
    while (lines.size() < size) lines += R"({"ph":"X","ts":12.345},)";
    for (const std::string& text : {noise, lines})
      for (const std::size_t piece : {std::size_t{1}, std::size_t{777}, std::size_t{1} << 20}) {
        const std::string bytes = packed(text, piece);
        REQUIRE(unpacked(bytes, text.size()) == text);
        if (text == lines && size > 1000) CHECK(bytes.size() < text.size() / 20);
      }
  }
}

TEST_CASE("The same bytes make the same file") { CHECK(packed("abc", 1) == packed("abc", 1)); }

TEST_CASE("What the other sink throws comes out") {
  iket::analysis::gzip_sink sink([](const void*, std::size_t) { throw std::runtime_error("full"); });
  CHECK_THROWS_WITH(
      [&] {
        sink.append("abc", 3);
        sink.finish();
      }(),
      "full");
}
