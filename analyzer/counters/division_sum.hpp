// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The divisions of all listings of a launch group, added up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "launch_counters.hpp"
#include "ncu_profile.hpp"
#include "report.hpp"
#include "timeline.hpp"

namespace iket::analysis::counters {

/// Fills the columns and the parts of `launch_counters`. Listings may have different columns.
class division_sum {
 public:
  /// `launch` says the order of the stages; both references must live longer than this.
  division_sum(const launch_report& launch, launch_counters& to) : launch_(launch), to_(to) {}

  void add_listing(const source_listing& listing, const std::vector<code_site>& sites);

  /// To be called behind the last listing: leaves out stages that have nothing, puts the others in the report's order,
  /// and notes what a reader must know of the division.
  void finish();

 private:
  [[nodiscard]] std::vector<std::size_t> places_of(const source_listing& listing);
  void add_stage(const stage_counters& from, const std::vector<std::size_t>& places);
  [[nodiscard]] std::size_t place_of(const stage_counters& stage) const;
  void add_notes();

  const launch_report& launch_;
  launch_counters& to_;
  std::uint64_t events_ = 0;
  std::uint64_t events_of_sites_ = 0;
  std::uint64_t untold_ = 0;
  std::uint64_t indirect_ = 0;
  bool dropped_ = false;
  bool whole_ = true;
};

}  // namespace iket::analysis::counters
