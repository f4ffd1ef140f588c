// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// From one warp of the file to one warp of the timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clock_map.hpp"
#include "pairing.hpp"
#include "ring_decoder.hpp"
#include "site_catalog.hpp"
#include "timeline.hpp"
#include "trace_reader.hpp"
#include "uncertainty_tally.hpp"

namespace iket::analysis {

/// What warps of a launch are built with, beside their records.
struct warp_context {
  site_reader* sites = nullptr;
  const clock_map* clocks = nullptr;
  picoseconds zero = 0;  ///< the time on `clocks` that becomes 0
  cycle_rates rates;     ///< of the device's SM clocks
};

/// Decodes, pairs and places warps, one after another; its memory is used again.
class warp_builder {
 public:
  /// For warps of another launch; their uncertainties begin anew.
  void begin(const warp_context& context);

  /// Linear in the records. Nothing where the reader of sites may not change the tables and lacks one for it.
  [[nodiscard]] std::optional<warp_timeline> build(const warp_header& header, record_view records, ring_layout layout);

  /// Of the times of all warps' events, openings and closes.
  [[nodiscard]] const uncertainty_tally& uncertainties() const noexcept { return uncertainties_; }

  /// How the last warp's ring decoded.
  [[nodiscard]] const decoded_ring& ring() const noexcept { return ring_; }

 private:
  void number_sites(const warp_header& header);
  [[nodiscard]] std::uint32_t site_number(const warp_header& header, std::uint32_t site_bits);
  [[nodiscard]] picoseconds placed(const uncertain_time& time);
  void place_in_time(const warp_header& header, warp_timeline& warp);
  void count_cycles(const warp_header& header, warp_timeline& warp);
  void note_doubts(warp_timeline& warp) const;
  void add_ranges(warp_timeline& warp);
  void add_points(warp_timeline& warp);
  void add_orphans(warp_timeline& warp);
  [[nodiscard]] odd_events& odd_of(warp_timeline& warp, index stage);

  warp_context context_;
  uncertainty_tally uncertainties_;
  decoded_ring ring_;
  range_pairing pairing_;
  std::vector<picoseconds> times_;   // of the events
  std::vector<picoseconds> unsure_;  // uncertainties of the warp's times
  range next_range_;
  std::uint64_t last_cycles_ = 0;  // where the observed window ends
  std::vector<index> odd_at_;      // by stage + 1: place in the warp's odd events, if that entry has this stage
};

}  // namespace iket::analysis
