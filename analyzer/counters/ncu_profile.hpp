// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What Nsight Compute has measured, as its pages tell it: what `read_ncu_page` fills and the join with stages reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "timeline.hpp"

namespace iket::analysis::counters {

/// A figure of a kernel.
struct metric {
  double value = 0;
  std::string unit;  ///< without a prefix: "byte", "byte/s", "s", "hz", "%"; else as the page has it; may be empty

  bool operator==(const metric&) const = default;
};

/// One launch that was profiled, from a page `raw` or `details`.
struct profiled_kernel {
  std::string file;
  std::string id;    ///< the page's "ID"
  std::string name;  ///< "gemm_kernel(CUtensorMap, int)", with or without its parameters
  std::optional<std::array<std::uint32_t, 3>> grid;
  std::optional<std::array<std::uint32_t, 3>> block;
  std::map<std::string, metric> raw;         ///< by the metric's name, "gpu__time_duration.sum"; a page `raw`
  std::map<std::string, metric> details;     ///< by "Section Name/Metric Name"; a page `details`
  std::map<std::string, std::string> texts;  ///< figures of either page that are words, "launch__func_cache_config"
};

/// A column of a page `source` whose numbers add up over instructions.
struct source_column {
  std::string key;   ///< for report.json: "samples", "stall_barrier", "instructions"
  std::string name;  ///< as the page has it
};

/// One instruction of the machine code; or one source line, where the page has no machine code.
struct source_row {
  std::uint64_t address = 0;             ///< of an instruction; 0 for a line
  std::string text;                      ///< "@P0 STG.E.64.STRONG.SYS desc[UR10][R8.64], R14", or the source line
  std::vector<source_location> sources;  ///< of an instruction all lines that it is listed under; of a line its own
  std::vector<std::uint64_t> values;     ///< one for each of `source_listing::columns`
};

/// The page `source` of one launch.
struct source_listing {
  std::string file;
  std::string kernel;  ///< its name as the page has it
  bool has_instructions = false;
  std::vector<source_column> columns;
  std::vector<source_row> rows;  ///< instructions by address, each once; else lines in the page's order
  bool is_doubtful = false;      ///< some of its figures could not be read, or were there twice and differed
};

/// All pages that were given.
struct ncu_profile {
  std::vector<profiled_kernel> kernels;
  std::vector<source_listing> listings;
  std::vector<std::string> warnings;  ///< one line each
};

/// How many samples a launch has, by its page `raw`, and by its page `source`; none where the page does not say.
[[nodiscard]] std::optional<double> samples_of(const profiled_kernel& launch);
[[nodiscard]] std::optional<std::uint64_t> samples_of(const source_listing& listing);

/// The sums of a listing's columns: what stages, shared and unattributed code add up to.
[[nodiscard]] std::vector<std::uint64_t> sums_of(const source_listing& listing);

}  // namespace iket::analysis::counters
