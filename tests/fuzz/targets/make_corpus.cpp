// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// make_corpus FOLDER TRACE...: writes what the fuzz targets begin with: small parts of the traces into
/// FOLDER/traces, single warps of them into FOLDER/rings, and command lines into FOLDER/command_lines.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <variant>

#include <iket/detail/trace_serializer.hpp>

#include "mapped_file.hpp"
#include "trace_reader.hpp"

namespace {

using namespace iket::analysis;
namespace fs = std::filesystem;

constexpr std::size_t most_records = 48;  // of a warp
constexpr std::size_t most_launches = 3;
constexpr std::size_t most_sites = 8;

/// How many warps of each launch are taken, and how many others are passed over behind each.
struct choice {
  std::size_t warps = 0;
  std::size_t stride = 1;
};
constexpr choice choices[] = {{1, 1}, {2, 1}, {4, 1}, {6, 3}};

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The last records of a ring, as one that holds no more would have them.
void add_warp(const warp_view& warp, std::uint32_t capacity, iket::detail::launch_content& to) {
  iket::warp_header header = warp.header();
  const std::size_t kept = std::min<std::size_t>(warp.records.size(), capacity);
  const bool is_full = warp.records.size() > capacity;
  for (std::size_t i = 0; i < kept; ++i) to.records.push_back(warp.records[i]);
  header.kept = static_cast<std::uint32_t>(kept);
  // The ring is cut, not turned: its oldest record is the first one again.
  if (is_full) header.written = header.written / capacity * capacity;
  to.warps.push_back(header);
}

iket::detail::launch_content launch_of(const launch_view& from, const choice& by) {
  iket::detail::launch_content to;
  to.info = from.info;
  to.name = from.name;
  to.faults = from.faults;
  const auto capacity =
      static_cast<std::uint32_t>(std::min<std::size_t>(std::bit_floor(most_records), from.info.records_per_warp));
  to.info.records_per_warp = capacity;
  for (std::size_t i = 0; i < from.warps.size() && to.warps.size() < by.warps; i += by.stride)
    add_warp(from.warps[i], capacity, to);
  to.info.warps_opened = static_cast<std::uint32_t>(to.warps.size());
  return to;
}

std::string part_of(const trace_view& view, const choice& by) {
  iket::detail::trace_content content;
  for (const device_view& device : view.devices) {
    content.devices.push_back({device.info, std::string(device.name)});
    if (device.calibration) content.calibrations.push_back(*device.calibration);
    if (device.snapshot) content.snapshots.push_back(*device.snapshot);
    if (device.host_clock) content.host_clocks.push_back({device.host_clock->info, device.host_clock->pairs});
  }
  for (iket::detail::host_clock_content& clock : content.host_clocks)
    clock.pairs.resize(std::min<std::size_t>(clock.pairs.size(), 4));
  for (const site_table_view& table : view.site_tables) {
    iket::detail::site_table_content& to = content.site_tables.emplace_back();
    to.id = table.id;
    for (const site_view& site : table.sites)
      if (to.sites.size() < most_sites)
        to.sites.push_back({site.address, static_cast<iket::site_kind>(site.kind), site.line, std::string(site.name),
                            std::string(site.file)});
  }
  for (const launch_view& launch : view.launches)
    if (content.launches.size() < most_launches) content.launches.push_back(launch_of(launch, by));
  std::string bytes;
  auto append = [&](const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); };
  iket::detail::serialize_trace(content, append);
  return bytes;
}

/// As the target ring_decoder takes it.
std::string ring_of(const warp_view& warp, bool keeps_first) {
  std::string bytes{static_cast<char>(keeps_first ? 3 : 2), 1};
  const iket::warp_header header = warp.header();
  bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
  for (std::size_t i = 0; i < std::min<std::size_t>(warp.records.size(), 64); ++i) {
    const iket::record one = warp.records[i];
    bytes.append(reinterpret_cast<const char*>(&one), sizeof(one));
  }
  return bytes;
}

void add_trace(const fs::path& folder, const fs::path& path) {
  const auto file = mapped_file::open(path.string());
  if (!std::holds_alternative<mapped_file>(file)) return;
  const auto read = read_trace(std::get<mapped_file>(file).bytes());
  if (!std::holds_alternative<trace_view>(read)) return;
  const auto& view = std::get<trace_view>(read);
  const std::string name = path.stem().string();
  for (std::size_t i = 0; i < std::size(choices); ++i)
    write(folder / "traces" / (name + "_" + std::to_string(i)), part_of(view, choices[i]));
  std::size_t rings = 0;
  for (const launch_view& launch : view.launches)
    for (const warp_view& warp : launch.warps)
      if (rings < 6)
        write(folder / "rings" / (name + "_" + std::to_string(rings++)),
              ring_of(warp, (launch.info.flags & iket::file::launch_keep_first) != 0));
}

void add_command_lines(const fs::path& folder) {
  constexpr const char* lines[] = {
      "trace.bin",
      "trace.bin\n-o\n/tmp/x.json.gz\n--report\nreport.csv\n--strict",
      "--no-trace\ntrace.bin\n--scope\ncluster\n--columns\n80",
      "a.bin\nb.bin\n--cta\n0-3\n--cta\n1,0,0\n--to\n180us\n--from\n1.5 ns",
      "trace.bin\n--launch\n1,3-4\n--launch\ngemm\n--warp\n0,2-3\n--role\nproducer\n--stage\n^wait|lo.d$",
      "trace.bin\n--sites\ngood.bin",
      "trace.bin\n--group-by\nsm\n--max-json\n2.5G\n-q",
      "--help",
      "--version",
      "--",
  };
  for (std::size_t i = 0; i < std::size(lines); ++i) write(folder / "command_lines" / std::to_string(i), lines[i]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: make_corpus FOLDER TRACE...\n", stderr);
    return 2;
  }
  for (int i = 2; i < argc; ++i) add_trace(argv[1], argv[i]);
  add_command_lines(argv[1]);
  return 0;
}
