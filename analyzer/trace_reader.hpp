// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Checks the bytes of a trace.bin and finds everything in them. docs/trace-format.md says what a reader has to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <iket/trace_file.hpp>

#include "load.hpp"
#include "read_error.hpp"
#include "timeline.hpp"

namespace iket::analysis {

/// Records in the file, in place.
class record_view {
 public:
  record_view() = default;
  record_view(const std::byte* first, std::size_t count) noexcept : first_(first), count_(count) {}

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] record_view first(std::size_t count) const noexcept { return {first_, count}; }
  [[nodiscard]] record operator[](std::size_t i) const noexcept { return load<record>(first_ + i * sizeof(record)); }

 private:
  const std::byte* first_ = nullptr;
  std::size_t count_ = 0;
};

/// One traced warp, in place. `header().kept` is the size of `records`.
struct warp_view {
  const std::byte* header_bytes = nullptr;
  record_view records;  ///< as they lie in the ring

  [[nodiscard]] warp_header header() const noexcept { return load<warp_header>(header_bytes); }
};

/// Readings of a device's timer between those of the host's clock.
struct host_clock_view {
  file::host_clock_info info{};
  std::vector<file::host_clock_pair> pairs;  ///< none ends before it begins
};

struct device_view {
  file::device_info info{};
  std::string_view name;
  std::optional<file::calibration_info> calibration;
  std::optional<host_clock_view> host_clock;
  std::optional<file::snapshot_info> snapshot;  ///< ends no earlier than it begins
};

struct site_view {
  std::uint64_t address = 0;  ///< in device memory
  std::uint32_t kind = 0;     ///< a `site_kind`, or one that a newer version has
  std::uint32_t line = 0;
  std::string_view name;
  std::string_view file;
};

struct site_table_view {
  std::uint32_t id = 0;
  std::vector<site_view> sites;  ///< sorted by address, each address once
};

struct launch_view {
  file::launch_info info{};  ///< where `facts_lost`: all zero but the id, and the grid as large as its warps say
  std::string_view name;
  bool facts_lost = false;               ///< its launch chunk is missing or damaged; only its rings are there
  index device = none;                   ///< in `trace_view::devices`; `none` where that chunk is missing
  index sites = none;                    ///< in `trace_view::site_tables`; `none` where that chunk is missing
  std::vector<warp_view> warps;          ///< by (linear CTA, warp), each once, all of the traced part and within a ring
  std::vector<file::fault_info> faults;  ///< of a checked build
  std::uint32_t faults_dropped = 0;      ///< for which the device had no room
};

/// A validated file. Everything in it points into the bytes it was read from.
struct trace_view {
  file::file_header header{};
  std::vector<device_view> devices;          ///< each id once
  std::vector<site_table_view> site_tables;  ///< each id once
  std::vector<launch_view> launches;         ///< each id once, in file order
  std::vector<read_error> damages;           ///< in file order; empty for a whole file
  std::uint64_t cut_names = 0;               ///< longer than `limits::name_bytes`: only their beginnings are here
};

/// Reads a file. What is damaged is left out and listed in `trace_view::damages`, chunk by chunk; an error comes back
/// only where no launch at all could be read. No length, count or offset of the file is trusted. Reads all bytes once
/// for their checksums, copies no record, and takes time linear in the size, also for a file made to take long.
[[nodiscard]] std::variant<trace_view, read_error> read_trace(std::span<const std::byte> bytes);

}  // namespace iket::analysis
