// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iket/detail/crc32c.hpp>
#include <iket/detail/trace_serializer.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"

namespace file = iket::file;
using iket::detail::crc32c;
using iket::detail::launch_content;
using iket::detail::trace_content;
using iket::detail::trace_serializer;

namespace {

std::string serialized(const trace_content& content) {
  std::string bytes;
  auto append = [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); };
  iket::detail::serialize_trace(content, append);
  return bytes;
}

template <class T>
T at(const std::string& bytes, std::size_t offset) {
  REQUIRE(offset + sizeof(T) <= bytes.size());
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

struct found_chunk {
  std::string type;
  std::string payload;
};

/// Takes a file apart by the words of docs/trace-format.md, and checks all that they say of chunks.
std::vector<found_chunk> chunks_of(const std::string& bytes) {
  std::vector<found_chunk> chunks;
  REQUIRE(bytes.size() % 8 == 0);
  for (std::size_t offset = 32; offset < bytes.size();) {
    const auto marker = at<std::uint32_t>(bytes, offset);
    const auto payload_bytes = at<std::uint64_t>(bytes, offset + 8);
    REQUIRE(marker == 0x1A4B4349u);
    REQUIRE(at<std::uint32_t>(bytes, offset + 20) == crc32c(bytes.data() + offset, 20));
    REQUIRE(payload_bytes <= bytes.size() - offset - 24);
    const std::string payload = bytes.substr(offset + 24, payload_bytes);
    REQUIRE(at<std::uint32_t>(bytes, offset + 16) == crc32c(payload.data(), payload.size()));
    chunks.push_back({bytes.substr(offset + 4, 4), payload});
    offset += 24 + payload_bytes;
    for (; offset % 8 != 0; ++offset) REQUIRE(bytes[offset] == '\0');
  }
  return chunks;
}

std::string types_of(const std::vector<found_chunk>& chunks) {
  std::string types;
  for (const found_chunk& chunk : chunks) types += chunk.type + "-";
  return types;
}

launch_content launch_of(std::uint32_t id, const std::vector<std::uint32_t>& kept) {
  launch_content launch;
  launch.info.id = id;
  launch.name = "kernel";
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    iket::warp_header header{};
    header.warp = static_cast<std::uint32_t>(i);
    header.kept = kept[i];
    launch.warps.push_back(header);
    for (std::uint32_t k = 0; k < kept[i]; ++k) launch.records.push_back({value++, 7});
  }
  return launch;
}

}  // namespace

TEST_CASE("an empty trace is a header and an end") {
  const std::string bytes = serialized({});
  CHECK(bytes.substr(0, 8) == "IKETRACE");
  CHECK(at<std::uint16_t>(bytes, 8) == IKET_FORMAT_VERSION_MAJOR);
  CHECK(at<std::uint16_t>(bytes, 10) == IKET_FORMAT_VERSION_MINOR);
  CHECK(bytes.substr(12, 4) == "\x04\x03\x02\x01");
  CHECK(at<std::uint32_t>(bytes, 16) == 8);
  CHECK(at<std::uint32_t>(bytes, 20) == 128);
  CHECK(at<std::uint32_t>(bytes, 24) == IKET_VERSION);
  CHECK(at<std::uint32_t>(bytes, 28) == crc32c(bytes.data(), 28));
  const std::vector<found_chunk> chunks = chunks_of(bytes);
  REQUIRE(types_of(chunks) == "END -");
  CHECK(at<std::uint32_t>(chunks[0].payload, 0) == 8);
  CHECK(at<std::uint32_t>(chunks[0].payload, 4) == 0);
}

TEST_CASE("chunks come in order and state their sizes") {
  trace_content content;
  content.devices.emplace_back();
  content.devices[0].name = "GPU";
  content.devices[0].info.sm_count = 132;
  content.site_tables.emplace_back();
  content.site_tables[0].id = 5;
  content.site_tables[0].sites.push_back({0x7F0000001230u, iket::site_kind::wait, 77, "wait", "a/b.cu"});
  content.site_tables[0].sites.push_back({0x7F0000001270u, iket::site_kind::work, 78, "", ""});
  content.launches.push_back(launch_of(3, {2, 0, 3}));
  content.launches[0].info.warp_mask = 0x12345678;
  content.launches.push_back(launch_of(4, {}));
  const std::vector<found_chunk> chunks = chunks_of(serialized(content));
  REQUIRE(types_of(chunks) == "DEVC-SITE-LNCH-RING-LNCH-END -");

  CHECK(at<std::uint32_t>(chunks[0].payload, 0) == 40);
  CHECK(at<std::uint32_t>(chunks[0].payload, 24) == 132);
  CHECK(at<std::uint32_t>(chunks[0].payload, 36) == 3);
  CHECK(chunks[0].payload.substr(40) == "GPU");

  const std::string& sites = chunks[1].payload;
  CHECK(at<std::uint32_t>(sites, 0) == 16);
  CHECK(at<std::uint32_t>(sites, 4) == 5);
  CHECK(at<std::uint32_t>(sites, 8) == 2);
  CHECK(at<std::uint32_t>(sites, 16) == 32);
  CHECK(at<std::uint32_t>(sites, 20) == 77);
  CHECK(at<std::uint64_t>(sites, 24) == 0x7F0000001230u);
  CHECK(at<std::uint32_t>(sites, 32) == 2);
  CHECK(at<std::uint32_t>(sites, 36) == 4);
  CHECK(at<std::uint32_t>(sites, 40) == 6);
  CHECK(sites.substr(48, 10) == "waita/b.cu");
  CHECK(at<std::uint32_t>(sites, 64 + 4) == 78);  // 58 is padded to 64
  CHECK(sites.size() == 64 + 32);

  CHECK(at<std::uint32_t>(chunks[2].payload, 0) == 176);
  CHECK(at<std::uint32_t>(chunks[2].payload, 4) == 3);
  CHECK(at<std::uint32_t>(chunks[2].payload, 120) == 0x12345678);
  CHECK(chunks[2].payload.substr(176) == "kernel");

  const std::string& rings = chunks[3].payload;
  CHECK(at<std::uint32_t>(rings, 0) == 24);
  CHECK(at<std::uint32_t>(rings, 4) == 3);
  CHECK(at<std::uint32_t>(rings, 8) == 3);
  CHECK(at<std::uint64_t>(rings, 16) == 5);
  REQUIRE(rings.size() == 24 + 3 * 128 + 5 * 8);
  CHECK(at<iket::warp_header>(rings, 24 + 256).kept == 3);
  for (std::uint32_t i = 0; i < 5; ++i) CHECK(at<iket::record>(rings, 24 + 384 + i * 8).value == i);

  CHECK(at<std::uint32_t>(chunks[5].payload, 4) == 5);
}

TEST_CASE("calibrations stand behind the devices, faults behind their launch") {
  trace_content content;
  content.devices.emplace_back();
  content.devices.emplace_back();
  content.calibrations.push_back({0, 7, 10'400, 19'600, 32, 1'980'000, {0, 0}});
  content.site_tables.emplace_back();
  content.launches.push_back(launch_of(3, {1}));
  content.launches[0].faults.push_back({0x7F0000001230u, file::fault_kind::pop_without_push, 5, {1, 2, 3}, 4});
  content.launches[0].faults.push_back({0, file::fault_kind::leader_absent, 6, {0, 0, 0}, 0});
  content.launches.push_back(launch_of(4, {}));
  content.launches.push_back(launch_of(5, {}));
  content.launches[2].fault_head.dropped = 9;
  const std::vector<found_chunk> chunks = chunks_of(serialized(content));
  REQUIRE(types_of(chunks) == "DEVC-DEVC-CALB-SITE-LNCH-FALT-RING-LNCH-LNCH-FALT-END -");

  const std::string& calibration = chunks[2].payload;
  REQUIRE(calibration.size() == 32);
  CHECK(at<std::uint32_t>(calibration, 0) == 32);
  CHECK(at<std::uint32_t>(calibration, 4) == 7);
  CHECK(at<std::uint32_t>(calibration, 8) == 10'400);
  CHECK(at<std::uint32_t>(calibration, 12) == 19'600);
  CHECK(at<std::uint32_t>(calibration, 16) == 32);
  CHECK(at<std::uint32_t>(calibration, 20) == 1'980'000);

  const std::string& faults = chunks[5].payload;
  REQUIRE(faults.size() == 16 + 2 * 32);
  CHECK(at<std::uint32_t>(faults, 0) == 16);
  CHECK(at<std::uint32_t>(faults, 4) == 3);
  CHECK(at<std::uint32_t>(faults, 8) == 2);
  CHECK(at<std::uint32_t>(faults, 12) == 0);
  CHECK(at<std::uint64_t>(faults, 16) == 0x7F0000001230u);
  CHECK(at<std::uint32_t>(faults, 24) == 3);
  CHECK(at<std::uint32_t>(faults, 28) == 5);
  CHECK(at<std::uint32_t>(faults, 36) == 2);
  CHECK(at<std::uint32_t>(faults, 44) == 4);
  CHECK(at<std::uint32_t>(faults, 16 + 32 + 12) == 6);

  CHECK(chunks[9].payload.size() == 16);
  CHECK(at<std::uint32_t>(chunks[9].payload, 4) == 5);
  CHECK(at<std::uint32_t>(chunks[9].payload, 12) == 9);
}

TEST_CASE("readings of the host's clock stand behind the calibrations") {
  trace_content content;
  content.devices.emplace_back();
  content.calibrations.push_back({0, 7, 10'400, 19'600, 32, 1'980'000, {0, 0}});
  content.host_clocks.emplace_back();
  content.host_clocks[0].info.device = 7;
  for (unsigned char i = 0; i < 16; ++i) content.host_clocks[0].info.boot_id[i] = static_cast<unsigned char>(100 + i);
  content.host_clocks[0].pairs = {{1000, 3000, 1'700'000'000'000'000'032, -5},
                                  {5000, 5001, 1'700'000'000'000'004'032, 1'699'999'999'999'999'999}};
  content.site_tables.emplace_back();
  const std::vector<found_chunk> chunks = chunks_of(serialized(content));
  REQUIRE(types_of(chunks) == "DEVC-CALB-HCLK-SITE-END -");
  const std::string& clock = chunks[2].payload;
  REQUIRE(clock.size() == 32 + 2 * 32);
  CHECK(at<std::uint32_t>(clock, 0) == 32);
  CHECK(at<std::uint32_t>(clock, 4) == 7);
  for (std::size_t i = 0; i < 16; ++i) CHECK(at<unsigned char>(clock, 8 + i) == 100 + i);
  CHECK(at<std::uint32_t>(clock, 24) == 2);
  CHECK(at<std::uint32_t>(clock, 28) == 0);
  CHECK(at<std::uint64_t>(clock, 32) == 1000);
  CHECK(at<std::uint64_t>(clock, 40) == 3000);
  CHECK(at<std::uint64_t>(clock, 48) == 1'700'000'000'000'000'032);
  CHECK(at<std::int64_t>(clock, 56) == -5);
  CHECK(at<std::uint64_t>(clock, 64) == 5000);
  CHECK(at<std::int64_t>(clock, 88) == 1'699'999'999'999'999'999);
}

TEST_CASE("the time of a snapshot stands behind the readings, before the sites") {
  trace_content content;
  content.devices.emplace_back();
  content.host_clocks.emplace_back();
  content.site_tables.emplace_back();
  content.snapshots = {{0, 7, 1000, 3000, -5}};
  const std::vector<found_chunk> chunks = chunks_of(serialized(content));
  REQUIRE(types_of(chunks) == "DEVC-HCLK-SNAP-SITE-END -");
  const std::string& info = chunks[2].payload;
  REQUIRE(info.size() == 32);
  CHECK(at<std::uint32_t>(info, 0) == 32);
  CHECK(at<std::uint32_t>(info, 4) == 7);
  CHECK(at<std::uint64_t>(info, 8) == 1000);
  CHECK(at<std::uint64_t>(info, 16) == 3000);
  CHECK(at<std::int64_t>(info, 24) == -5);
}

TEST_CASE("structs lie as docs/trace-format.md says") {
  // Whoever changes one of these changes the format, its version and its description.
  CHECK(offsetof(iket::warp_header, cta) == 0);
  CHECK(offsetof(iket::warp_header, warp) == 12);
  CHECK(offsetof(iket::warp_header, anchor) == 16);
  CHECK(offsetof(iket::warp_header, cluster_rank) == 24);
  CHECK(offsetof(iket::warp_header, cluster_dims) == 28);
  CHECK(offsetof(iket::warp_header, open) == 32);
  CHECK(offsetof(iket::warp_header, close) == 48);
  CHECK(offsetof(iket::clock_pair, globaltimer_ns) == 8);
  CHECK(offsetof(iket::warp_header, open_sm) == 64);
  CHECK(offsetof(iket::warp_header, opened) == 68);
  CHECK(offsetof(iket::warp_header, role) == 72);
  CHECK(offsetof(iket::warp_header, kept) == 76);
  CHECK(offsetof(iket::warp_header, close_sm) == 80);
  CHECK(offsetof(iket::warp_header, written) == 84);
  CHECK(offsetof(iket::warp_header, closed) == 88);
  CHECK(offsetof(iket::warp_header, flags) == 92);

  CHECK(offsetof(file::launch_info, device) == 8);
  CHECK(offsetof(file::launch_info, sites) == 12);
  CHECK(offsetof(file::launch_info, flags) == 16);
  CHECK(offsetof(file::launch_info, name_bytes) == 20);
  CHECK(offsetof(file::launch_info, grid) == 24);
  CHECK(offsetof(file::launch_info, block) == 36);
  CHECK(offsetof(file::launch_info, cta_stride) == 48);
  CHECK(offsetof(file::launch_info, ctas_traced) == 52);
  CHECK(offsetof(file::launch_info, warps_per_cta) == 56);
  CHECK(offsetof(file::launch_info, records_per_warp) == 60);
  CHECK(offsetof(file::launch_info, warps_opened) == 64);
  CHECK(offsetof(file::launch_info, recorders_refused) == 68);
  CHECK(offsetof(file::launch_info, refused_grid) == 72);
  CHECK(offsetof(file::launch_info, refused_block) == 84);
  CHECK(offsetof(file::launch_info, host_time_ns) == 96);
  CHECK(offsetof(file::launch_info, bytes_needed) == 104);
  CHECK(offsetof(file::launch_info, bytes_limit) == 112);
  CHECK(offsetof(file::launch_info, warp_mask) == 120);
  CHECK(offsetof(file::launch_info, choice) == 124);
  CHECK(offsetof(file::launch_info, first_cta) == 128);
  CHECK(offsetof(file::launch_info, last_cta) == 132);
  CHECK(offsetof(file::launch_info, cluster) == 136);
  CHECK(offsetof(file::launch_info, replay) == 148);
  CHECK(offsetof(file::launch_info, event_time_ns) == 152);
  CHECK(offsetof(file::launch_info, regions) == 160);
  CHECK(offsetof(file::launch_info, replays_missed) == 164);
  CHECK(offsetof(file::launch_info, warps_unplaced) == 168);

  CHECK(offsetof(file::device_info, uuid) == 8);
  CHECK(offsetof(file::device_info, sm_count) == 24);
  CHECK(offsetof(file::device_info, compute_major) == 28);
  CHECK(offsetof(file::device_info, compute_minor) == 30);
  CHECK(offsetof(file::device_info, rated_clock_khz) == 32);
  CHECK(offsetof(file::device_info, name_bytes) == 36);
}

TEST_CASE("names of every length are padded") {
  for (std::size_t size = 0; size < 20; ++size) {
    trace_content content;
    content.devices.emplace_back();
    content.devices[0].name = std::string(size, 'n');
    const std::vector<found_chunk> chunks = chunks_of(serialized(content));
    REQUIRE(chunks[0].payload == chunks[0].payload.substr(0, 40) + std::string(size, 'n'));
  }
}

TEST_CASE("the rings of a launch are cut into groups of about a megabyte, and none is lost") {
  trace_content content;
  content.launches.push_back(launch_of(0, std::vector<std::uint32_t>(700, 1000)));
  content.launches[0].warps[10].kept = 0;
  content.launches[0].records.resize(699 * 1000);
  std::uint32_t next_warp = 0;
  std::uint32_t next_record = 0;
  for (const found_chunk& chunk : chunks_of(serialized(content))) {
    if (chunk.type != "RING") continue;
    CHECK(chunk.payload.size() <= (1u << 20) + 1000 * 8 + 140 * 128 + 24);
    const auto warps = at<std::uint32_t>(chunk.payload, 8);
    const auto records = at<std::uint64_t>(chunk.payload, 16);
    REQUIRE(chunk.payload.size() == 24 + warps * 128 + records * 8);
    for (std::uint32_t i = 0; i < warps; ++i)
      REQUIRE(at<iket::warp_header>(chunk.payload, 24 + i * 128).warp == next_warp++);
    for (std::uint64_t i = 0; i < records; ++i)
      REQUIRE(at<std::uint32_t>(chunk.payload, 24 + warps * 128 + i * 8) == next_record++);
  }
  CHECK(next_warp == 700);
  CHECK(next_record == 699 * 1000);
}

TEST_CASE("launches one by one make the same bytes as all at once") {
  trace_content content;
  content.devices.emplace_back();
  content.launches.resize(2);
  content.launches[0].name = "first";
  content.launches[1].info.id = 1;
  std::string piecewise;
  const auto append = [&](const void* data, std::size_t size) {
    piecewise.append(static_cast<const char*>(data), size);
  };
  trace_serializer<const decltype(append)> file(append);
  file.begin(content);
  for (const launch_content& launch : content.launches) file.add(launch);
  file.end();
  CHECK(piecewise == serialized(content));
}

TEST_CASE("what a sink throws comes out") {
  auto full = [](const void*, std::size_t) { throw std::runtime_error("full"); };
  CHECK_THROWS_AS(iket::detail::serialize_trace({}, full), std::runtime_error);
}
