// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What a session has drained and not yet written: the content of one trace.bin, in memory.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <iket/site.hpp>
#include <iket/trace_file.hpp>

namespace iket {
inline namespace abi_1 {
namespace detail {

struct device_content {
  file::device_info info{};
  std::string name;
};

struct site_content {
  u64 address = 0;  ///< in device memory
  site_kind kind = site_kind::work;
  u32 line = 0;
  std::string name;
  std::string file;
};

struct site_table_content {
  u32 id = 0;
  std::vector<site_content> sites;
};

struct launch_content {
  file::launch_info info{};
  std::string name;
  file::fault_table fault_head{};
  std::vector<file::fault_info> faults;  ///< what a kernel built with IKET_CHECKED found
  std::vector<warp_header> warps;        ///< those that opened a recorder, in slot order
  std::vector<record> records;           ///< `warps[i].kept` records of each warp, in the order of `warps`
};

struct host_clock_content {
  file::host_clock_info info{};
  std::vector<file::host_clock_pair> pairs;
};

struct trace_content {
  std::vector<device_content> devices;
  std::vector<file::calibration_info> calibrations;  ///< one per device at most
  std::vector<host_clock_content> host_clocks;       ///< one per device at most
  std::vector<file::snapshot_info> snapshots;        ///< one per device at most; of a snapshot alone
  std::vector<site_table_content> site_tables;
  std::vector<launch_content> launches;

  /// Whether it has launches in which a kernel may have failed.
  [[nodiscard]] bool has_failed_ones() const {
    return std::any_of(launches.begin(), launches.end(),
                       [](const launch_content& one) { return (one.info.flags & file::launch_failed) != 0; });
  }
};

}  // namespace detail
}  // namespace abi_1
}  // namespace iket
