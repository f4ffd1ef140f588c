// SPDX-FileCopyrightText: The IKET authors
// SPDX-License-Identifier: MIT
/// The chain of work, waits and hand-overs that made a launch as long as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "launch_group.hpp"
#include "picosecond_sum.hpp"
#include "statistics/scope.hpp"

namespace iket::analysis {

/// A CTA that closed at most so long before another one opened on its SM let that one start. [ps]
inline constexpr picoseconds longest_cta_start = 5'000'000;

/// What the time on a path went to.
enum class path_kind : std::uint8_t {
  work,       ///< a work stage
  wait,       ///< a wait stage, where nothing is known to have released it
  in_flight,  ///< a work stage in flight
  latency,    ///< from the end of what released a wait to the end of the wait
  untracked,  ///< no stack range was open
  lost,       ///< the warp's records of that time were lost
  cta_start,  ///< from the close of a CTA to the opening of the next one on its SM
  before,     ///< from the launch's first opening to where the path begins
};

/// "work", "wait", "in flight", "latency", ...
[[nodiscard]] std::string_view path_kind_name(path_kind of);

struct path_share {
  std::string stage;  ///< as in outputs: the stage, "<stage> (in flight)", or what `kind` says in words
  path_kind kind = path_kind::work;
  picosecond_sum time = 0;
};

/// Sums over launches.
struct critical_path {
  std::uint64_t launches = 0;      ///< that have a traced warp
  picosecond_sum duration = 0;     ///< of those; the sum of the shares, exactly
  std::vector<path_share> shares;  ///< the longest first; none is 0
};

/// Walks back from the last close of each launch; a wait's releaser is in its CTA, or with a wider scope in its
/// cluster. O(n log n) in the ranges of the CTAs through which the path leads.
[[nodiscard]] critical_path critical_path_of(const timeline& source, const launch_group& group, scope by);

}  // namespace iket::analysis
