// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// What is to be said of the warps of a launch, in one line for all warps that it is true of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <iket/warp_header.hpp>

#include "ring_decoder.hpp"

namespace iket::analysis {

/// Collects what decoding a launch's rings brought to light.
class launch_warnings {
 public:
  /// `number` is the warp's place in its launch.
  void add(std::size_t number, const warp_header& header, const decoded_ring& ring);

  /// Adds what was collected of other warps of the launch.
  void add(const launch_warnings& other);

  /// Appends one line per fact, each begun with `launch` ("launch 0 (gemm)").
  void write(const std::string& launch, std::vector<std::string>& warnings) const;

 private:
  enum fact : std::size_t {
    opened_twice,
    count_disagrees,
    never_written,
    torn,
    headless,
    unknown_kind,
    sm_changed,
    pairs_disagree,
    stepped_back,
    missing_wraps,
    ambiguous,
    unseen_wraps,
    unconfirmed_gaps,
    unbounded,
    unanchored,
    may_have_wrapped,
    full_unclosed,
    fact_count,
  };

  struct tally {
    std::uint64_t warps = 0;
    std::uint64_t number = 0;            // of records, where the fact is about records
    std::size_t first = 0;               // warp in the launch
    std::array<std::uint32_t, 3> cta{};  // of that one
    std::uint32_t warp = 0;              // of that one
  };

  void note(fact what, const tally& by);

  std::array<tally, fact_count> tallies_{};
};

}  // namespace iket::analysis
