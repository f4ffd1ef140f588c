// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
// The rules of docs/trace-format.md, "Versions", over everything that a file can hold: what a reader of this version
// says of files that older and newer ones write.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <iket/detail/crc32c.hpp>
#include <iket/trace_file.hpp>

#include "build_timeline.hpp"
#include "catch.hpp"
#include "chrome_trace.hpp"
#include "report.hpp"
#include "report_json.hpp"
#include "synthetic.hpp"
#include "trace_reader.hpp"

namespace file = iket::file;
using iket::analysis::read_error;
using iket::analysis::read_error_kind;
using iket::analysis::trace_view;
using synthetic::bytes_of;

namespace {

struct chunk {
  std::uint32_t type = 0;
  std::string payload;
};

/// A file in parts that can be changed.
struct parts {
  file::file_header header{};
  std::vector<chunk> chunks;

  explicit parts(const std::string& bytes) {
    std::memcpy(&header, bytes.data(), sizeof(header));
    for (std::size_t at = sizeof(header); at < bytes.size();) {
      file::chunk_header of{};
      std::memcpy(&of, bytes.data() + at, sizeof(of));
      at += sizeof(of);
      chunks.push_back({of.type, bytes.substr(at, of.payload_bytes)});
      at += (of.payload_bytes + 7) / 8 * 8;
    }
  }

  /// With right checksums and a right count.
  [[nodiscard]] std::string bytes() {
    if (!chunks.empty() && chunks.back().type == file::chunk_end) {
      const auto count = static_cast<std::uint32_t>(chunks.size() - 1);
      std::memcpy(chunks.back().payload.data() + 4, &count, sizeof(count));
    }
    header.header_crc = iket::detail::crc32c(&header, offsetof(file::file_header, header_crc));
    std::string all(reinterpret_cast<const char*>(&header), sizeof(header));
    for (const chunk& one : chunks) {
      file::chunk_header of{file::chunk_marker, one.type, one.payload.size(), 0, 0};
      of.payload_crc = iket::detail::crc32c(one.payload.data(), one.payload.size());
      of.header_crc = iket::detail::crc32c(&of, offsetof(file::chunk_header, header_crc));
      all.append(reinterpret_cast<const char*>(&of), sizeof(of)).append(one.payload);
      all.append((8 - one.payload.size() % 8) % 8, '\0');
    }
    return all;
  }
};

std::uint32_t number_at(const std::string& bytes, std::size_t offset) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof(number));
  return number;
}

void put(std::string& bytes, std::size_t offset, std::uint32_t number) {
  std::memcpy(bytes.data() + offset, &number, sizeof(number));
}

/// Appends `more` bytes of a newer version to the fixed part at `offset`.
void lengthen(std::string& bytes, std::size_t offset, std::uint32_t more) {
  const std::uint32_t fixed = number_at(bytes, offset);
  put(bytes, offset, fixed + more);
  bytes.insert(offset + fixed, more, '\x5A');
}

/// The table's own part is 16 bytes longer, each site's 8; its text is padded anew.
std::string longer_sites(const std::string& from) {
  const std::size_t fixed = number_at(from, 0);
  std::string to = from.substr(0, fixed);
  for (std::size_t at = fixed; at < from.size();) {
    const std::size_t bytes = number_at(from, at) + number_at(from, at + 20) + number_at(from, at + 24);
    std::string site = from.substr(at, bytes);
    lengthen(site, 0, 8);
    to += site;
    to.append((8 - site.size() % 8) % 8, '\0');
    at += (bytes + 7) / 8 * 8;
  }
  lengthen(to, 0, 16);
  return to;
}

/// Each warp header is 32 bytes longer.
std::string longer_warps(std::string rings) {
  const std::size_t fixed = number_at(rings, 0);
  for (std::uint32_t warp = number_at(rings, 8); warp-- > 0;)
    rings.insert(fixed + (warp + std::size_t{1}) * sizeof(iket::warp_header), 32, '\x5A');
  lengthen(rings, 0, 8);
  return rings;
}

/// The same content as a minor version writes it that appended members everywhere and has chunks of its own.
std::string as_newer_minor(const std::string& bytes) {
  parts all(bytes);
  all.header.version_minor = IKET_FORMAT_VERSION_MINOR + 7;
  all.header.library_version = 99999;
  all.header.warp_header_bytes += 32;
  std::vector<chunk> chunks;
  for (chunk one : all.chunks) {
    chunks.push_back({file::four_characters('N', 'E', 'W', '1'), std::string(chunks.size() % 11, 'x')});
    if (one.type == file::chunk_sites)
      one.payload = longer_sites(one.payload);
    else if (one.type == file::chunk_rings)
      one.payload = longer_warps(one.payload);
    else
      lengthen(one.payload, 0, 24);
    if (one.type == file::chunk_launch) put(one.payload, 16, number_at(one.payload, 16) | 1u << 20);  // an unknown flag
    chunks.push_back(std::move(one));
  }
  all.chunks = chunks;
  return all.bytes();
}

/// The same content as format 1.2 writes it, or 1.1, or 1.0, without what they do not know.
std::string as_older_minor(const std::string& bytes, std::uint16_t minor) {
  parts all(bytes);
  all.header.version_minor = minor;
  std::vector<chunk> chunks;
  for (chunk one : all.chunks) {
    if (one.type == file::chunk_snapshot || (minor < 2 && one.type == file::chunk_host_clock)) continue;
    if (minor == 0 && (one.type == file::chunk_calibration || one.type == file::chunk_faults)) continue;
    if (minor < 2 && one.type == file::chunk_launch) {
      const std::uint32_t fixed = minor == 0 ? 120 : 160;
      one.payload.erase(fixed, number_at(one.payload, 0) - fixed);
      put(one.payload, 0, fixed);
    }
    chunks.push_back(std::move(one));
  }
  all.chunks = chunks;
  return all.bytes();
}

/// Something of every chunk, ranges of each kind, a ring that wrapped and one that was never closed.
synthetic::trace everything(bool also_newest) {
  synthetic::trace trace;
  const std::uint32_t load = trace.site(iket::site_kind::work, "load", "kernel.cu", 12);
  const std::uint32_t wait = trace.site(iket::site_kind::wait, "wait", "kernel.cu", 14);
  const std::uint32_t mark = trace.site(iket::site_kind::mark, "a mark", "kernel.cu", 15);
  const std::uint32_t role = trace.site(iket::site_kind::role, "producer", "kernel.cu", 11);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 4; ++i) {
    synthetic::warp warp{.cta = i / 2, .number = i % 2, .sm = i / 2, .role = i % 2 == 0 ? role : 0};
    for (std::uint64_t k = 0; k < 6 + 10 * (i % 2); ++k) {
      warp.log.event(iket::record_kind::range_begin, load, 2000 + k * 100, iket::payload_type::i32, k);
      warp.log.event(iket::record_kind::range_end, load, 2050 + k * 100);
      warp.log.event(iket::record_kind::mark, mark, 2060 + k * 100);
    }
    warp.log.event(iket::record_kind::push, wait, 4000);
    warp.log.event(iket::record_kind::pop, 0, 5000);
    warp.closed = i != 2;
    warps.push_back(warp);
  }
  if (also_newest) {
    trace.calibrate();
    trace.read_timer({0, 5000, 90000});
    trace.look(100'000, 200'000);
  }
  trace.launch("first", 2, 2, 32, warps);
  if (also_newest) trace.fault(file::fault_kind::leader_absent, synthetic::site_address(0), 12);
  trace.launch("second", 1, 1, 32, {warps[0]});
  if (also_newest) trace.content.launches[0].info.flags |= file::launch_running;
  return trace;
}

trace_view read(const std::string& bytes) {
  auto result = iket::analysis::read_trace(bytes_of(bytes));
  if (const auto* const error = std::get_if<read_error>(&result)) FAIL(error->message());
  auto view = std::get<trace_view>(std::move(result));
  for (const read_error& damage : view.damages) FAIL_CHECK(damage.message());
  return view;
}

/// All that is said of a file: the report and the drawing.
std::string told_of(const std::string& bytes) {
  const iket::analysis::timeline of = iket::analysis::build_timeline(read(bytes), "trace.bin");
  std::string text = iket::analysis::report_json(iket::analysis::make_report(of));
  const auto append = [&](const void* data, std::size_t size) { text.append(static_cast<const char*>(data), size); };
  (void)iket::analysis::write_chrome_trace(of, append);
  return text;
}

}  // namespace

TEST_CASE("of a newer minor version all that this one knows is told, as of a file of its own") {
  const std::string bytes = everything(true).bytes();
  const std::string newer = as_newer_minor(bytes);
  CHECK(newer.size() > bytes.size() + 500);
  CHECK(read(newer).header.version_minor == IKET_FORMAT_VERSION_MINOR + 7);
  CHECK(told_of(newer) == told_of(bytes));
}

TEST_CASE("real traces, too, say the same as a newer minor version would write them") {
  for (const auto& entry : std::filesystem::directory_iterator(IKET_RECORDED_DIR)) {
    if (entry.path().extension() != ".bin" || entry.file_size() > 4'000'000) continue;
    CAPTURE(entry.path().filename().string());
    std::ifstream from(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << from.rdbuf();
    if (told_of(as_newer_minor(bytes.str())) != told_of(bytes.str())) FAIL_CHECK("they do not");
  }
}

TEST_CASE("a newer minor version's values are passed over, or shown as the numbers that they are") {
  synthetic::trace trace = everything(true);
  trace.content.site_tables[0].sites[2].kind = static_cast<iket::site_kind>(77);
  trace.content.launches[0].faults[0].kind = static_cast<file::fault_kind>(88);
  trace.content.launches[0].info.choice = static_cast<file::cta_choice>(99);
  trace.content.launches[1].warps[0].flags |= 1u << 20;
  parts all(trace.bytes());
  all.header.version_minor = IKET_FORMAT_VERSION_MINOR + 1;
  const std::string bytes = all.bytes();
  const trace_view view = read(bytes);
  REQUIRE(view.launches.size() == 2);
  CHECK(view.launches[0].warps.size() == 4);
  CHECK(view.launches[1].warps.size() == 1);
  const std::string told = told_of(bytes);
  CHECK(told.find("\"load\"") != std::string::npos);
  CHECK(told.find("\"second\"") != std::string::npos);
}

TEST_CASE("an older minor version's file says what a file of this version says that has no more") {
  const std::string bytes = everything(false).bytes();
  for (const std::uint16_t minor : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}}) {
    CAPTURE(minor);
    CHECK(told_of(as_older_minor(bytes, minor)) == told_of(bytes));
  }
  // And without what it could not hold of one that has more.
  const std::string full = everything(true).bytes();
  CHECK(read(as_older_minor(full, 1)).devices.at(0).calibration.has_value());
  CHECK(read(as_older_minor(full, 2)).devices.at(0).host_clock.has_value());
  CHECK_FALSE(read(as_older_minor(full, 2)).devices.at(0).snapshot.has_value());
  CHECK_FALSE(read(as_older_minor(full, 1)).devices.at(0).host_clock.has_value());
  CHECK_FALSE(read(as_older_minor(full, 0)).devices.at(0).calibration.has_value());
}

TEST_CASE("other major versions are refused, whatever is in them, and the message says both versions and what to do") {
  const auto refusal = [](std::uint16_t major, std::uint16_t minor) {
    parts all(everything(true).bytes());
    all.header.version_major = major;
    all.header.version_minor = minor;
    all.header.record_bytes = 16;  // may be so there
    all.header.warp_header_bytes = 64;
    for (chunk& one : all.chunks) one.payload.assign(5, 'x');
    all.chunks.pop_back();
    const std::string bytes = all.bytes();
    const auto result = iket::analysis::read_trace(bytes_of(bytes));
    REQUIRE(std::holds_alternative<read_error>(result));
    CHECK(std::get<read_error>(result).kind == read_error_kind::unsupported_version);
    return std::get<read_error>(result).message();
  };
  CHECK(refusal(2, 3) ==
        "unsupported version: the file has format 2.3; this program reads format 1.x: use a newer iket-analyze");
  CHECK(refusal(65535, 0) ==
        "unsupported version: the file has format 65535.0; this program reads format 1.x: use a newer iket-analyze");
  CHECK(refusal(0, 9) == "unsupported version: the file has format 0.9; this program reads format 1.x");
}
