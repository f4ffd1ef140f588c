// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The iterations of the stages of CTAs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "statistics/flights.hpp"

namespace iket::analysis {

/// A stage as the warps of one role run it, or its flights.
struct line_key {
  index activity = none;
  index role = none;
  auto operator<=>(const line_key&) const = default;
};

/// How a line runs in one CTA.
struct line_run {
  std::size_t launch = 0;
  std::uint32_t cta = 0;  ///< linear number
  picoseconds first_begin = 0;
  picoseconds last_end = 0;
  std::uint64_t iterations = 0;
  auto operator<=>(const line_run&) const = default;
};

/// One line over CTAs. An iteration lasts from the first begin to the last end of its ranges on the CTA's warps.
struct pipeline_line {
  std::vector<line_run> runs;          ///< one a CTA that has iterations of it
  std::vector<picoseconds> latencies;  ///< of the iterations
  std::vector<picoseconds> intervals;  ///< between the begins of successive iterations of a CTA
  std::uint64_t by_payload = 0;        ///< iterations known by their payload
  std::uint64_t by_order = 0;          ///< and those that are the n-th of their stage on each warp
  std::uint64_t depth = 0;             ///< of flights: the most items in flight at once in a CTA
};

/// Gathers the lines of CTAs, one after another; its memory is used again. Whole ranges within the CTA's window count.
class line_gatherer {
 public:
  explicit line_gatherer(const activity_table& activities) : activities_(activities) {}

  /// `items` and `flights` are those of the CTA at `cta` in `unit`. O(n log n) in its ranges.
  void add(const unit_warps& unit, std::uint32_t cta, std::span<const item_range> items,
           std::span<const flight> flights, std::size_t launch);

  /// The lines that another one has gathered.
  void add(line_gatherer&& other);

  /// With sorted runs; latencies and intervals are in the order in which CTAs came, which may be any.
  [[nodiscard]] std::map<line_key, pipeline_line> take();

 private:
  struct iteration {
    picoseconds begin = 0;
    picoseconds end = 0;
  };
  struct cta_line {
    std::vector<iteration> iterations;
    std::uint64_t by_order = 0;   // of them, the first ones
    std::uint64_t last_item = 0;  // of the last iteration

    void add(iteration part, std::uint64_t item);
  };

  void add_by_order(const unit_warps& unit, std::uint32_t cta);
  void add_by_payload(const unit_warps& unit, std::span<const item_range> items);
  void add_flights(const unit_warps& unit, std::span<const flight> flights);
  static void finish(cta_line& line, pipeline_line& to, line_run run);
  [[nodiscard]] static bool counts(const unit_warp& of, const range& one);

  activity_table activities_;
  std::map<line_key, pipeline_line> lines_;
  std::map<line_key, cta_line> cta_lines_;
  std::vector<std::uint32_t> order_;  // ranges of a stage on the warp so far
  std::uint64_t item_ = 0;            // items so far
  depth_counter depth_;
  std::map<index, std::uint64_t> depths_;  // by stage
};

}  // namespace iket::analysis
