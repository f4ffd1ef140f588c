// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include "trace_reader.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <iket/detail/crc32c.hpp>

#include "build_timeline.hpp"
#include "catch.hpp"
#include "mapped_file.hpp"
#include "synthetic.hpp"

namespace file = iket::file;
using iket::record_kind;
using iket::analysis::read_error;
using iket::analysis::read_error_kind;
using iket::analysis::trace_view;
using synthetic::bytes_of;
using synthetic::lacking;

namespace {

/// Two launches; the first has two CTAs of two warps, the second one of each.
synthetic::trace small_trace() {
  synthetic::trace trace;
  const std::uint32_t load = trace.site(iket::site_kind::work, "load", "kernel.cu", 12);
  const std::uint32_t wait = trace.site(iket::site_kind::wait, "wait", "kernel.cu", 14);
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 4; ++i) {
    synthetic::warp warp{.cta = i / 2, .number = i % 2, .sm = i / 2};
    for (std::uint64_t k = 0; k < 6; ++k) {
      warp.log.event(record_kind::range_begin, load, 2000 + k * 100, iket::payload_type::i32, k);
      warp.log.event(record_kind::range_end, load, 2050 + k * 100);
    }
    warp.log.event(record_kind::push, wait, 4000);
    warp.log.event(record_kind::pop, 0, 5000);
    warps.push_back(warp);
  }
  trace.calibrate();
  trace.read_timer({0, 5000});
  trace.launch("first", 2, 2, 16, warps);
  trace.launch("second", 1, 1, 32, {warps[0]});
  trace.fault(file::fault_kind::leader_absent, synthetic::site_address(0), 12);
  trace.fault(file::fault_kind::pop_without_push, 0, 1);
  trace.content.launches[1].fault_head.dropped = 3;
  return trace;
}

trace_view read(const std::string& bytes) {
  auto result = iket::analysis::read_trace(bytes_of(bytes));
  if (const auto* const error = std::get_if<read_error>(&result)) FAIL(error->message());
  return std::get<trace_view>(std::move(result));
}

read_error fail_to_read(const std::string& bytes) {
  auto result = iket::analysis::read_trace(bytes_of(bytes));
  REQUIRE(std::holds_alternative<read_error>(result));
  return std::get<read_error>(result);
}

std::string damage_of(const trace_view& view) {
  std::string text;
  for (const read_error& damage : view.damages) text += damage.message() + "\n";
  return text;
}

/// Offsets of the chunks of an undamaged file.
std::vector<std::size_t> chunk_offsets(const std::string& bytes) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = sizeof(file::file_header); at < bytes.size();) {
    offsets.push_back(at);
    file::chunk_header header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    at += sizeof(header) + (header.payload_bytes + 7) / 8 * 8;
  }
  return offsets;
}

std::uint32_t type_at(const std::string& bytes, std::size_t offset) {
  file::chunk_header header;
  std::memcpy(&header, bytes.data() + offset, sizeof(header));
  return header.type;
}

std::size_t find_chunk(const std::string& bytes, std::uint32_t type, int which = 0) {
  for (const std::size_t offset : chunk_offsets(bytes))
    if (type_at(bytes, offset) == type && which-- == 0) return offset;
  FAIL("no such chunk");
  return 0;
}

/// Makes the checksums of the chunk at `offset` right again.
void seal(std::string& bytes, std::size_t offset) {
  file::chunk_header header;
  std::memcpy(&header, bytes.data() + offset, sizeof(header));
  header.payload_crc = iket::detail::crc32c(bytes.data() + offset + sizeof(header), header.payload_bytes);
  header.header_crc = iket::detail::crc32c(&header, offsetof(file::chunk_header, header_crc));
  std::memcpy(bytes.data() + offset, &header, sizeof(header));
}

template <class T>
void put(std::string& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

void put_file_header(std::string& bytes, file::file_header header) {
  header.header_crc = iket::detail::crc32c(&header, offsetof(file::file_header, header_crc));
  put(bytes, 0, header);
}

file::file_header file_header_of(const std::string& bytes) {
  file::file_header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return header;
}

constexpr std::size_t payload_at = sizeof(file::chunk_header);

/// Sets a member of the fixed part of the first chunk of a type, with right checksums.
template <class T>
std::string with(std::uint32_t type, std::size_t member, T value) {
  std::string bytes = small_trace().bytes();
  const std::size_t offset = find_chunk(bytes, type);
  put(bytes, offset + payload_at + member, value);
  seal(bytes, offset);
  return bytes;
}

}  // namespace

TEST_CASE("a whole file is read as it was written") {
  const std::string bytes = small_trace().bytes();
  const trace_view view = read(bytes);
  CHECK(damage_of(view) == "");
  REQUIRE(view.devices.size() == 1);
  CHECK(view.devices[0].name == "Synthetic GPU");
  REQUIRE(view.site_tables.size() == 1);
  REQUIRE(view.site_tables[0].sites.size() == 2);
  CHECK(view.site_tables[0].sites[1].name == "wait");
  CHECK(view.site_tables[0].sites[1].file == "kernel.cu");
  CHECK(view.site_tables[0].sites[1].line == 14);
  CHECK(view.site_tables[0].sites[1].address == synthetic::site_address(1));
  REQUIRE(view.launches.size() == 2);
  CHECK(view.launches[0].name == "first");
  CHECK(view.launches[0].device == 0);
  CHECK(view.launches[0].sites == 0);
  REQUIRE(view.launches[0].warps.size() == 4);
  CHECK(view.launches[0].warps[3].header().cta[0] == 1);
  CHECK(view.launches[0].warps[3].header().warp == 1);
  CHECK(view.launches[0].warps[3].records.size() == 16);
  REQUIRE(view.devices[0].calibration.has_value());
  CHECK(view.devices[0].calibration->event_burst_millicycles == 20'000);
  CHECK(view.devices[0].calibration->sm_clock_khz == 1'980'000);
  REQUIRE(view.devices[0].host_clock.has_value());
  CHECK(view.devices[0].host_clock->info.boot_id[15] == 0xE1);
  REQUIRE(view.devices[0].host_clock->pairs.size() == 2);
  CHECK(view.devices[0].host_clock->pairs[1].host_before_ns == synthetic::trace::host_epoch_ns + 4000);
  CHECK(view.devices[0].host_clock->pairs[1].host_after_ns == synthetic::trace::host_epoch_ns + 6000);
  CHECK(view.devices[0].host_clock->pairs[1].globaltimer_ns == synthetic::trace::timer_epoch_ns + 4992);
  CHECK(view.devices[0].host_clock->pairs[1].realtime_offset_ns == 1'764'000'000'000'000'000);
  CHECK(view.launches[0].faults.empty());
  REQUIRE(view.launches[1].faults.size() == 2);
  CHECK(view.launches[1].faults[0].kind == file::fault_kind::leader_absent);
  CHECK(view.launches[1].faults[0].site == synthetic::site_address(0));
  CHECK(view.launches[1].faults[0].count == 12);
  CHECK(view.launches[1].faults[0].cta[0] == 3);
  CHECK(view.launches[1].faults_dropped == 3);
  // 20 records were written; the ring begins with the 17th, the payload of the last "load".
  CHECK(view.launches[0].warps[0].records[0].value == 5);
}

TEST_CASE("the example of docs/trace-format.md is a whole file of this version, and says what the text says") {
  std::ifstream text(IKET_DOCS_DIR "/trace-format.md");
  std::string bytes, whole;
  for (std::string line; std::getline(text, line);) {
    whole += line + "\n";
    std::istringstream words(line);
    std::string word;
    // "0010  08 00 ... 99  |........z...|"
    if (!(words >> word) || word.size() != 4 || line.size() < 6 || line.substr(4, 2) != "  ") continue;
    while (words >> word && word.size() == 2) bytes += static_cast<char>(std::stoi(word, nullptr, 16));
  }
  REQUIRE(bytes.size() > sizeof(file::file_header));
  const trace_view view = read(bytes);
  CHECK(damage_of(view) == "");
  CHECK(view.header.version_minor == IKET_FORMAT_VERSION_MINOR);
  const std::string minor = std::to_string(IKET_FORMAT_VERSION_MINOR);
  for (const char* const stated : {"\n# trace.bin, format 1.", "| minor version: ", "| file header: format 1."})
    CHECK(whole.find(stated + minor) != std::string::npos);
  CHECK(view.devices.at(0).calibration.value().event_millicycles == 10'400);
  CHECK(view.launches.at(0).info.warp_mask == 1);
  const iket::analysis::timeline built = build_timeline(view, "example");
  CHECK(built.warnings.empty());
  const iket::analysis::warp_timeline& warp = built.launches.at(0).warps.at(0);
  CHECK(warp.lost == 1);
  REQUIRE(warp.ranges.size() == 1);
  CHECK(warp.ranges[0].cycles == 2048);
  CHECK(warp.ranges[0].payload().bits == 7);
}

TEST_CASE("an empty session is a whole file") {
  const trace_view view = read(synthetic::trace().bytes());
  CHECK(view.launches.empty());
  CHECK(view.damages.empty());
}

TEST_CASE("ring groups of any number make one launch") {
  synthetic::trace trace;
  const std::uint32_t site = trace.site(iket::site_kind::mark, "m");
  std::vector<synthetic::warp> warps;
  for (std::uint32_t i = 0; i < 300; ++i) {
    synthetic::warp warp{.cta = 299 - i};
    for (std::uint64_t k = 0; k < 1024; ++k) warp.log.event(record_kind::mark, site, 2000 + k + i);
    warps.push_back(warp);
  }
  trace.launch("many", 300, 1, 1024, warps);
  const std::string bytes = trace.bytes();
  CHECK_NOTHROW(find_chunk(bytes, file::chunk_rings, 2));
  const trace_view view = read(bytes);
  CHECK(damage_of(view) == "");
  REQUIRE(view.launches[0].warps.size() == 300);
  for (std::uint32_t i = 0; i < 300; ++i) {
    REQUIRE(view.launches[0].warps[i].header().cta[0] == i);
    REQUIRE(view.launches[0].warps[i].records[0].value == 2000 + 299 - i);
  }
}

TEST_CASE("other files are no IKET files") {
  CHECK(fail_to_read("{\"traceEvents\":[]}").kind == read_error_kind::not_iket);
  CHECK(fail_to_read("IKET").kind == read_error_kind::not_iket);
  CHECK(fail_to_read("IKETRACE").kind == read_error_kind::truncated);
  CHECK(fail_to_read(std::string(4096, '\0')).kind == read_error_kind::not_iket);
}

TEST_CASE("a newer major version is refused, a newer minor one is read") {
  std::string bytes = small_trace().bytes();
  file::file_header header = file_header_of(bytes);
  header.version_major = 2;
  header.version_minor = 3;
  put_file_header(bytes, header);
  const read_error error = fail_to_read(bytes);
  CHECK(error.kind == read_error_kind::unsupported_version);
  CHECK(lacking(error.message(), {"2.3", "1.x"}) == "");
  header.version_major = 0;
  put_file_header(bytes, header);
  CHECK(fail_to_read(bytes).kind == read_error_kind::unsupported_version);
  header.version_major = 1;
  header.version_minor = 9;
  put_file_header(bytes, header);
  CHECK(read(bytes).damages.empty());
}

TEST_CASE("a big-endian file is refused") {
  std::string bytes = small_trace().bytes();
  file::file_header header = file_header_of(bytes);
  header.byte_order = 0x04030201;
  put_file_header(bytes, header);
  CHECK(lacking(fail_to_read(bytes).message(), {"big-endian"}) == "");
}

TEST_CASE("records or headers of another size are refused, longer headers are read") {
  std::string bytes = small_trace().bytes();
  file::file_header header = file_header_of(bytes);
  header.record_bytes = 16;
  put_file_header(bytes, header);
  CHECK(fail_to_read(bytes).kind == read_error_kind::malformed);
  header.record_bytes = 8;
  header.warp_header_bytes = 112;
  put_file_header(bytes, header);
  CHECK(fail_to_read(bytes).kind == read_error_kind::malformed);
}

TEST_CASE("a damaged file header costs nothing") {
  std::string bytes = small_trace().bytes();
  bytes[9] = static_cast<char>(bytes[9] ^ 4);  // the major version
  const trace_view view = read(bytes);
  CHECK(view.launches[0].warps.size() == 4);
  REQUIRE(view.damages.size() == 1);
  CHECK(view.damages[0].offset == 0);
}

TEST_CASE("chunks of unknown type and longer fixed parts are passed over") {
  std::string bytes = small_trace().bytes();
  // A chunk of a newer version in front of the others.
  std::string extra(sizeof(file::chunk_header) + 16, '\0');
  file::chunk_header header{file::chunk_marker, file::four_characters('N', 'E', 'W', '!'), 13, 0, 0};
  put(extra, 0, header);
  seal(extra, 0);
  bytes.insert(sizeof(file::file_header), extra);
  const std::size_t end = find_chunk(bytes, file::chunk_end);
  put(bytes, end + payload_at + 4, static_cast<std::uint32_t>(chunk_offsets(bytes).size() - 1));
  seal(bytes, end);
  CHECK(damage_of(read(bytes)) == "");

  // A device whose fixed part has 8 bytes more.
  std::string longer = small_trace().bytes();
  const std::size_t device = find_chunk(longer, file::chunk_device);
  longer.insert(device + payload_at + sizeof(file::device_info), 8, 'x');
  file::chunk_header of_device;
  std::memcpy(&of_device, longer.data() + device, sizeof(of_device));
  of_device.payload_bytes += 8;
  put(longer, device, of_device);
  put(longer, device + payload_at, static_cast<std::uint32_t>(sizeof(file::device_info) + 8));
  seal(longer, device);
  const trace_view view = read(longer);
  CHECK(damage_of(view) == "");
  CHECK(view.devices[0].name == "Synthetic GPU");
}

TEST_CASE("a damaged chunk costs that chunk") {
  const std::string whole = small_trace().bytes();
  const auto damaged = [&](std::uint32_t type, int which) {
    std::string bytes = whole;
    char& byte = bytes[find_chunk(whole, type, which) + payload_at + 4];
    byte = static_cast<char>(byte ^ 1);
    return bytes;
  };
  SECTION("rings") {
    const std::string bytes = damaged(file::chunk_rings, 0);
    const trace_view view = read(bytes);
    CHECK(view.launches[0].warps.empty());
    CHECK(view.launches[1].warps.size() == 1);
    CHECK(lacking(damage_of(view), {"malformed at offset " + std::to_string(find_chunk(whole, file::chunk_rings))}) ==
          "");
    CHECK(lacking(damage_of(view), {"expected the rings of 4 warps of launch 0, found 0"}) == "");
  }
  SECTION("launch") {
    const std::string bytes = damaged(file::chunk_launch, 0);
    const trace_view view = read(bytes);
    REQUIRE(view.launches.size() == 2);
    CHECK(view.launches[0].facts_lost);
    CHECK(view.launches[0].warps.size() == 4);
    CHECK(view.launches[0].info.grid[0] == 2);
    CHECK(view.launches[0].device == 0);
    CHECK(view.launches[0].sites == 0);
    CHECK(lacking(damage_of(view), {"expected a launch chunk for the rings of launch 0"}) == "");
  }
  SECTION("device") {
    const std::string bytes = damaged(file::chunk_device, 0);
    const trace_view view = read(bytes);
    CHECK(view.launches[0].device == iket::analysis::none);
    CHECK(view.launches[0].warps.size() == 4);
    CHECK(lacking(damage_of(view), {"expected a device chunk for launch 1"}) == "");
  }
  SECTION("sites") {
    const std::string bytes = damaged(file::chunk_sites, 0);
    const trace_view view = read(bytes);
    CHECK(view.launches[0].sites == iket::analysis::none);
    CHECK(lacking(damage_of(view), {"expected a site table for launch 0"}) == "");
  }
  SECTION("calibration") {
    const std::string bytes = damaged(file::chunk_calibration, 0);
    const trace_view view = read(bytes);
    CHECK_FALSE(view.devices[0].calibration.has_value());
    CHECK(view.launches[1].warps.size() == 1);
    CHECK(lacking(damage_of(view), {"'CALB'"}) == "");
  }
  SECTION("host clock") {
    const std::string bytes = damaged(file::chunk_host_clock, 0);
    const trace_view view = read(bytes);
    CHECK_FALSE(view.devices[0].host_clock.has_value());
    CHECK(view.launches[1].warps.size() == 1);
    CHECK(lacking(damage_of(view), {"'HCLK'"}) == "");
  }
  SECTION("faults") {
    const std::string bytes = damaged(file::chunk_faults, 0);
    const trace_view view = read(bytes);
    CHECK(view.launches[1].faults.empty());
    CHECK(view.launches[1].warps.size() == 1);
    CHECK(lacking(damage_of(view), {"'FALT'"}) == "");
  }
  SECTION("the launch of faults") {
    const std::string bytes = damaged(file::chunk_launch, 1);
    const trace_view view = read(bytes);
    REQUIRE(view.launches.size() == 2);
    CHECK(view.launches[1].facts_lost);
    CHECK(view.launches[1].faults.size() == 2);
  }
  SECTION("end") {
    const std::string bytes = damaged(file::chunk_end, 0);
    CHECK(read(bytes).launches[0].warps.size() == 4);
    CHECK(lacking(damage_of(read(bytes)), {"'END '"}) == "");
  }
}

TEST_CASE("behind a damaged chunk header the next chunk is found") {
  const std::string whole = small_trace().bytes();
  for (const std::size_t member : {0u, 4u, 8u, 12u, 16u, 20u}) {
    std::string bytes = whole;
    char& byte = bytes[find_chunk(whole, file::chunk_rings) + member];
    byte = static_cast<char>(byte ^ 0x40);
    const trace_view view = read(bytes);
    CHECK(view.launches[0].warps.empty());
    CHECK(view.launches[1].warps.size() == 1);
    CHECK(lacking(damage_of(view), {"expected a chunk header"}) == "");
  }
}

TEST_CASE("bytes that went missing cost the chunks that they were in") {
  const std::string whole = small_trace().bytes();
  std::string bytes = whole;
  bytes.erase(find_chunk(whole, file::chunk_rings) + 200, 64);
  const trace_view view = read(bytes);
  CHECK(view.launches[0].warps.empty());
  CHECK(view.launches[1].warps.size() == 1);
}

TEST_CASE("a file without its end is truncated") {
  const std::string whole = small_trace().bytes();
  const std::string bytes = whole.substr(0, find_chunk(whole, file::chunk_end));
  const trace_view view = read(bytes);
  CHECK(view.launches[1].warps.size() == 1);
  REQUIRE(view.damages.size() == 1);
  CHECK(view.damages[0].kind == read_error_kind::truncated);
  CHECK(view.damages[0].offset == bytes.size());
}

TEST_CASE("chunks that are missing without a trace are missed") {
  std::string bytes = small_trace().bytes();
  const std::size_t rings = find_chunk(bytes, file::chunk_rings, 1);
  bytes.erase(rings, find_chunk(bytes, file::chunk_end) - rings);
  const std::string damage = damage_of(read(bytes));
  CHECK(lacking(damage, {"expected 9 chunks before the end chunk, found 8"}) == "");
  CHECK(lacking(damage, {"expected the rings of 1 warps of launch 1, found 0"}) == "");
}

TEST_CASE("bytes behind the end chunk are reported") {
  CHECK(lacking(damage_of(read(small_trace().bytes() + "12345678")), {"8 bytes are not read"}) == "");
}

TEST_CASE("two chunks of one id: the first counts") {
  synthetic::trace trace = small_trace();
  trace.content.launches[1].info.id = 0;
  trace.content.devices.push_back(trace.content.devices[0]);
  trace.content.devices[1].name = "other";
  trace.content.site_tables.push_back({});
  const std::string bytes = trace.bytes();
  const trace_view view = read(bytes);
  REQUIRE(view.launches.size() == 1);
  CHECK(view.launches[0].name == "first");
  CHECK(view.launches[0].warps.size() == 4);
  CHECK(view.devices.size() == 1);
  CHECK(view.site_tables[0].sites.size() == 2);
  const std::string damage = damage_of(view);
  CHECK(lacking(damage, {"one chunk of type 'LNCH'", "one chunk of type 'DEVC'", "one chunk of type 'SITE'",
                         "1 warps of launch 0 are left out"}) == "");
}

TEST_CASE("what belongs to nothing, and what is there twice, is left out and said") {
  synthetic::trace trace = small_trace();
  trace.calibrate();
  trace.calibrate();
  trace.content.calibrations[2].device = 9;
  const trace_view view = read(trace.bytes());
  CHECK(view.devices[0].calibration.has_value());
  CHECK(lacking(damage_of(view),
                {"one chunk of type 'CALB'", "expected a device chunk for the calibration of device 9"}) == "");

  synthetic::trace timed = small_trace();
  timed.content.host_clocks.resize(3, timed.content.host_clocks[0]);
  timed.content.host_clocks[1].pairs.clear();
  timed.content.host_clocks[2].info.device = 9;
  const std::string timed_bytes = timed.bytes();
  const trace_view timed_view = read(timed_bytes);
  CHECK(timed_view.devices[0].host_clock.value().pairs.size() == 2);
  CHECK(lacking(damage_of(timed_view),
                {"one chunk of type 'HCLK'", "expected a device chunk for the host clock of device 9"}) == "");

  const std::string bytes = with(file::chunk_faults, offsetof(file::fault_table, launch), 9u);
  CHECK(lacking(damage_of(read(bytes)), {"expected a launch chunk for the faults of launch 9"}) == "");
  CHECK(read(bytes).launches.size() == 2);

  std::string twice = small_trace().bytes();
  const std::size_t faults = find_chunk(twice, file::chunk_faults);
  const std::size_t size = find_chunk(twice, file::chunk_rings, 1) - faults;
  twice.insert(faults, twice.substr(faults, size));
  CHECK(lacking(damage_of(read(twice)), {"one chunk of type 'FALT'"}) == "");
  CHECK(read(twice).launches[1].faults.size() == 2);
}

TEST_CASE("tables of faults that cannot be are refused, with the place") {
  for (const std::uint32_t count : {0u, 1u, 3u, 0xFFFFFFFFu}) {
    const std::string bytes = with(file::chunk_faults, offsetof(file::fault_table, fault_count), count);
    const trace_view view = read(bytes);
    CHECK(view.launches[1].faults.empty());
    REQUIRE(view.damages.size() == 1);
    CHECK(view.damages[0].offset == find_chunk(bytes, file::chunk_faults) + payload_at + sizeof(file::fault_table));
    CHECK(lacking(view.damages[0].message(), {"expected " + std::to_string(count) + " faults, found 64 bytes"}) == "");
  }
  CHECK(read(with(file::chunk_faults, 0, 8u)).launches[1].faults.empty());
  CHECK_FALSE(read(with(file::chunk_calibration, 0, 16u)).devices[0].calibration.has_value());
}

TEST_CASE("readings of the host's clock that cannot be are refused, with the place") {
  for (const std::uint32_t count : {0u, 1u, 3u, 0xFFFFFFFFu}) {
    const std::string bytes = with(file::chunk_host_clock, offsetof(file::host_clock_info, pair_count), count);
    const trace_view view = read(bytes);
    CHECK_FALSE(view.devices[0].host_clock.has_value());
    REQUIRE(view.damages.size() == 1);
    CHECK(view.damages[0].offset ==
          find_chunk(bytes, file::chunk_host_clock) + payload_at + sizeof(file::host_clock_info));
    CHECK(lacking(view.damages[0].message(), {"expected " + std::to_string(count) + " clock pairs, found 64 bytes"}) ==
          "");
  }
  const auto is_read = [](std::size_t member, auto value) {
    return read(with(file::chunk_host_clock, member, value)).devices[0].host_clock.has_value();
  };
  CHECK_FALSE(is_read(0, 28u));
  CHECK_FALSE(is_read(0, 97u));
  const std::size_t second = sizeof(file::host_clock_info) + sizeof(file::host_clock_pair);
  const std::uint64_t after_ns = synthetic::trace::host_epoch_ns + 6000;
  CHECK(is_read(second, after_ns));
  CHECK_FALSE(is_read(second, after_ns + 1));
  CHECK(read(with(file::chunk_host_clock, second, after_ns + 1)).launches[1].warps.size() == 1);
}

TEST_CASE("snapshots are read, and those that cannot be are refused, with the place") {
  synthetic::trace looked = small_trace();
  looked.look(7000, 9000);
  looked.look(1, 2);
  looked.look(3, 4);
  looked.content.snapshots[2].device = 9;
  const std::string twice = looked.bytes();
  const trace_view twice_view = read(twice);
  REQUIRE(twice_view.devices[0].snapshot.has_value());
  CHECK(twice_view.devices[0].snapshot->host_begin_ns == synthetic::trace::host_epoch_ns + 7000);
  CHECK(twice_view.devices[0].snapshot->host_end_ns == synthetic::trace::host_epoch_ns + 9000);
  CHECK(twice_view.devices[0].snapshot->realtime_offset_ns == 1'764'000'000'000'000'000);
  CHECK(lacking(damage_of(twice_view),
                {"one chunk of type 'SNAP'", "expected a device chunk for the snapshot of device 9"}) == "");

  looked.content.snapshots.resize(1);
  const std::string whole = looked.bytes();
  CHECK(damage_of(read(whole)) == "");
  const std::size_t offset = find_chunk(whole, file::chunk_snapshot);
  const auto is_read = [&](std::size_t member, auto value) {
    std::string bytes = whole;
    put(bytes, offset + payload_at + member, value);
    seal(bytes, offset);
    const trace_view view = read(bytes);
    CHECK(view.launches[1].warps.size() == 1);
    if (!view.devices[0].snapshot) CHECK(view.damages.at(0).offset >= offset + payload_at);
    return view.devices[0].snapshot.has_value();
  };
  CHECK(is_read(offsetof(file::snapshot_info, host_end_ns), synthetic::trace::host_epoch_ns + 7000));
  CHECK_FALSE(is_read(offsetof(file::snapshot_info, host_end_ns), synthetic::trace::host_epoch_ns + 6999));
  constexpr std::uint64_t hour_ns = 3'600'000'000'000;
  const std::uint64_t longest = synthetic::trace::host_epoch_ns + 7000 + hour_ns;
  CHECK(is_read(offsetof(file::snapshot_info, host_end_ns), longest));
  CHECK_FALSE(is_read(offsetof(file::snapshot_info, host_end_ns), longest + 1));
  CHECK_FALSE(is_read(offsetof(file::snapshot_info, host_begin_ns), std::uint64_t{0}));
  CHECK_FALSE(is_read(0, 31u));
  CHECK_FALSE(is_read(0, 33u));
  CHECK_FALSE(is_read(0, 0xFFFFFFFFu));
  std::string flipped = whole;
  flipped[offset + payload_at + 9] ^= 1;
  CHECK_FALSE(read(flipped).devices[0].snapshot.has_value());
  CHECK(lacking(damage_of(read(flipped)), {"'SNAP'"}) == "");
}

// As an older version wrote it, whose launches had so many bytes.
std::string as_written_by(std::uint16_t minor, std::size_t launch_bytes, std::string bytes) {
  file::file_header header = file_header_of(bytes);
  header.version_minor = minor;
  put_file_header(bytes, header);
  for (const int which : {1, 0}) {
    const std::size_t launch = find_chunk(bytes, file::chunk_launch, which);
    bytes.erase(launch + payload_at + launch_bytes, sizeof(file::launch_info) - launch_bytes);
    file::chunk_header of_launch;
    std::memcpy(&of_launch, bytes.data() + launch, sizeof(of_launch));
    of_launch.payload_bytes -= sizeof(file::launch_info) - launch_bytes;
    put(bytes, launch, of_launch);
    put(bytes, launch + payload_at, static_cast<std::uint32_t>(launch_bytes));
    seal(bytes, launch);
  }
  return bytes;
}

TEST_CASE("a file of format 1.1 is read: no launch is one of several with a tracer") {
  synthetic::trace trace = small_trace();
  file::launch_info& first = trace.content.launches[0].info;
  first.event_time_ns = 77;
  first.regions = 5;
  first.replays_missed = 6;
  const std::string bytes = as_written_by(1, 160, trace.bytes());
  const trace_view view = read(bytes);
  CHECK(damage_of(view) == "");
  REQUIRE(view.launches.size() == 2);
  CHECK(view.launches[0].name == "first");
  CHECK(view.launches[0].warps.size() == 4);
  CHECK(view.launches[0].info.event_time_ns == 77);
  CHECK(view.launches[0].info.regions == 0);
  CHECK(view.launches[0].info.replays_missed == 0);
}

TEST_CASE("a file of format 1.0 is read: all warps, no clusters") {
  const std::string bytes = as_written_by(0, 120, small_trace().bytes());
  const trace_view view = read(bytes);
  CHECK(damage_of(view) == "");
  REQUIRE(view.launches.size() == 2);
  CHECK(view.launches[0].name == "first");
  CHECK(view.launches[0].warps.size() == 4);
  CHECK(view.launches[0].info.warp_mask == 0xFFFFFFFFu);
  CHECK(view.launches[0].info.choice == file::cta_choice::every);
  for (const std::uint32_t size : view.launches[0].info.cluster) CHECK(size == 1);
  CHECK(view.launches[0].info.event_time_ns == 0);
}

TEST_CASE("warps outside of the part that was to be traced are left out") {
  const auto left_out = [](std::size_t member, auto value, const std::string& expected) {
    const trace_view view = read(with(file::chunk_launch, member, value));
    if (!expected.empty()) CHECK(lacking(damage_of(view), {"expected " + expected}) == "");
    return 4 - view.launches[0].warps.size();
  };
  CHECK(left_out(offsetof(file::launch_info, warp_mask), 3u, "") == 0);
  CHECK(left_out(offsetof(file::launch_info, warp_mask), 2u, "a warp that was chosen; 2 warps") == 2);
  CHECK(left_out(offsetof(file::launch_info, warp_mask), 0u, "a warp that was chosen; 4 warps") == 4);
  CHECK(left_out(offsetof(file::launch_info, cta_stride), 2u, "a CTA that was chosen; 2 warps") == 2);

  synthetic::trace trace = small_trace();
  iket::file::launch_info& info = trace.content.launches[0].info;
  info.choice = file::cta_choice::range;
  info.first_cta = 1;
  info.last_cta = 2;
  CHECK(read(trace.bytes()).launches[0].warps.size() == 2);
  info.first_cta = 0;
  CHECK(read(trace.bytes()).launches[0].warps.size() == 4);
  info.cta_stride = 2;
  CHECK(read(trace.bytes()).launches[0].warps.size() == 2);
  // What a list and clusters have is not known.
  info.choice = file::cta_choice::list;
  CHECK(read(trace.bytes()).launches[0].warps.size() == 4);
  info.choice = file::cta_choice::every;
  info.cluster[0] = 2;
  CHECK(read(trace.bytes()).damages.empty());
}

TEST_CASE("facts that cannot be are not believed, whatever the checksum says") {
  const auto launch_refused = [](const std::string& bytes) {
    const trace_view view = read(bytes);
    return view.launches[0].facts_lost && view.launches[0].warps.size() == 4;
  };
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, grid), 0u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, block) + 8, 0u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, records_per_warp), 24u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, records_per_warp), 0u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, warps_per_cta), 0u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, cta_stride), 0u)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, name_bytes), 0xFFFFFFFFu)));
  CHECK(launch_refused(with(file::chunk_launch, offsetof(file::launch_info, cluster), 0u)));
  CHECK(launch_refused(with(file::chunk_launch, 0, 4u)));
  CHECK(launch_refused(with(file::chunk_launch, 0, 119u)));
  CHECK(launch_refused(with(file::chunk_launch, 0, 0xFFFFFFFFu)));
  // 2^16 * 2^16 * 2 CTAs are no grid.
  std::string bytes = with(file::chunk_launch, offsetof(file::launch_info, grid), 0x10000u);
  const std::size_t launch = find_chunk(bytes, file::chunk_launch);
  put(bytes, launch + payload_at + offsetof(file::launch_info, grid) + 4, 0x10000u);
  seal(bytes, launch);
  CHECK(launch_refused(bytes));

  const auto rings_refused = [](const std::string& text) { return read(text).launches[0].warps.empty(); };
  CHECK(rings_refused(with(file::chunk_rings, offsetof(file::ring_group, warp_count), 0xFFFFFFFFu)));
  CHECK(rings_refused(with(file::chunk_rings, offsetof(file::ring_group, warp_count), 3u)));
  CHECK(rings_refused(with(file::chunk_rings, offsetof(file::ring_group, record_count), ~std::uint64_t{0})));
  CHECK(rings_refused(with(file::chunk_rings, offsetof(file::ring_group, record_count), std::uint64_t{63})));
  CHECK(rings_refused(with(file::chunk_rings, 0, 0u)));
  constexpr std::size_t kept = sizeof(file::ring_group) + offsetof(iket::warp_header, kept);
  CHECK(rings_refused(with(file::chunk_rings, kept, 0xFFFFFFFFu)));
  CHECK(rings_refused(with(file::chunk_rings, kept, 15u)));

  CHECK(read(with(file::chunk_device, offsetof(file::device_info, name_bytes), 1000u)).devices.empty());
  CHECK(
      read(with(file::chunk_sites, offsetof(file::site_table, site_count), 0xFFFFFFFFu)).site_tables[0].sites.size() ==
      2);
  constexpr std::size_t second_name = sizeof(file::site_table) + 48 + offsetof(file::site_info, name_bytes);
  CHECK(read(with(file::chunk_sites, second_name, 0xFFFFFFF0u)).site_tables[0].sites.size() == 1);
}

TEST_CASE("warps that cannot be are left out") {
  constexpr std::size_t header = sizeof(file::ring_group);
  const auto warps_left = [](const std::string& bytes) {
    const trace_view view = read(bytes);
    CHECK(lacking(damage_of(view), {"1 warps of launch 0 are left out"}) == "");
    return view.launches[0].warps.size();
  };
  CHECK(warps_left(with(file::chunk_rings, header + offsetof(iket::warp_header, cta), 2u)) == 3);
  CHECK(warps_left(with(file::chunk_rings, header + offsetof(iket::warp_header, cta) + 8, 1u)) == 3);
  CHECK(warps_left(with(file::chunk_rings, header + offsetof(iket::warp_header, warp), 2u)) == 3);
  CHECK(warps_left(with(file::chunk_rings, header + offsetof(iket::warp_header, warp), 1u)) == 3);
  std::string bytes = with(file::chunk_launch, offsetof(file::launch_info, records_per_warp), 8u);
  CHECK(lacking(damage_of(read(bytes)), {"expected no more records than the ring holds; 4 warps"}) == "");
}

TEST_CASE("a chunk that claims to hold the others is no way to slow the reader down") {
  std::string bytes = small_trace().bytes();
  bytes.resize(sizeof(file::file_header));
  // 40000 whole headers, each with a payload that reaches to the end and has a wrong checksum.
  constexpr std::size_t count = 40000;
  for (std::size_t i = 0; i < count; ++i) {
    file::chunk_header header{file::chunk_marker, file::chunk_rings, (count - 1 - i) * 24 + (i % 3) * 8, 1, 0};
    if (header.payload_bytes > (count - 1 - i) * 24) header.payload_bytes = (count - 1 - i) * 24;
    header.header_crc = iket::detail::crc32c(&header, offsetof(file::chunk_header, header_crc));
    bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
  }
  CHECK(fail_to_read(bytes).kind == read_error_kind::malformed);
}

namespace {

/// Reads and, where something is left, builds; must not crash.
void read_and_build(std::string_view bytes) {
  // An allocation of its own, so that a sanitizer sees a step beyond the end.
  const std::vector<char> copy(bytes.begin(), bytes.end());
  const auto result = iket::analysis::read_trace(std::as_bytes(std::span(copy)));
  if (const auto* const view = std::get_if<trace_view>(&result)) {
    const iket::analysis::timeline timeline = build_timeline(*view, "fuzz");
    if (timeline.launches.size() != view->launches.size()) FAIL("a launch is lost");
  } else if (std::get<read_error>(result).message().empty()) {
    FAIL("no reason is given");
  }
}

}  // namespace

TEST_CASE("a file cut anywhere is read as far as it goes, and is never whole") {
  const std::string whole = small_trace().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    read_and_build(std::string_view(whole).substr(0, size));
    const auto result = iket::analysis::read_trace(bytes_of(whole.substr(0, size)));
    const auto* const view = std::get_if<trace_view>(&result);
    REQUIRE((view == nullptr || !view->damages.empty()));
  }
}

TEST_CASE("flipped bits are noticed and harmless") {
  const std::string whole = small_trace().bytes();
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    synthetic::random_numbers random(seed);
    std::string bytes = whole;
    for (std::uint64_t i = 1 + random.below(3); i != 0; --i) {
      char& byte = bytes[random.below(bytes.size())];
      byte = static_cast<char>(byte ^ (1 << random.below(8)));
    }
    read_and_build(bytes);
  }
}

TEST_CASE("wrong numbers under right checksums are harmless") {
  const std::string whole = small_trace().bytes();
  const std::vector<std::size_t> offsets = chunk_offsets(whole);
  constexpr std::uint32_t odd_numbers[] = {0, 1, 2, 3, 7, 8, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFF};
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    synthetic::random_numbers random(seed);
    std::string bytes = whole;
    for (std::uint64_t i = 1 + random.below(3); i != 0; --i) {
      const std::size_t offset = offsets[random.below(offsets.size() - 1)];
      file::chunk_header header;
      std::memcpy(&header, bytes.data() + offset, sizeof(header));
      const std::size_t words = header.payload_bytes / 4;
      // The fixed parts and the warp headers come first.
      const std::size_t word = random.below(random.below(2) == 0 ? words : std::min<std::size_t>(words, 40));
      const auto value =
          random.below(2) == 0 ? odd_numbers[random.below(10)] : static_cast<std::uint32_t>(random.next());
      put(bytes, offset + payload_at + word * 4, value);
      seal(bytes, offset);
    }
    read_and_build(bytes);
  }
}

TEST_CASE("paths that cannot be read give their reason") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("iket_reader_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto error_of = [](const fs::path& path) {
    const iket::analysis::load_result result = iket::analysis::load_timeline(path.string());
    REQUIRE(result.error.has_value());
    CHECK_FALSE(result.trace.has_value());
    return result.error->message();
  };
  CHECK(lacking(error_of(folder / "missing.bin"), {"No such file"}) == "");
  CHECK(lacking(error_of(folder), {"directory"}) == "");
  std::ofstream(folder / "empty.bin").flush();
  CHECK(lacking(error_of(folder / "empty.bin"), {"empty"}) == "");
  CHECK(lacking(error_of("/dev/null"), {"no regular file"}) == "");
  std::ofstream(folder / "text.bin") << "hello, this is text";
  CHECK(lacking(error_of(folder / "text.bin"), {"not an IKET file"}) == "");

  std::ofstream(folder / "good.bin", std::ios::binary) << small_trace().bytes();
  iket::analysis::load_result good = iket::analysis::load_timeline((folder / "good.bin").string());
  REQUIRE(good.trace.has_value());
  CHECK_FALSE(good.error.has_value());
  CHECK_FALSE(good.damaged);
  CHECK(good.trace->launches.size() == 2);

  const std::string whole = small_trace().bytes();
  std::ofstream(folder / "cut.bin", std::ios::binary) << whole.substr(0, whole.size() - 8);
  const iket::analysis::load_result cut = iket::analysis::load_timeline((folder / "cut.bin").string());
  REQUIRE(cut.trace.has_value());
  CHECK(cut.damaged);
  REQUIRE(cut.damage.has_value());
  CHECK(lacking(cut.damage->message(), {"truncated at offset"}) == "");
  REQUIRE_FALSE(cut.trace->warnings.empty());
  CHECK(cut.trace->warnings[0] == cut.damage->message());
  fs::remove_all(folder);
}
