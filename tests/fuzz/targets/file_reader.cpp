// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Any bytes as trace.bin: all that the reader hands out lies inside them, is in order and what it says it is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>

#include "check.hpp"
#include "launch_check.hpp"
#include "parallel.hpp"
#include "trace_reader.hpp"

namespace {

using namespace iket::analysis;
using fuzz::check;

class view_checker {
 public:
  explicit view_checker(std::span<const std::byte> file) : file_(file) {}

  void check_view(const trace_view& view) {
    for (const device_view& device : view.devices) {
      check_text(device.name);
      if (device.snapshot)
        check(device.snapshot->host_begin_ns <= device.snapshot->host_end_ns, "a snapshot ends behind its beginning");
      if (!device.host_clock) continue;
      for (const auto& pair : device.host_clock->pairs)
        check(pair.host_before_ns <= pair.host_after_ns, "host clock pairs end behind their beginning");
    }
    for (const site_table_view& table : view.site_tables) check_sites(table);
    for (const launch_view& launch : view.launches) check_launch(view, launch);
    for (const read_error& damage : view.damages) {
      check(damage.offset <= file_.size(), "damage lies inside the file");
      check(!damage.message().empty(), "damage is told in words");
    }
  }

 private:
  void check_bytes(const void* data, std::size_t size) const {
    const auto* const begin = static_cast<const std::byte*>(data);
    if (size != 0)
      check(begin >= file_.data() && size <= file_.size() && begin <= file_.data() + (file_.size() - size),
            "all that is handed out lies inside the file");
  }
  void check_text(std::string_view text) const { check_bytes(text.data(), text.size()); }

  void check_sites(const site_table_view& table) const {
    for (std::size_t i = 0; i < table.sites.size(); ++i) {
      check_text(table.sites[i].name);
      check_text(table.sites[i].file);
      check(i == 0 || table.sites[i - 1].address < table.sites[i].address, "sites are in order, each once");
    }
  }

  void check_launch(const trace_view& view, const launch_view& launch) const {
    check_text(launch.name);
    check(launch.device == none || launch.device < view.devices.size(), "a launch's device is there");
    check(launch.sites == none || launch.sites < view.site_tables.size(), "a launch's sites are there");
    const auto& grid = launch.info.grid;
    check(std::uint64_t{grid[0]} * grid[1] <= 0xFFFFFFFFu && std::uint64_t{grid[0]} * grid[1] * grid[2] <= 0xFFFFFFFFu,
          "a grid has less than 2^32 CTAs");
    std::pair<std::uint64_t, std::uint32_t> before;
    for (std::size_t i = 0; i < launch.warps.size(); ++i) {
      const warp_view& warp = launch.warps[i];
      check_bytes(warp.header_bytes, sizeof(iket::warp_header));
      const iket::warp_header header = warp.header();
      check(header.kept == warp.records.size(), "a warp has the records that it says");
      std::uint32_t all = 0;
      for (std::size_t k = 0; k < warp.records.size(); ++k) all ^= warp.records[k].tag;
      sink_ = all;
      const std::pair place(linear_cta(header.cta, launch.info.grid), header.warp);
      check(i == 0 || before < place, "warps are in order, each once");
      before = place;
    }
  }

  std::span<const std::byte> file_;
  mutable volatile std::uint32_t sink_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limit_threads(1);
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const std::variant<trace_view, read_error> read = read_trace(file);
  if (const auto* const error = std::get_if<read_error>(&read))
    check(!error->message().empty(), "an error is told in words");
  else
    view_checker(file).check_view(std::get<trace_view>(read));
  return 0;
}
