// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What the analyzer takes of a file at most, whatever the file says. Far above what GPUs and programs have; below them
/// no file can make it run longer than its size accounts for. SECURITY.md states them for users.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iket::analysis::limits {

/// Numbers of SMs are below this; warps of others are refused. GPUs have less than 200.
inline constexpr std::uint32_t sms = 1024;

/// Warps of a CTA have numbers below this; others are refused. CUDA has 32.
inline constexpr std::uint32_t warps_of_cta = 64;

/// CTAs of a cluster; launches of larger ones are refused. CUDA has 16.
inline constexpr std::uint64_t ctas_of_cluster = 64;

/// Bytes of a name; longer ones are cut, and that is said.
inline constexpr std::size_t name_bytes = 4096;

/// Names of stages in a file, and of marks and counters, and of roles; further ones are put together under one name.
inline constexpr std::size_t names = 16'384;

/// Devices of a file.
inline constexpr std::size_t devices = 1024;

/// Faults of a launch that are told apart; further ones are counted only.
inline constexpr std::size_t faults = 1024;

/// Lines that tell where the warps of a kind of launches stand, and of all in a report; and launches that are told of,
/// with such lines or, where they had not begun, without.
inline constexpr std::size_t standing_lines = 200;
inline constexpr std::size_t standing_lines_of_report = 1000;
inline constexpr std::size_t standing_launches = 200;
inline constexpr std::size_t standing_launches_of_report = 1000;

/// Lines of warnings about a file.
inline constexpr std::size_t warnings = 1000;

/// Launches of one kernel, grid and block are a group. So many are reported, and as many as have together
/// `group_stages` stages, where each group is counted with all stages of the file.
inline constexpr std::size_t groups = 10'000;
inline constexpr std::size_t group_stages = std::size_t{1} << 24;

/// The groups that are reported, or compared, of files with so many stages.
[[nodiscard]] constexpr std::size_t groups_with(std::size_t stages) {
  const std::size_t most = stages == 0 ? groups : group_stages / stages;
  return most < 1 ? 1 : most < groups ? most : groups;
}

/// Work stages that an item may have in flight for a wait for it to be released by them alone: each wait is held
/// against each of them.
inline constexpr std::size_t flying_stages_of_item = 8;

/// Stages that a group may run for its stages to be related to each other (overlap, waits, pipelines, critical path):
/// that takes time as the square of them.
inline constexpr std::size_t related_stages = 512;

/// Steps for each time that a warp begins or ends something, in the mean of a CTA, to find what went on during waits.
inline constexpr std::uint64_t cover_steps = 1000;

/// Stages and roles of two kernels whose changes are held against chance: that takes time and memory as their number
/// times that of CTAs.
inline constexpr std::size_t compared_names = 512;

/// Lines of stages and roles that are joined to pipelines.
inline constexpr std::size_t pipeline_lines = 256;

/// A profiler's pages: bytes of one; bytes of a metric's name, rows and columns of a table; rows of a listing, its
/// columns that add up, bytes of their keys, and lines that an instruction was inlined through. A page of all metrics
/// has 2238 columns, with names up to 112 bytes.
inline constexpr std::size_t page_bytes = std::size_t{1} << 30;
inline constexpr std::size_t metric_name_bytes = 512;
inline constexpr std::size_t profile_rows = 1'000'000;
inline constexpr std::size_t source_rows = 1'000'000;
inline constexpr std::size_t source_columns = 256;
inline constexpr std::size_t source_key_bytes = 64;
inline constexpr std::size_t profile_columns = 20'000;
inline constexpr std::size_t inlined_lines = 64;

/// Source files of a page without machine code whose lines are given to stages: each is held against each site.
inline constexpr std::size_t divided_files = 4096;

/// Memory: so much, and so much for each byte of the files. A trace of 8 bytes a record needs 5 to 10 bytes for each.
inline constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 30;
inline constexpr std::uint64_t memory_for_file_byte = 64;

}  // namespace iket::analysis::limits
