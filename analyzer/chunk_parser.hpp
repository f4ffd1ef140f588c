// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// Takes the payloads of chunks apart. The checksums were right, but nothing else is known: each function checks all
/// that it reads, and returns nothing and says why in `damages` where something does not fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <iket/trace_file.hpp>

#include "chunk_walker.hpp"
#include "damage_list.hpp"
#include "trace_reader.hpp"

namespace iket::analysis {

/// A launch chunk's facts.
struct launch_facts {
  file::launch_info info{};
  std::string_view name;
};

/// A ring group: some warps of one launch.
struct ring_group_view {
  std::uint32_t launch = 0;  ///< id of the launch
  std::vector<warp_view> warps;
};

/// The faults of one launch.
struct fault_table_view {
  file::fault_table head{};
  std::vector<file::fault_info> faults;
};

[[nodiscard]] std::optional<device_view> parse_device(const chunk& from, damage_list& damages);

[[nodiscard]] std::optional<file::calibration_info> parse_calibration(const chunk& from, damage_list& damages);

/// Refuses the readings unless they fill the chunk exactly and none ends before it begins.
[[nodiscard]] std::optional<host_clock_view> parse_host_clock(const chunk& from, damage_list& damages);

/// Refuses one that ends before it begins.
[[nodiscard]] std::optional<file::snapshot_info> parse_snapshot(const chunk& from, damage_list& damages);

/// Sorted by address. Sites behind a malformed one are lost, those before are kept.
[[nodiscard]] std::optional<site_table_view> parse_sites(const chunk& from, damage_list& damages);

/// Refuses a launch whose grid, block, cluster or ring capacity cannot be. What a file of format 1.0 lacks comes out as
/// it was then: all warps are traced, there are no clusters.
[[nodiscard]] std::optional<launch_facts> parse_launch(const chunk& from, damage_list& damages);

/// Refuses the table unless its faults fill it exactly.
[[nodiscard]] std::optional<fault_table_view> parse_faults(const chunk& from, damage_list& damages);

/// `warp_header_bytes` as the file header states it. Refuses the group unless its warps' records fill it exactly.
[[nodiscard]] std::optional<ring_group_view> parse_rings(const chunk& from, std::size_t warp_header_bytes,
                                                         damage_list& damages);

}  // namespace iket::analysis
